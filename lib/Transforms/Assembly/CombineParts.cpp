//===- CombineParts.cpp - Adds up partial sums ----------------------------===//
//
// The function combine. After the parts have run, it adds up the partials of
// entries to which several parts contribute: first those of kGroup parts in a
// row, wherever all of these contribute to the same entry, then those of groups
// and of other parts. So no worker adds up very many. Rows are combined in
// pieces of equal size, so that workers share this evenly, too.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"
#include "PartialEntries.h"
#include "Pieces.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/WhileLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The number of parts of a group. The order in which parts are added up
/// depends on it, and so do the results, on every machine.
static constexpr int64_t kGroup = 256;

namespace {
/// Adds up one piece of the partials. What is added to a sum, and in which
/// order, is the same however large the pieces are.
class PartCombiner {
public:
  PartCombiner(PhaseFunctions &function, Interval piece)
      : function(function), layout(function.layout), args(function.args),
        b(function.b), places(function.places()),
        partials(b, layout, args, places), piece(piece) {}

  /// Combines the parts of a group that lie in one entry of outer loops:
  ///   for part in the group but the first, in order:
  ///     tail of this part += tail of the part before
  ///
  /// The head of the last part, which has none, tells how many were reduced.
  void combineGroup(Value group) {
    Number begin = Number(b, group) * kGroup, end = after(begin);
    Type cut = function.cutType();
    Value lower = loadCut(b, "lo", cut, args.bounds, begin);
    Value upper = loadCut(b, "hi", cut, args.bounds, end);
    Value isOne = !emitDiffer(lower, upper);
    emitIf(b, isOne, [&] {
      Value second = begin + 1;
      Value open = partials.visited(partials.tail(begin));
      open = addTails(second, end, /*isGroups=*/false, open);
      Value isFirst = Number(b, piece.from) == 0;
      emitIf(b, isFirst,
             [&] { partials.setVisited(open, partials.head(lastOf(begin))); });
    });
  }

  /// Combines one part that completes the entry of outer loops in which it
  /// begins with the parts that have begun the entry:
  ///   for other in those parts, or in whole groups of them, in order, so that
  ///   sums are added up in order:
  ///     tail of the other += tail of the part before
  ///   head of the part += tail of the part before
  ///   result[entry] = head of the part
  void combine(Value part) {
    Type cut = function.cutType();
    Value lower = loadCut(b, "lo", cut, args.bounds, part);
    Value next = Number(b, part) + 1;
    Value upper = loadCut(b, "hi", cut, args.bounds, next);
    emitIf(b, emitDiffer(lower, upper), [&] {
      Value first = firstPartOf(part, lower), open = openBefore(first);
      // The groups of which all parts are among those.
      Value rest = Number(b, first) + (kGroup - 1);
      Value from = min(multipleBelow(rest), part);
      Value to = max(multipleBelow(part), from);
      open = addTails(first, from, /*isGroups=*/false, open);
      open = addTails(from, to, /*isGroups=*/true, open);
      open = addTails(to, part, /*isGroups=*/false, open);
      Value head = partials.head(part), own = partials.visited(head);
      addTail(part, head, own, open);
      write(head, Number(b, open) + own, part, lower);
    });
  }

  /// Combines the parts of a group if no outer loops separate their entries:
  ///   for part in the group but the first, in order:
  ///     tail of the first part += tail of this part
  void combineGroupOfAll(Value group, Value parts) {
    Number begin = Number(b, group) * kGroup;
    Value end = min(after(begin), parts);
    Value second = begin + 1;
    Value first = partials.tail(begin);
    Value count = partials.visited(first);
    partials.setVisited(addAll(first, second, end, 1, count), first);
  }

  /// Combines all parts if no outer loops separate their entries:
  ///   for part in parts, or groups, but the first, in order:
  ///     tail of the first part += tail of this part
  ///   result = tail of the first part
  ///
  /// Parts are in groups if `areGroups` holds.
  void combineAll(Value parts, Value areGroups) {
    Value first = partials.tail(Number(b, 0)), count = partials.visited(first);
    Value lastPart = select(Number(b, areGroups), Number(b, 1), parts);
    count = addAll(first, Number(b, 1), lastPart, 1, count);
    Value lastGroup = select(Number(b, areGroups), parts, kGroup);
    count = addAll(first, Number(b, kGroup), lastGroup, kGroup, count);
    writeAll(first, count);
  }

private:
  /// The first part that begins in the entry in which `part` does, at `lower`.
  /// Cuts are in order.
  Value firstPartOf(Value part, Value lower) {
    return emitBisection(b, Number(b, 0), part, [&](Number before) {
      Value cut = loadCut(b, "cut", function.cutType(), args.bounds, before);
      return emitDiffer(cut, lower);
    });
  }

