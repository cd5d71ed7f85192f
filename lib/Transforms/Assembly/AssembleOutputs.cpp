//===- AssembleOutputs.cpp - The three kernels of a nest ------------------===//
//
// Consumes functions with one bounded nest. Replaces each by the functions
// partition, assemble and compute of paper section 4, which run all parts, and
// by plan and execute, which call these. Results, bounds and counts are buffers
// from here on. The main files:
//
//   ResultLayout   which loop appends to which level of the result
//   Collector      how the parts collect the entries of the result
//   Filling        how each part knows where its entries begin in the result
//   PhaseFunctions the functions of a nest, and their arguments
//   PartBuilder    the code of one part: its loops, levels, tables and entries
//   NestAssembler  what each function does
//
// The levels of the result (lib/Levels) decide which part appends a coordinate
// of an outer level, and what a part counts for it.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Filling.h"
#include "NestAssembler.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOASSEMBLEOUTPUTS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Nests that can be replaced
//===----------------------------------------------------------------------===//

/// Whether the result of a nest is what its function returns, and nothing else
/// uses it.
static bool isReturned(func::FuncOp func, NestOp nest) {
  return nest->getParentOp() == func && nest->hasOneUse() &&
         func.getBody().hasOneBlock() &&
         func.getBody().front().getTerminator()->getOperands() ==
             nest->getResults();
}

/// Whether there can be a table for each `nacho.find` of a nest. Emits an error
/// if not.
static LogicalResult verifyFinds(NestOp nest) {
  WalkResult finds = nest.walk([](FindOp find) -> WalkResult {
    if (!argumentOf(find.getFiber()))
      return find.emitOpError("looks into a tensor that is no argument of its "
                              "function");
    return WalkResult::advance();
  });
  return failure(finds.wasInterrupted());
}

/// Whether a function can be replaced by the functions of its nest. Emits an
/// error if it cannot.
static LogicalResult verifyReplaceable(func::FuncOp func, NestOp nest) {
  if (!nest.getCuts() || nest.getBody().getNumArguments() == 0)
    return nest.emitOpError("must be partitioned and bounded first");
  if (!nest.getCuts().getDefiningOp<PartitionOp>() || !isReturned(func, nest))
    return nest.emitOpError("must be all that its function does");
  // Each of the functions gets a copy of all other ops.
  for (Operation &op : func.getBody().front().without_terminator())
    if (&op != nest && !isMemoryEffectFree(&op))
      return op.emitOpError("has an effect next to a nest");
  if (failed(verifyHasRoots(nest)))
    return failure();
  if (failed(verifyFinds(nest)))
    return failure();
  if (!SymbolTable::symbolKnownUseEmpty(func, func->getParentOp()))
    return func.emitOpError(
        "is used, but its nest replaces it by several functions");
  auto step = func->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName);
  if (!step || !step.getCuts())
    return func.emitError("needs a #nacho.step that says how it is cut, as "
                          "nacho-partition-loops leaves it");
  return success();
}

//===----------------------------------------------------------------------===//
// From a nest to the layout of its result
//===----------------------------------------------------------------------===//

/// The loop whose coordinate a value is; null if it is none.
static CoiterateOp loopOver(Value coordinate) {
  auto arg = dyn_cast<BlockArgument>(coordinate);
  if (!arg)
    return {};
  auto loop = dyn_cast<CoiterateOp>(arg.getOwner()->getParentOp());
  return loop && loop.getCoordinate() == coordinate ? loop : CoiterateOp();
}

