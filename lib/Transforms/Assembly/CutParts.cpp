//===- CutParts.cpp - The function that cuts a nest into parts ------------===//

#include "NestAssembler.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// if within == parts: bounds[0] = origin, bounds[parts] = limit
static void storeEnds(PhaseFunctions &function, Value parts, ValueRange roots) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  PartitionOp partition = function.partition;
  Type cut = function.cutType();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, args.within, parts);
  emitIf(b, isWhole, [&] {
    function.emitOneWorker([&] {
      Value origin = OriginOp::create(b, cut), extent;
      if (partition.getExtent())
        extent = function.mapping.lookup(partition.getExtent());
      Value total = function.mapping.lookup(partition.getTotal());
      Value limit =
          LimitOp::create(b, cut, total, extent, roots, partition.getLoops());
      StoreCutOp::create(b, origin, args.bounds, zero);
      StoreCutOp::create(b, limit, args.bounds, parts);
    });
  });
}

namespace {
/// The cuts that one search needs: `inside` of `within` parts of equal cost,
/// into which the interval between the cuts in rows `from` and `to` is divided,
/// lie before the cut that is searched for. It is known to lie between the cuts
/// in rows `lower` and `upper`.
struct Interior {
  Value inside, from, to, lower, upper;
};
} // namespace

/// Finds the cut for the query
///   cost(from) + inside * (cost(to) - cost(from)) / within
/// between `lower` and `upper`, and stores it in a row of `bounds`.
static void searchCut(PhaseFunctions &function, Value row,
                      const Interior &interior) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  Type index = b.getIndexType(), cut = function.cutType();
  auto load = [&](StringRef name, Value at) {
    return loadCut(b, name, cut, args.bounds, at);
  };
  Value base = CutCostOp::create(b, index, load("from", interior.from));
  Value limit = CutCostOp::create(b, index, load("to", interior.to));
  Value lower = load("lo", interior.lower);
  // If the interval costs nothing, all of it goes to its last part.
  Value hasCost =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, base, limit);
  auto ifCost = scf::IfOp::create(b, hasCost, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifCost.elseBlock());
  StoreCutOp::create(b, lower, args.bounds, row);
  b.setInsertionPointToStart(ifCost.thenBlock());
  Value upper = load("hi", interior.upper), query;
  {
    NameScope name(b, "query");
    query =
        QueryOp::create(b, index, interior.inside, args.within, base, limit);
  }
  Block *search = function.partition.getBodyBlock();
  // The search may be copied again, with other arguments of its regions.
  IRMapping mapping = function.mapping;
  mapping.map(search->getArgument(0), query);
  mapping.map(search->getArgument(1), lower);
  mapping.map(search->getArgument(2), upper);
  for (Operation &op : search->without_terminator())
    b.clone(op, mapping);
  Value found = mapping.lookup(search->getTerminator()->getOperand(0));
  StoreCutOp::create(b, found, args.bounds, row);
}

/// With up to so many parts, every cut is searched for between the given ones.
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
      searchCut(function, row, {inside, from, to, lower, upper});
    });
  });
}

/// Emits the search for the cut in `row` that lies inside of a tile.
static void cutInTile(PhaseFunctions &function, Value row, TileOp tile) {
  ImplicitLocOpBuilder &b = function.b;
  Value within = function.args.within;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value inside = arith::RemUIOp::create(b, row, within);
  Value isInterior =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, inside, zero);
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, row, tile.getBegin());
  emitIf(b, arith::AndIOp::create(b, isInterior, isInside), [&] {
    Value from = arith::SubIOp::create(b, row, inside);
    Value to = arith::AddIOp::create(b, from, within);
    Value lower = arith::MaxUIOp::create(b, from, tile.getBegin());
    Value upper = arith::MinUIOp::create(b, to, tile.getEnd());
    searchCut(function, row, {inside, from, to, lower, upper});
  });
}

/// First come the cuts with which tiles begin, then those inside of them. The
/// searches of a tile read what lies between two cuts.
///
///   parallel number in ceil(parts / tile):
///     row = number * tile
///     if row is not a multiple of within: bounds[row] = cut
///   parallel row in parts:
///     begin, end = tile of row
///     if row is not a multiple of within, and not begin:
///       bounds[row] = cut between those of begin and end, or closer ones
static void cutTiles(PhaseFunctions &function, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  Value size = arith::ConstantIndexOp::create(b, function.tile);
  Value first = arith::ConstantIndexOp::create(b, 0);
  {
    ParallelOp tiles =
        function.emitWorkers(arith::CeilDivUIOp::create(b, parts, size));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tiles.getBodyBlock());
    Value begin = arith::MulIOp::create(b, tiles.getWorker(), size);
    cutBlock(function, first, begin, size, parts);
  }
  ParallelOp rows = function.emitWorkers(parts);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rows.getBodyBlock());
  Type index = b.getIndexType();
  auto tile =
      TileOp::create(b, index, index, rows.getWorker(), parts, function.tile);
  cutInTile(function, rows.getWorker(), tile);
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

void nacho::buildPartition(PhaseFunctions &function) {
  function.start("partition", {Parameter::bounds, Parameter::within},
                 /*isExported=*/true);
  function.cloneOperands();
  Values roots;
  for (Value root : function.partition.getRoots())
    roots.push_back(function.mapping.lookup(root));
  Value parts = function.numParts();
  storeEnds(function, parts, roots);
  if (function.tile)
    cutTiles(function, parts);
  else
    cutBlocks(function, parts);
  func::ReturnOp::create(function.b);
}