  /// The number of elements that were reduced to the tail of the part before; 0
  /// if there is no such part.
  Value openBefore(Value part) {
    Number isFirst = Number(b, part) == 0;
    Value before = Number(b, part) - 1;
    Value some = select(isFirst, Number(b, 0), before);
    return select(isFirst, Number(b, 0), partials.visited(partials.tail(some)));
  }

  /// row += tail of the part before `part`, to which `open` elements were
  /// reduced, and to the row `own`.
  void addTail(Value part, Value row, Value own, Value open) {
    // The tail of the part before is the row before the head.
    emitIf(b, isNotZero(open), [&] {
      Value tail = Number(b, partials.head(part)) - 1;
      addRow(tail, row, isNotZero(own));
    });
  }

  /// for other in from .. to, parts, or groups that begin there:
  ///   the last tail of the other += tail of the part before
  ///
  /// `open` elements were reduced to the tail of the part before the first.
  /// Returns how many are reduced to the last one.
  Value addTails(Value from, Value to, bool isGroups, Value open) {
    Number step(b, isGroups ? kGroup : 1);
    auto loop = scf::ForOp::create(b, from, to, step, open);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value other = loop.getInductionVar(), before = loop.getRegionIterArg(0);
    setName(other, "other");
    setName(before, "open");
    Value last = isGroups ? lastOf(other) : other, row = partials.tail(last);
    Value own = partials.visited(isGroups ? partials.head(last) : row);
    addTail(other, row, own, before);
    scf::YieldOp::create(b, Number(b, before) + own);
    return loop.getResult(0);
  }

  /// for part in from .. to:
  ///   row += tail of this part
  ///
  /// Returns how many elements are reduced to the row, to which `count` were.
  Value addAll(Value row, Value from, Value to, int64_t step, Value count) {
    auto loop = scf::ForOp::create(b, from, to, Number(b, step), count);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    setName(loop.getInductionVar(), "part");
    Value other = partials.tail(loop.getInductionVar());
    Value own = partials.visited(other);
    emitIf(b, isNotZero(own), [&] { addRow(other, row, kAlways); });
    scf::YieldOp::create(b, Number(b, loop.getRegionIterArg(0)) + own);
    return loop.getResult(0);
  }

  /// The first part of the next group.
  Number after(Value begin) { return Number(b, begin) + kGroup; }
  Number lastOf(Value begin) { return after(begin) - 1; }
  Number multipleBelow(Value part) { return Number(b, part) / kGroup * kGroup; }
  Number isNotZero(Value number) { return Number(b, number) != 0; }

  /// Whether two cuts differ in a coordinate of the outer loops. If so, the
  /// part between them completes the entry in which it begins.
  Number emitDiffer(Value lower, Value upper) {
    Type index = b.getIndexType();
    Number any = Number::flag(b, false);
    for (unsigned m = 0; m < layout.numOuter; ++m) {
      Number from(b, CutCoordinateOp::create(b, index, lower, m));
      Value to = CutCoordinateOp::create(b, index, upper, m);
      any = any | (from != to);
    }
    return any;
  }

  /// to[n] = from[n] + to[n], for n in the piece. Unless `any` holds, nothing
  /// has been reduced to the row `to` so far.
  void addRow(Value from, Value to, Condition any) {
    MonoidAttr monoid = layout.reduction->getMonoid();
    emitFor(b, piece.from, piece.to, [&](Value n) {
      Values sums;
      for (auto [x, y] : llvm::zip(partials.load(from, n), load(to, n, any)))
        sums.push_back(monoid.emit(b, x, y));
      partials.store(sums, to, n);
    });
  }

  /// The sums in a row, or the identities of the reduction unless `any` holds.
  Values load(Value row, Value number, Condition any) {
    Values sums = partials.load(row, number);
    if (any.isAlways())
      return sums;
    Values nothing = layout.reduction->identities(b);
    for (auto [sum, identity] : llvm::zip(sums, nothing))
      sum = emitSelect(b, any, sum, identity);
    return sums;
  }

