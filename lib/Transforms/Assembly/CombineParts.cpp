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

/// The number of parts that most entries have at most.
static constexpr int64_t kFew = 8;

namespace {
/// Adds up one piece of the partials. What is added to a sum, and in which
/// order, is the same however large the pieces are.
///
/// A loop over parts carries a state: how many elements were reduced to the
/// last row and, if a piece is a single element, its sums. So a thread loads
/// those of several parts at a time. The sums of longer pieces are in memory.
class PartCombiner {
public:
  PartCombiner(PhaseFunctions &function, Interval piece)
      : function(function), layout(function.layout), args(function.args),
        b(function.b), places(function.places()),
        partials(b, layout, args, places), piece(piece),
        isSingle(function.tile > 0) {}

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
      Values open = addTails(second, end, /*isGroups=*/false,
                             stateOf(partials.tail(begin)));
      if (isSingle)
        partials.store(sumsIn(open), partials.tail(lastOf(begin)), piece.from);
      Value isFirst = Number(b, piece.from) == 0;
      emitIf(b, isFirst, [&] {
        partials.setVisited(open.front(), partials.head(lastOf(begin)));
      });
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
      Value first = firstPartOf(part, lower);
      Values open = stateBefore(first);
      // The groups of which all parts are among those.
      Value rest = Number(b, first) + (kGroup - 1);
      Value from = min(multipleBelow(rest), part);
      Value to = max(multipleBelow(part), from);
      open = addTails(first, from, /*isGroups=*/false, open);
      open = addTails(from, to, /*isGroups=*/true, open);
      open = addTails(to, part, /*isGroups=*/false, open);
      Value head = partials.head(part), own = partials.visited(head);
      Values sums;
      if (isSingle)
        sums = addCarried(open, head, own);
      else
        addTail(part, head, own, open.front());
      auto sumsAt = [&](Value n) {
        return isSingle ? sums : partials.load(head, n);
      };
      write(sumsAt, Number(b, open.front()) + own, part, lower);
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
    Values all = addAll(first, second, end, 1, stateOf(first));
    if (isSingle)
      partials.store(sumsIn(all), first, piece.from);
    partials.setVisited(all.front(), first);
  }

  /// Combines all parts if no outer loops separate their entries:
  ///   for part in parts, or groups, but the first, in order:
  ///     tail of the first part += tail of this part
  ///   result = tail of the first part
  ///
  /// Parts are in groups if `areGroups` holds.
  void combineAll(Value parts, Value areGroups) {
    Value first = partials.tail(Number(b, 0));
    Value lastPart = select(Number(b, areGroups), Number(b, 1), parts);
    Values all = addAll(first, Number(b, 1), lastPart, 1, stateOf(first));
    Value lastGroup = select(Number(b, areGroups), parts, kGroup);
    all = addAll(first, Number(b, kGroup), lastGroup, kGroup, all);
    writeAll(first, all);
  }

private:
  /// Returns the first part that begins in the entry in which `part` does, at
  /// `lower`. Cuts are in order: bisects the kFew parts before, if the first of
  /// them begins before the entry, and else those before them.
  Value firstPartOf(Value part, Value lower) {
    auto isBefore = [&](Number other) {
      Value cut = loadCut(b, "cut", function.cutType(), args.bounds, other);
      return emitDiffer(cut, lower);
    };
    Number near = max(Number(b, part), kFew) - kFew;
    Number areFew = isBefore(near);
    Value next = near + 1;
    Value low = select(areFew, next, Number(b, 0));
    return emitBisection(b, low, select(areFew, part, near), isBefore);
  }

  /// The state of a loop that begins with a row.
  Values stateOf(Value row) {
    Values state = {partials.visited(row)};
    if (isSingle)
      llvm::append_range(state, partials.load(row, piece.from));
    return state;
  }
  static ValueRange sumsIn(ValueRange state) { return state.drop_front(); }

  /// The state of a loop that begins with the tail of the part before; that of
  /// an empty row if there is no such part.
  Values stateBefore(Value part) {
    Number isFirst = Number(b, part) == 0;
    Value before = Number(b, part) - 1;
    Value some = select(isFirst, Number(b, 0), before);
    Values state = stateOf(partials.tail(some));
    state.front() = select(isFirst, Number(b, 0), state.front());
    return state;
  }

