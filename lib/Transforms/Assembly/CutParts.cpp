//===- CutParts.cpp - The function that cuts a nest into parts ------------===//

#include "NestAssembler.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The cost of the nest.
static Value totalCost(PhaseFunctions &function) {
  return function.mapping.lookup(function.partition.getTotal());
}

/// Emits the cut at the end of the nest.
static Value emitLimit(PhaseFunctions &function) {
  PartitionOp partition = function.partition;
  Values roots;
  for (Value root : partition.getRoots())
    roots.push_back(function.mapping.lookup(root));
  Value extent;
  if (partition.getExtent())
    extent = function.mapping.lookup(partition.getExtent());
  return LimitOp::create(function.b, function.cutType(), totalCost(function),
                         extent, roots, partition.getLoops());
}

/// if within == parts: bounds[0] = origin, bounds[parts] = limit
static void storeEnds(PhaseFunctions &function, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, args.within, parts);
  emitIf(b, isWhole, [&] {
    function.emitOneWorker([&] {
      Value origin = OriginOp::create(b, function.cutType());
      StoreCutOp::create(b, origin, args.bounds, zero);
      StoreCutOp::create(b, emitLimit(function), args.bounds, parts);
    });
  });
}

namespace {
/// The input of one search: `inside` of `of` parts of equal cost, into which
/// what lies between the costs `base` and `limit` is divided, lie before the
/// cut that is searched for. It is known to lie between two cuts, `lower` and
/// the one that `upper` emits.
struct Interior {
  Value inside, of, base, limit, lower;
  llvm::function_ref<Value()> upper;
};
} // namespace

/// Finds the cut for the query
///   base + inside * (limit - base) / of
/// between two others, and stores it in a row of `bounds`.
static void searchCut(PhaseFunctions &function, Value row,
                      const Interior &interior) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  // If the interval costs nothing, all of it goes to its last part.
  Value hasCost = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                        interior.base, interior.limit);
  auto ifCost = scf::IfOp::create(b, hasCost, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifCost.elseBlock());
  StoreCutOp::create(b, interior.lower, args.bounds, row);
  b.setInsertionPointToStart(ifCost.thenBlock());
  Value upper = interior.upper(), query;
  {
    NameScope name(b, "query");
    query = QueryOp::create(b, b.getIndexType(), interior.inside, interior.of,
                            interior.base, interior.limit);
  }
  Block *search = function.partition.getBodyBlock();
  // The search may be copied again, with other arguments of its regions.
  IRMapping mapping = function.mapping;
  mapping.map(search->getArgument(0), query);
  mapping.map(search->getArgument(1), interior.lower);
  mapping.map(search->getArgument(2), upper);
  for (Operation &op : search->without_terminator())
    b.clone(op, mapping);
  Value found = mapping.lookup(search->getTerminator()->getOperand(0));
  StoreCutOp::create(b, found, args.bounds, row);
}

/// The most parts for which every cut is searched for between the given ones.
static constexpr int64_t kFewCuts = 1024;
/// A block has at most so many rows: its cuts are close enough to each other
/// for what their searches read to stay in the cache.
static constexpr int64_t kMostRows = 32;

/// The number of rows of a block: min(parts / kFewCuts + 1, kMostRows)
static Value emitBlockSize(ImplicitLocOpBuilder &b, Value parts) {
  Value few = arith::ConstantIndexOp::create(b, kFewCuts);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value most = arith::ConstantIndexOp::create(b, kMostRows);
  Value size =
      arith::AddIOp::create(b, arith::DivUIOp::create(b, parts, few), one);
  NameScope name(b, "block");
  return arith::MinUIOp::create(b, size, most);
}

static Value loadBound(PhaseFunctions &function, StringRef name, Value row) {
  return loadCut(function.b, name, function.cutType(), function.args.bounds,
                 row);
}

static Value emitCostOf(PhaseFunctions &function, StringRef name, Value row) {
  return CutCostOp::create(function.b, function.b.getIndexType(),
                           loadBound(function, name, row));
}

