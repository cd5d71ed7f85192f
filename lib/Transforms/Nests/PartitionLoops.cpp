//===- PartitionLoops.cpp - Hierarchical search for equal parts -----------===//
//
// Consumes nests; leaves before each nest a `nacho.partition`, which finds the
// cut for a query by one search per loop (paper Alg. 1):
//
//   residual = query
//   for each loop m, outermost first:
//     x_m = highest coordinate with C_m(x_m | x_0 ... x_m-1) <= residual
//     residual -= C_m(x_m | ...)
//
// The cost model defines C_m, the cost of loop m up to a coordinate.
//
//===----------------------------------------------------------------------===//

#include "CostQueries.h"
#include "StepIndices.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOPARTITIONLOOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The numbers of the operands of each loop.
static ArrayAttr describeLoops(Builder &builder, const NestCost &costs,
                               unsigned depth) {
  SmallVector<Attribute> described;
  for (unsigned m = 0; m < depth; ++m)
    described.push_back(
        builder.getI64ArrayAttr(SmallVector<int64_t>(costs.getOperandsOf(m))));
  return builder.getArrayAttr(described);
}

/// Builds the region of a search: the cost of loop `m` up to a candidate.
static void buildCost(ImplicitLocOpBuilder &b, SearchOp search, unsigned m,
                      const NestCost &costs, CostQueries &queries,
                      SearchState state) {
  OpBuilder::InsertionGuard guard(b);
  ValueRange fibers = search.getFibers();
  SmallVector<Type> types(1 + fibers.size(), b.getIndexType());
  SmallVector<Location> locs(types.size(), b.getLoc());
  locs.front() =
      nameLoc(b.getLoc(), costs.getLoop(m).getIndexName().value_or(""));
  for (auto [loc, fiber] : llvm::zip(llvm::drop_begin(locs), fibers))
    loc = nameLoc(b.getLoc(),
                  "pos" + StringRef(getName(fiber)).rtrim("0123456789"));
  Block *block = b.createBlock(&search.getBody(), {}, types, locs);
  state.coordinate = block->getArgument(0);
  state.positions.assign(block->args_begin() + 1, block->args_end());
  YieldOp::create(b, queries.upTo(m, state));
}

/// Builds one search per loop, each inside the coordinate that the search
/// before it found.
static void buildSearches(ImplicitLocOpBuilder &b, PartitionOp partition,
                          const NestCost &costs, CostQueries &queries,
                          unsigned depth) {
  Block *body = partition.getBodyBlock();
  Value query = body->getArgument(0), residual = query;
  Value lower = body->getArgument(1), upper = body->getArgument(2);
  SmallVector<Value> coordinates, found;
  SearchState state;
  for (const NestOperand &operand : costs.getOperands())
    state.fibers.push_back(operand.root);
  for (unsigned m = 0; m < depth; ++m) {
    SmallVector<Value> fibers;
    for (unsigned operand : costs.getOperandsOf(m))
      fibers.push_back(state.fibers[operand]);
    auto search = SearchOp::create(b, residual, costs.getLoop(m).getExtent(),
                                   fibers, lower, upper);
    buildCost(b, search, m, costs, queries, state);
    state.coordinate = search.getCoordinate();
    for (auto [operand, child] :
         llvm::zip(costs.getOperandsOf(m), search.getChildren()))
      state.fibers[operand] = child;
    queries.recall(m, state);
    queries.enter(m, state);
    coordinates.push_back(search.getCoordinate());
    llvm::append_range(found, search.getChildren());
    residual = search.getResidual();
    lower = search.getInnerLower();
    upper = search.getInnerUpper();
  }
  Value cost = Number(b, query) - residual;
  NameScope name(b, "cut");
  Value cut = CutOp::create(b, body->getArgument(1).getType(), cost,
                            coordinates, found);
  YieldOp::create(b, cut);
}

/// Adds the number of parts as the last argument of the function.
static Value addPartsArgument(func::FuncOp func) {
  auto index = IndexType::get(func.getContext());
  unsigned number = func.getNumArguments();
  (void)func.insertArgument(number, index, {}, nameLoc(func.getLoc(), "parts"));
  return func.getArgument(number);
}

//===----------------------------------------------------------------------===//
// Facts about the cuts for callers
//===----------------------------------------------------------------------===//

namespace {
/// A level of an argument, and the type of its coordinates.
struct StoredLevel {
  OfArgument level;
  Type coordinates;
};
} // namespace

/// The level of an argument in which a fiber of a loop stores its coordinates,
/// if it stores each of them once. Of keys, that is the one of the last
/// coordinates.
static std::optional<StoredLevel> storedLevel(Value fiber) {
  Value tensor = rootOf(fiber).getTensor();
  unsigned level = cast<FiberType>(fiber.getType()).getLevel();
  if (auto flat = tensor.getDefiningOp<FlattenOp>()) {
    tensor = flat.getTensor();
    level = cast<RankedTensorType>(tensor.getType()).getRank() - 1;
  }
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return std::nullopt;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!coordinatePlace(type, level) || !isUniqueLevel(type, level))
    return std::nullopt;
  return StoredLevel{
      {level, argument.getArgNumber()},
      sparse_tensor::getSparseTensorEncoding(type).getCrdElemType()};
}

