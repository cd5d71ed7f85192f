//===- CutParts.cpp - The function that cuts a nest into parts ------------===//

#include "Filling.h"
#include "NestAssembler.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

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
///
/// The ends of the arrays are read for this alone: between given cuts, callers
/// may have no more in memory than what lies there.
static void storeEnds(PhaseFunctions &function, Value parts, Value isWhole) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  Number zero(b, 0);
  emitIf(b, isWhole, [&] {
    llvm::SaveAndRestore outside(function.mapping);
    function.cloneOperands();
    function.emitOneWorker([&] {
      Value origin = OriginOp::create(b, function.cutType());
      StoreCutOp::create(b, origin, args.bounds, zero);
      StoreCutOp::create(b, emitLimit(function), args.bounds, parts);
    });
  });
}

namespace {
/// A row of a table of cuts.
struct CutPlace {
  Value table, row;
};

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
/// between two others, and stores it.
static void searchCut(PhaseFunctions &function, const CutPlace &place,
                      const Interior &interior) {
  ImplicitLocOpBuilder &b = function.b;
  // If the interval costs nothing, all of it goes to its last part.
  Value hasCost = Number(b, interior.base) < interior.limit;
  auto ifCost = scf::IfOp::create(b, hasCost, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifCost.elseBlock());
  StoreCutOp::create(b, interior.lower, place.table, place.row);
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
  StoreCutOp::create(b, found, place.table, place.row);
}

/// The most parts for which every cut is searched for between the given ones.
static constexpr int64_t kFewCuts = 1024;
/// A block has at most so many rows: its cuts are close enough to each other
/// for what their searches read to stay in the cache.
static constexpr int64_t kMostRows = 32;

/// The number of rows of a block: min(parts / kFewCuts + 1, kMostRows)
static Value emitBlockSize(ImplicitLocOpBuilder &b, Value parts) {
  Number few(b, kFewCuts);
  Number one(b, 1);
  Number most(b, kMostRows);
  Number size = Number(b, parts) / few + one;
  NameScope name(b, "block");
  return min(size, most);
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
  Number zero(b, 0);
  Number one(b, 1);
  Number isFirst = Number(b, stage) == zero;
  Number first = Number(b, begin) + stage;
  Number after = Number(b, begin) + block;
  Value end = select(isFirst, first + one, min(after, parts));
  emitFor(b, first, end, [&](Value row) {
    Number inside = Number(b, row) % within;
    Value isInterior = inside != zero;
    emitIf(b, isInterior, [&] {
      Number from = Number(b, row) - inside;
      Number to = from + within;
      Value before = Number(b, row) - one;
      Value lower = select(isFirst, from, before);
      Value nearest = min(to, after);
      Value upper = select(isFirst, to, nearest);
      Value base = emitCostOf(function, "from", from);
      Value limit = emitCostOf(function, "to", to);
      searchCut(function, {function.args.bounds, row},
                {inside, within, base, limit, loadBound(function, "lo", lower),
                 [&] { return loadBound(function, "hi", upper); }});
    });
  });
}

/// Finds a cut with which a tile begins or ends:
///   row is 0: the origin; row is parts: the limit; else: a cut between them
static void cutTile(PhaseFunctions &function, Value row, Value parts,
                    const CutPlace &place) {
  ImplicitLocOpBuilder &b = function.b;
  OpBuilder::InsertionGuard guard(b);
  Number zero(b, 0);
  Value origin = OriginOp::create(b, function.cutType());
  Value limit = emitLimit(function);
  auto storeIf = [&](Value condition, Value cut) {
    auto either = scf::IfOp::create(b, condition, /*withElse=*/true);
    b.setInsertionPointToStart(either.thenBlock());
    StoreCutOp::create(b, cut, place.table, place.row);
    b.setInsertionPointToStart(either.elseBlock());
  };
  storeIf(Number(b, row) == zero, origin);
  storeIf(Number(b, row) == parts, limit);
  searchCut(
      function, place,
      {row, parts, zero, totalCost(function), origin, [&] { return limit; }});
}

/// Finds the cuts with which the tile of a part begins and ends. The first two
/// parts take one each, at the same time; one that is alone takes both:
///
///   for side in part - begin .. 2 step end - begin:
///     row = side is 0 ? begin : end
///     cuts[row - begin] = cut of row
static void cutEndsOfTile(PhaseFunctions &function, TileOp tile, Value cuts) {
  ImplicitLocOpBuilder &b = function.b;
  Number begin(b, tile.getBegin());
  Value first = Number(b, tile.getPart()) - begin;
  Value step = Number(b, tile.getEnd()) - begin;
  auto sides = scf::ForOp::create(b, first, Number(b, 2), step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(sides.getBody());
  Number isFirst = Number(b, sides.getInductionVar()) == 0;
  Number row(b, select(isFirst, begin, tile.getEnd()));
  cutTile(function, row, tile.getParts(), {cuts, row - begin});
}

/// The most places of positions that a part checks beside its cut.
static constexpr int64_t kMostPlaces = 128;

/// Returns whether there are too few parts to check positions beside cuts.
static Value emitAreFew(ImplicitLocOpBuilder &b, Value parts, Value places) {
  Number most(b, kMostPlaces);
  return Number(b, parts) * most < places;
}

/// for place in part .. places step parts: check positions there
///
/// If there are few parts, others have done it.
static void checkBesideCuts(PhaseFunctions &function, PositionChecks &checks,
                            Value part, Value parts, Value places) {
  ImplicitLocOpBuilder &b = function.b;
  Number areFew(b, emitAreFew(b, parts, places));
  Value until = select(areFew, Number(b, 0), places);
  auto loop = scf::ForOp::create(b, part, until, parts);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  checks.emit(loop.getInductionVar());
}

/// All cuts, and what else there is to do before parts are known. A tile finds
/// the cuts with which it begins and ends for itself, so that those inside of
/// it read what lies between these.
///
///   parallel part in parts:
///     begin, end = tile of part
///     cuts[0], cuts[end - begin] = the cuts of begin and end
///     check positions; the first part stores sizes without counts
///     sync
///     if part is not begin: cuts[part - begin] = cut between these two
///     if counts are guarded: sync; check costs
static void cutTiles(PhaseFunctions &function, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  std::optional<PositionChecks> checks;
  if (function.isOnDevice)
    checks.emplace(function);
  Value places;
  if (checks && !checks->isEmpty())
    places = checks->numWorkers();
  Value part = function.startWorkers(parts).getWorker();
  Type index = b.getIndexType();
  auto tile = TileOp::create(b, index, index, part, parts, function.tile,
                             /*bytes=*/IntegerAttr());
  auto type = cast<MemRefType>(function.args.bounds.getType());
  Value cuts = TileCutsOp::create(
      b, MemRefType::get({function.tile + 1, type.getDimSize(1)}, index),
      function.args.bounds);
  cutEndsOfTile(function, tile, cuts);
  if (places)
    checkBesideCuts(function, *checks, part, parts, places);
  if (!function.layout.hasCounts())
    storeSizesOnce(function, part);
  TileSyncOp::create(b);
  Number zero(b, 0), begin(b, tile.getBegin());
  auto load = [&](StringRef name, Value row) {
    return loadCut(b, name, function.cutType(), cuts, row);
  };
  Value lower = load("lo", zero);
  Value upper = load("hi", Number(b, tile.getEnd()) - begin);
  Value isInside = Number(b, part) != begin;
  emitIf(b, isInside, [&] {
    searchCut(
        function, {cuts, Number(b, part) - begin},
        {part, parts, zero, totalCost(function), lower, [&] { return upper; }});
  });
  if (!guardsCounts(function))
    return;
  TileSyncOp::create(b);
  checkCosts(function, tile, cuts, totalCost(function));
}

/// Where parts are few, more workers check positions before:
///
///   if parts * kMostPlaces < places:
///     parallel place in places: check positions
static void checkBeforeCuts(PhaseFunctions &function, Value parts) {
  if (!function.isOnDevice)
    return;
  PositionChecks checks(function);
  if (checks.isEmpty())
    return;
  ImplicitLocOpBuilder &b = function.b;
  Value places = checks.numWorkers();
  emitIf(b, emitAreFew(b, parts, places), [&] {
    Value place = function.emitWorkers(places).getWorker();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(place.getParentBlock());
    checks.emit(place);
  });
}

/// Finds the cuts with which blocks begin, and the last one, if all cuts are
/// searched for, in a launch less than by storeEnds() and cutBlock():
///
///   if within == parts:
///     parallel number in ceil(parts / block) + 1:
///       row = min(number * block, parts)
///       bounds[row] = cut of row
static void cutWhole(PhaseFunctions &function, Value parts, Value isWhole) {
  ImplicitLocOpBuilder &b = function.b;
  emitIf(b, isWhole, [&] {
    llvm::SaveAndRestore outside(function.mapping);
    function.cloneOperands();
    Value block = emitBlockSize(b, parts);
    ParallelOp workers =
        function.emitWorkers(ceilDiv(Number(b, parts), block) + 1);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    Value row = min(Number(b, workers.getWorker()) * block, parts);
    cutTile(function, row, parts, {function.args.bounds, row});
  });
}

/// First come the cuts with which blocks of rows begin, then those inside of
/// the blocks, each between the one before it and the next block. So most
/// searches are short, and workers write rows that lie apart from each other.
///
///   for stage in first .. (block > 1 ? 2 : 1):
///     parallel number in ceil(parts / block):
///       for row of the stage in block `number`:
///         if row is not a multiple of within:
///           bounds[row] = cut between two known ones
static void cutBlocks(PhaseFunctions &function, Value parts, Value first) {
  ImplicitLocOpBuilder &b = function.b;
  Number two(b, 2);
  Value block = emitBlockSize(b, parts);
  Value blocks = ceilDiv(Number(b, parts), block);
  emitFor(b, first, min(Number(b, block), two), [&](Value stage) {
    ParallelOp workers = function.emitWorkers(blocks);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    Value begin = Number(b, workers.getWorker()) * block;
    cutBlock(function, stage, begin, block, parts);
  });
}

/// Starts a function that finds cuts. Returns the number of parts.
static Value startCuts(PhaseFunctions &function, StringRef suffix,
                       bool isExported, const Parameters &more) {
  Parameters parameters = {Parameter::bounds};
  llvm::append_range(parameters, more);
  function.start(suffix, parameters, isExported);
  function.cloneOperands();
  return function.numParts();
}

void nacho::buildPartition(PhaseFunctions &function) {
  Value parts = startCuts(function, "partition", /*isExported=*/true,
                          {Parameter::within});
  ImplicitLocOpBuilder &b = function.b;
  Number isWhole = Number(b, function.args.within) == parts;
  Number zero(b, 0);
  if (function.tile) {
    cutWhole(function, parts, isWhole);
    cutBlocks(function, parts, select(isWhole, Number(b, 1), zero));
  } else {
    storeEnds(function, parts, isWhole);
    cutBlocks(function, parts, zero);
  }
  func::ReturnOp::create(function.b);
  if (!function.tile)
    return;
  Parameters planned;
  if (!function.layout.hasCounts())
    planned.push_back(Parameter::sizes);
  if (guardsCounts(function))
    planned.append({Parameter::excess, Parameter::earlier});
  if (function.isOnDevice)
    planned.push_back(Parameter::status);
  cutTiles(function,
           startCuts(function, "cuts", /*isExported=*/false, planned));
}

void nacho::callPartition(PhaseFunctions &function, Value parts) {
  const PhaseArguments &args = function.args;
  Values arguments = function.operands;
  arguments.push_back(args.bounds);
  if (!function.tile) {
    arguments.append({parts, args.threads});
    return function.call("partition", arguments);
  }
  checkBeforeCuts(function, parts);
  if (!function.layout.hasCounts())
    arguments.push_back(args.sizes);
  if (guardsCounts(function))
    arguments.append({args.excess, args.earlier});
  if (function.isOnDevice)
    arguments.push_back(args.status);
  arguments.push_back(args.threads);
  function.call("cuts", arguments);
}