/// Emits the searches for the cuts of a block that belong to a stage:
///   stage 0: for row = begin:
///     search from bounds[row - row % within] to bounds[the next multiple]
///   stage 1: for row in begin + 1 .. min(begin + block, parts):
///     search from bounds[row - 1] to bounds[begin + block]
static void cutBlock(PhaseFunctions &function, Value stage, Value begin,
                     Value block, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  Value within = function.args.within;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stage, zero);
  Value first = arith::AddIOp::create(b, begin, stage);
  Value after = arith::AddIOp::create(b, begin, block);
  Value end =
      arith::SelectOp::create(b, isFirst, arith::AddIOp::create(b, first, one),
                              arith::MinUIOp::create(b, after, parts));
  emitFor(b, first, end, [&](Value row) {
    Value inside = arith::RemUIOp::create(b, row, within);
    Value isInterior =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, inside, zero);
    emitIf(b, isInterior, [&] {
      Value from = arith::SubIOp::create(b, row, inside);
      Value to = arith::AddIOp::create(b, from, within);
      Value before = arith::SubIOp::create(b, row, one);
      Value lower = arith::SelectOp::create(b, isFirst, from, before);
      Value nearest = arith::MinUIOp::create(b, to, after);
      Value upper = arith::SelectOp::create(b, isFirst, to, nearest);
      Value base = emitCostOf(function, "from", from);
      Value limit = emitCostOf(function, "to", to);
      searchCut(function, row,
                {inside, within, base, limit, loadBound(function, "lo", lower),
                 [&] { return loadBound(function, "hi", upper); }});
    });
  });
}

/// The cuts with which tiles begin, and that at the end:
///
///   parallel number in ceil(parts / tile):
///     row = number * tile
///     if row is 0: bounds[0] = origin, bounds[parts] = limit
///     else: bounds[row] = cut between origin and limit
static void cutTiles(PhaseFunctions &function, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value size = arith::ConstantIndexOp::create(b, function.tile);
  ParallelOp tiles =
      function.startWorkers(arith::CeilDivUIOp::create(b, parts, size));
  Value row = arith::MulIOp::create(b, tiles.getWorker(), size);
  Value origin = OriginOp::create(b, function.cutType());
  Value limit = emitLimit(function);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, row, zero);
  auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/true);
  b.setInsertionPointToStart(ifFirst.thenBlock());
  StoreCutOp::create(b, origin, function.args.bounds, zero);
  StoreCutOp::create(b, limit, function.args.bounds, parts);
  b.setInsertionPointToStart(ifFirst.elseBlock());
  searchCut(function, row, {row, parts, zero, totalCost(function), origin, [&] {
                              return limit;
                            }});
}

/// The cuts inside of tiles. The searches of a tile read what lies between two
/// cuts.
///
///   parallel row in parts:
///     begin, end = tile of row
///     if row is not begin: bounds[row] = cut between those of begin and end
static void cutInTiles(PhaseFunctions &function, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value row = function.startWorkers(parts).getWorker();
  Type index = b.getIndexType();
  auto tile = TileOp::create(b, index, index, row, parts, function.tile,
                             /*bytes=*/IntegerAttr());
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, row, tile.getBegin());
  emitIf(b, isInside, [&] {
    searchCut(function, row,
              {row, parts, zero, totalCost(function),
               loadBound(function, "lo", tile.getBegin()),
               [&] { return loadBound(function, "hi", tile.getEnd()); }});
  });
}

/// First come the cuts with which blocks of rows begin, then those inside of
/// the blocks, each between the one before it and the next block. So most
/// searches are short, and workers write rows that lie apart from each other.
///
///   for stage in 0 .. (block > 1 ? 2 : 1):
///     parallel number in ceil(parts / block):
///       for row of the stage in block `number`:
///         if row is not a multiple of within:
///           bounds[row] = cut between two known ones
static void cutBlocks(PhaseFunctions &function, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value two = arith::ConstantIndexOp::create(b, 2);
  Value block = emitBlockSize(b, parts);
  Value blocks = arith::CeilDivUIOp::create(b, parts, block);
  emitFor(b, zero, arith::MinUIOp::create(b, block, two), [&](Value stage) {
    ParallelOp workers = function.emitWorkers(blocks);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    Value begin = arith::MulIOp::create(b, workers.getWorker(), block);
    cutBlock(function, stage, begin, block, parts);
  });
}

/// Starts a function that finds cuts. Returns the number of parts.
static Value startCuts(PhaseFunctions &function, StringRef suffix,
                       bool isExported) {
  Parameters parameters = {Parameter::bounds};
  if (isExported)
    parameters.push_back(Parameter::within);
  function.start(suffix, parameters, isExported);
  function.cloneOperands();
  return function.numParts();
}

void nacho::buildPartition(PhaseFunctions &function) {
  Value parts = startCuts(function, "partition", /*isExported=*/true);
  storeEnds(function, parts);
  cutBlocks(function, parts);
  func::ReturnOp::create(function.b);
  if (!function.tile)
    return;
  cutTiles(function, startCuts(function, "tiles", /*isExported=*/false));
  cutInTiles(function, startCuts(function, "cuts", /*isExported=*/false));
}

void nacho::callPartition(PhaseFunctions &function, Value parts) {
  const PhaseArguments &args = function.args;
  Values arguments = function.operands;
  arguments.push_back(args.bounds);
  if (!function.tile) {
    arguments.append({parts, args.threads});
    return function.call("partition", arguments);
  }
  arguments.push_back(args.threads);
  function.call("tiles", arguments);
  function.call("cuts", arguments);
}