/// The two arrays of coordinates that the innermost loop merges. Null if the
/// loop is not cut, if it merges anything else, or if the coordinates do not
/// have one type of 32 or 64 bits.
static StepMergeAttr describeMerge(NestOp nest) {
  MLIRContext *context = nest.getContext();
  CoiterateOp loop = nest.getLoops().back();
  MergeAttr merge = loop.getMerge();
  auto both = MergeAttr::get(
      context, merge.getKind(),
      {MergeAttr::get(context, 0u), MergeAttr::get(context, 1u)});
  if (nest.getCutLoops().back() != loop || loop.getFibers().size() != 2 ||
      merge != both)
    return {};
  std::optional<StoredLevel> left = storedLevel(loop.getFibers().front());
  std::optional<StoredLevel> right = storedLevel(loop.getFibers().back());
  if (!left || !right || left->coordinates != right->coordinates)
    return {};
  Type type = left->coordinates;
  if (!type.isInteger(32) && !type.isInteger(64) && !type.isIndex())
    return {};
  return StepMergeAttr::get(context, merge.getKind(), left->level,
                            right->level);
}

/// The loops that are cut, and the accesses that have positions in them. An
/// access that no assignment has numbered gets the number of its argument.
static FailureOr<StepCutsAttr> describeCuts(NestOp nest, PartitionOp partition,
                                            CostModelAttr model) {
  MLIRContext *context = nest.getContext();
  SmallVector<OfArgument> accesses;
  for (Value root : partition.getRoots()) {
    std::optional<unsigned> argument = argumentOf(root);
    if (!argument)
      return nest.emitOpError("reads a tensor that is no argument of its "
                              "function");
    uint64_t number = rootOf(root).getInput().value_or(*argument);
    accesses.push_back({static_cast<unsigned>(number), *argument});
  }
  SmallVector<StepLoopAttr> loops;
  for (auto [loop, operands] : llvm::zip(
           nest.getCutLoops(), partition.getLoops().getAsRange<ArrayAttr>())) {
    auto name = StringAttr::get(context, loop.getIndexName().value_or(""));
    SmallVector<unsigned> numbers;
    for (auto operand : operands.getAsRange<IntegerAttr>())
      numbers.push_back(operand.getInt());
    loops.push_back(StepLoopAttr::get(context, name, numbers, visitsAll(loop)));
  }
  return StepCutsAttr::get(context, accesses, loops, model,
                           partition.getDelta(), describeMerge(nest));
}

/// Adds the cuts and indices to the step attribute of a function. A function
/// with several nests gets none: it is not a step of a kernel, and nobody calls
/// it.
static LogicalResult describe(func::FuncOp func, NestOp nest,
                              PartitionOp partition, CostModelAttr model) {
  if (!llvm::hasSingleElement(func.getOps<NestOp>()))
    return success();
  FailureOr<StepCutsAttr> cuts = describeCuts(nest, partition, model);
  if (failed(cuts))
    return failure();
  // The last argument is the number of parts.
  StepAttr step = StepAttr::ofFunction(func, func.getNumArguments() - 1);
  func->setAttr(NachoDialect::kStepAttrName,
                StepAttr::get(func.getContext(), step.getInputs(), *cuts,
                              StepBuffersAttr(),
                              indicesRead(func, step.getInputs().size()),
                              indicesMade(nest)));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult partition(NestOp nest, CostModelAttr model) {
  auto func = nest->getParentOfType<func::FuncOp>();
  if (!func)
    return nest.emitOpError("must be in a function to be partitioned");
  if (failed(verifyHasRoots(nest)))
    return failure();
  const NestCost costs(nest, model);
  SmallVector<int64_t> widths;
  unsigned most = costs.getLoops().size();
  unsigned depth = std::min(most, nest.getMaxCutLoops());
  for (unsigned m = 0; m < depth; ++m)
    widths.push_back(costs.getOperandsOf(m).size());
  SmallVector<Value> roots;
  for (const NestOperand &operand : costs.getOperands())
    roots.push_back(operand.getWhole().getFiber());

  ImplicitLocOpBuilder b(withoutName(nest.getLoc()), nest);
  auto cuts = CutsType::get(b.getContext(), widths);
  auto cut = CutType::get(b.getContext(), widths);
  CostQueries queries(b, costs);
  Value total = queries.total();
  auto op = PartitionOp::create(
      b, cuts, total, costs.getLoop(0).getExtent(), roots,
      addPartsArgument(func), describeLoops(b, costs, depth),
      b.getI64IntegerAttr(depth == most ? costs.getDelta() : -1));
  op->setLoc(nameLoc(b.getLoc(), "cuts"));
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> types = {b.getIndexType(), cut, cut};
    SmallVector<Location> locs = {nameLoc(b.getLoc(), "query"),
                                  nameLoc(b.getLoc(), "lo"),
                                  nameLoc(b.getLoc(), "hi")};
    b.createBlock(&op.getBody(), {}, types, locs);
    buildSearches(b, op, costs, queries, depth);
  }
  nest.getCutsMutable().assign(op.getCuts());
  return describe(func, nest, op, model);
}

namespace {
struct PartitionLoops : nacho::impl::NachoPartitionLoopsBase<PartitionLoops> {
  using NachoPartitionLoopsBase::NachoPartitionLoopsBase;

  void runOnOperation() override {
    FailureOr<CostModelAttr> model =
        CostModelAttr::lookUp(getOperation(), cost);
    if (failed(model))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](NestOp nest) -> WalkResult {
      if (nest.getCuts())
        return WalkResult::advance();
      return partition(nest, *model);
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