  /// Returns the sums of what a state has together with a row, to which `own`
  /// elements were reduced.
  Values addCarried(ValueRange state, Value row, Value own) {
    Values alone = partials.load(row, piece.from);
    Values others = partials.choose(isNotZero(own), alone);
    return partials.choose(isNotZero(state.front()),
                           partials.add(sumsIn(state), others), alone);
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
  /// The state is that of the tail of the part before the first. Returns that
  /// of the last tail.
  Values addTails(Value from, Value to, bool isGroups, ValueRange open) {
    Number step(b, isGroups ? kGroup : 1);
    auto loop = scf::ForOp::create(b, from, to, step, open);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value other = loop.getInductionVar();
    ValueRange before = loop.getRegionIterArgs();
    setName(other, "other");
    setName(before.front(), "open");
    Value last = isGroups ? lastOf(other) : other, row = partials.tail(last);
    Value own = partials.visited(isGroups ? partials.head(last) : row);
    Values after;
    if (isSingle)
      after = addCarried(before, row, own);
    else
      addTail(other, row, own, before.front());
    after.insert(after.begin(), Number(b, before.front()) + own);
    scf::YieldOp::create(b, after);
    return Values(loop.getResults());
  }

  /// for part in from .. to:
  ///   row += tail of this part
  ///
  /// Returns the state of the row, which was `state` before.
  Values addAll(Value row, Value from, Value to, int64_t step,
                ValueRange state) {
    auto loop = scf::ForOp::create(b, from, to, Number(b, step), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    setName(loop.getInductionVar(), "part");
    Value other = partials.tail(loop.getInductionVar());
    Value own = partials.visited(other);
    Values after = {Number(b, loop.getRegionIterArg(0)) + own};
    ValueRange sums = sumsIn(loop.getRegionIterArgs());
    if (isSingle)
      llvm::append_range(after, addToCarried(sums, other, own));
    else
      emitIf(b, isNotZero(own), [&] { addRow(other, row, kAlways); });
    scf::YieldOp::create(b, after);
    return Values(loop.getResults());
  }

  /// Returns the sums of a row, if elements were reduced to it, together with
  /// others.
  Values addToCarried(ValueRange sums, Value row, Value own) {
    Values both = partials.add(partials.load(row, piece.from), sums);
    return partials.choose(isNotZero(own), both, sums);
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
    emitFor(b, piece.from, piece.to, [&](Value n) {
      Values more = partials.load(from, n);
      Values sums = partials.choose(any, partials.load(to, n));
      partials.store(partials.add(more, sums), to, n);
    });
  }

  /// Writes a complete entry, to which `count` elements were reduced, to the
  /// result: at the outer coordinates of `cut`, and at the position where
  /// `part` appends the entry.
  void write(llvm::function_ref<Values(Value)> sumsAt, Value count, Value part,
             Value cut) {
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
        storeEntry(partials.choose(any, sumsAt(n)), count,
                   places.location(position, at));
      });
    });
  }

  /// result = row, which is in a state. The row has its sums where the result
  /// has them.
  void writeAll(Value row, ValueRange state) {
    Value size = memref::DimOp::create(b, args.values, Number(b, 0));
    Value end = min(Number(b, piece.to), size);
    emitFor(b, piece.from, end, [&](Value n) {
      Values sums(sumsIn(state));
      if (!isSingle)
        sums = partials.load(row, n);
      Value entry =
          layout.reduction->finish(b, sums, state.front(), function.mapping);
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
  bool isSingle; ///< Whether pieces have one element.
};
} // namespace

/// The numbers of a row's elements that a worker combines: all, or a piece.
static Interval sumsOf(PhaseFunctions &function, Value piece) {
  ImplicitLocOpBuilder &b = function.b;
  if (!function.layout.innerLevels.empty())
    return emitPiece(function, piece, function.places().rowSize());
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
      isRow ? emitPieces(function, function.places().rowSize()) : Number(b, 1);
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
