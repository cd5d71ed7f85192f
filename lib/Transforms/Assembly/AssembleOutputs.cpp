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
    FailureOr<ResultLayout> layout =
        ResultLayout::get(nest, drafts, draftUnions);
    if (failed(layout))
      return failure();
    PhaseFunctions functions(func, nest, std::move(*layout), tile);
    assembleNest(functions);
    func.erase();
    return success();
  }
};
} // namespace