/// Notes for each coordinate of an append which loop it comes from and, if that
/// is a loop over keys, from which field of the key.
static LogicalResult readAppend(ResultLayout &layout, AppendOp append) {
  for (auto [level, appended] : llvm::enumerate(append.getCoordinates())) {
    auto field = appended.getDefiningOp<UnflattenOp>();
    if (layout.loopOfLevel[level] && layout.fieldOfLevel[level] != field)
      return append.emitOpError("appends at other parts of keys than before");
    layout.fieldOfLevel[level] = field;
    layout.derivedOfLevel[level] = appended.getDefiningOp<DeriveOp>();
    Value coordinate = field ? field.getKey() : appended;
    CoiterateOp loop = loopOver(coordinate);
    if (!loop && !layout.collector->takes(layout, coordinate, level))
      return append.emitOpError("appends at coordinates that are no loop's");
    layout.loopOfLevel[level] = loop;
  }
  return success();
}

static LogicalResult readAppends(ResultLayout &layout) {
  layout.loopOfLevel.assign(layout.type.getRank(), CoiterateOp());
  layout.fieldOfLevel.assign(layout.type.getRank(), UnflattenOp());
  layout.derivedOfLevel.assign(layout.type.getRank(), DeriveOp());
  WalkResult result = layout.nest.walk(
      [&](AppendOp append) { return WalkResult(readAppend(layout, append)); });
  return failure(result.wasInterrupted());
}

static unsigned numStructuralLevels(RankedTensorType type) {
  unsigned levels = isDense(type) ? 0 : type.getRank();
  while (levels > 0 && isFullLevel(type, levels - 1))
    --levels;
  return levels;
}

static void collectBy(std::shared_ptr<const Collector> collector,
                      ResultLayout &layout) {
  layout.columnsToCollect = collector->columnNames();
  layout.collector = std::move(collector);
}

/// Reads the layout of a nest's result, which parts append to a draft of if it
/// is among `drafts` (see Filling.h).
static FailureOr<ResultLayout> readLayout(NestOp nest, Drafts drafts) {
  ResultLayout layout;
  layout.nest = nest;
  collectBy(Collector::get(nest.getCollect()), layout);
  layout.loops = nest.getLoops();
  layout.numCut = nest.getCutLoops().size();
  nest.walk([&](FindOp find) { layout.finds.push_back(find); });
  RankedTensorType type = layout.type = cast<RankedTensorType>(nest.getType());
  layout.numStructural = numStructuralLevels(type);
  if (failed(readAppends(layout)) ||
      failed(layout.collector->classifyLoops(layout)))
    return failure();

  unsigned rank = type.getRank();
  bool isWhole = layout.innerLevels.empty() && !layout.canSplit();
  bool makesEntries = layout.numStructural == rank && rank > 0 &&
                      (!layout.reduction || isWhole);
  unsigned appended =
      layout.collector->appendsToLevels() ? layout.numStructural : 0;
  for (unsigned level = 0; level < appended; ++level)
    if (!makesEntries || level + 1 < layout.numStructural)
      layout.levels.push_back(ResultLevel::get(type, level));
  Drafts needed = layout.collector->draftsOf(layout);
  bool isDraft = needed != Drafts::none && needed <= drafts;
  layout.filling = !isDraft                   ? Filling::counted()
                   : needed == Drafts::unions ? Filling::inTurn()
                                              : Filling::draft();
  if (isDraft)
    collectBy(Collector::getForDraft(nest.getCollect()), layout);
  return layout;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct AssembleOutputs
    : nacho::impl::NachoAssembleOutputsBase<AssembleOutputs> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(assemble(func)))
        return signalPassFailure();
  }

private:
  LogicalResult assemble(func::FuncOp func) {
    SmallVector<NestOp> nests;
    func.walk([&](NestOp nest) { nests.push_back(nest); });
    if (nests.empty())
      return success();
    if (nests.size() > 1)
      return nests[1].emitOpError("must be the only nest of its function");
    NestOp nest = nests.front();
    if (failed(verifyReplaceable(func, nest)))
      return failure();
    FailureOr<ResultLayout> layout = readLayout(nest, drafts);
    if (failed(layout))
      return failure();
    PhaseFunctions functions(func, nest, std::move(*layout), tile, device);
    assembleNest(functions);
    func.erase();
    return success();
  }
};
} // namespace