  /// Writes a complete entry, to which `count` elements were reduced, to the
  /// result: at the outer coordinates of `cut`, and at the position where
  /// `part` appends the entry.
  void write(Value row, Value count, Value part, Value cut) {
    Values coordinates(layout.type.getRank());
    Condition isEntry = kAlways, any = isNotZero(count);
    for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
      unsigned m = llvm::find(layout.loops, loop) - layout.loops.begin();
      if (m >= layout.numOuter)
        continue;
      coordinates[level] = CutCoordinateOp::create(b, b.getIndexType(), cut, m);
      Value inside = Number(b, coordinates[level]) < places.extent(level);
      isEntry = emitBoth(b, isEntry, inside);
    }
    std::optional<Value> position;
    if (layout.hasCounts()) {
      isEntry = any;
      position = layout.positionsOf(b, layout.numStructural - 1,
                                    function.loadRow(args.offsets, part));
    }
    emitIf(b, isEntry, [&] {
      emitFor(b, piece.from, piece.to, [&](Value n) {
        Values at = places.atNumber(n, coordinates);
        storeEntry(load(row, n, any), count, places.location(position, at));
      });
    });
  }

  /// result = row, to which `count` elements were reduced. The row has its sums
  /// where the result has them.
  void writeAll(Value row, Value count) {
    Value size = memref::DimOp::create(b, args.values, Number(b, 0));
    Value end = min(Number(b, piece.to), size);
    emitFor(b, piece.from, end, [&](Value n) {
      Value entry = layout.reduction->finish(b, partials.load(row, n), count,
                                             function.mapping);
      memref::StoreOp::create(b, entry, args.values, n);
    });
  }

  /// values[at] = the entry, if that is inside of the array.
  void storeEntry(ValueRange sums, Value count, Value at) {
    Value size = memref::DimOp::create(b, args.values, Number(b, 0));
    Value fits = Number(b, at) < size;
    emitIf(b, fits, [&] {
      Value entry = layout.reduction->finish(b, sums, count, function.mapping);
      memref::StoreOp::create(b, entry, args.values, at);
    });
  }

  PhaseFunctions &function;
  const ResultLayout &layout;
  const PhaseArguments &args;
  ImplicitLocOpBuilder &b;
  ResultPlaces places;
  PartialEntries partials;
  Interval piece;
};
} // namespace

/// The numbers of a row's elements that a worker combines: all, or a piece.
static Interval sumsOf(PhaseFunctions &function, Value piece) {
  ImplicitLocOpBuilder &b = function.b;
  if (!function.layout.innerLevels.empty())
    return emitPiece(b, piece, function.places().rowSize());
  return {Number(b, 0), Number(b, 1)};
}

/// if there are groups:
///   parallel piece of a row of partials, for each group:
///     combineGroup(piece)
static void emitGroups(PhaseFunctions &function, Value pieces, Value areSome,
                       bool isOfAll) {
  ImplicitLocOpBuilder &b = function.b;
  emitIf(b, areSome, [&] {
    Number parts(b, function.numParts());
    Number groups = isOfAll ? ceilDiv(parts, kGroup) : parts / kGroup;
    Value all = groups * pieces;
    ParallelOp workers = function.emitWorkers(all);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    Number worker(b, workers.getWorker());
    setName(worker, "worker");
    Value piece = worker % pieces;
    Value group = worker / pieces;
    PartCombiner combiner(function, sumsOf(function, piece));
    if (isOfAll)
      combiner.combineGroupOfAll(group, parts);
    else
      combiner.combineGroup(group);
  });
}

/// parallel piece of a row of partials, for each part if there are outer loops:
///   combine(piece)
void nacho::buildCombine(PhaseFunctions &function,
                         const Parameters &parameters) {
  function.start("combine", parameters,
                 /*isExported=*/runsOneByOne(function.layout));
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  Number parts(b, function.numParts());
  bool isRow = !function.layout.innerLevels.empty();
  bool isOfAll = function.layout.numOuter == 0;
  Value pieces =
      isRow ? emitPieces(b, function.places().rowSize()) : Number(b, 1);
  // There are few rows of the result's size.
  Number areGroups = Number::flag(b, false);
  if (!(isOfAll && isRow)) {
    areGroups = parts > kGroup;
    emitGroups(function, pieces, areGroups, isOfAll);
  }
  Value all = isOfAll ? pieces : parts * pieces;
  Number worker(b, startPieces(function, all));
  if (!isOfAll)
    setName(worker, "worker");
  Value piece = isOfAll ? worker : worker % pieces;
  PartCombiner combiner(function, sumsOf(function, piece));
  if (isOfAll)
    combiner.combineAll(parts, areGroups);
  else
    combiner.combine(worker / pieces);
}
