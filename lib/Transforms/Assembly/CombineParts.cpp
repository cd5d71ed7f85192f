//===- CombineParts.cpp - Adds up partial sums ----------------------------===//
//
// The function combine. After the parts have run, it adds up the partials of
// entries to which several parts contribute, as a tree: first those of kGroup
// neighbouring parts, wherever all of these contribute to the same entry, then
// those of kGroup neighbouring groups, and so on, and at last those of groups
// and parts that are in no larger group. So no worker adds up very many, and
// the order depends on cuts only. Rows are combined in pieces of equal size, so
// that workers share this evenly, too.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"
#include "PartGroups.h"
#include "PartialEntries.h"
#include "Pieces.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

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

  /// Combines the groups of 2^bits parts in a larger group if this lies in one
  /// entry of outer loops:
  ///   for other in these groups but the first, in order:
  ///     sums of the other += sums of the group before
  void combineGroup(Value group, Value bits) {
    Number first = Number(b, group) * kGroup, end = first + kGroup;
    Type cut = function.cutType();
    Value begin = first << bits;
    Value lower = loadCut(b, "lo", cut, args.bounds, begin);
    Value next = end << bits;
    Value upper = loadCut(b, "hi", cut, args.bounds, next);
    Value isOne = !emitDiffer(lower, upper);
    emitIf(b, isOne, [&] {
      Value row = partials.rowOf(first, bits);
      Values open =
          stateOf(row, partials.visited(partials.countedAt(first, bits)));
      Value second = first + 1;
      open = addGroups(second, end, bits, open);
      Value last = end - 1;
      if (isSingle)
        partials.store(sumsIn(open), partials.rowOf(last, bits), piece.from);
      Value isFirst = Number(b, piece.from) == 0;
      emitIf(b, isFirst, [&] {
        Value larger = Number(b, bits) + kGroupBits;
        partials.setVisited(open.front(), partials.countedAt(group, larger));
      });
    });
  }

  /// Combines one part that completes the entry of outer loops in which it
  /// begins with the parts that have begun the entry:
  ///   for group in the largest groups of those parts, in order:
  ///     sums of the group += sums of the group before
  ///   head of the part += sums of the group before
  ///   result[entry] = head of the part
  ///
  /// The largest groups that there are have 2^most parts.
  void combine(Value part, Value most) {
    Type cut = function.cutType();
    Value lower = loadCut(b, "lo", cut, args.bounds, part);
    Value next = Number(b, part) + 1;
    Value upper = loadCut(b, "hi", cut, args.bounds, next);
    Value completes = emitDiffer(lower, upper);
    Value first = firstPartOf(part, lower, completes);
    emitIf(b, completes, [&] {
      auto add = [&](Value from, Value to, Value bits, ValueRange open) {
        return addGroups(from, to, bits, open);
      };
      Values open =
          emitLargestGroups(b, first, part, most, stateBefore(first), add);
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

  /// Combines the groups of 2^bits parts in a larger group if no outer loops
  /// separate their entries:
  ///   for other in these groups but the first, in order:
  ///     tail of the first part += tail of the first part of the other
  void combineGroupOfAll(Value group, Value parts, Value bits) {
    Number first = Number(b, group) * kGroup;
    Value groups = emitNumGroups(b, parts, bits);
    Value end = min(first + kGroup, groups);
    Value row = partials.tail(first << bits), second = first + 1;
    Values all = addAll(row, second, end, bits);
    if (isSingle)
      partials.store(sumsIn(all), row, piece.from);
    partials.setVisited(all.front(), row);
  }

  /// Combines all parts, in groups of 2^most, if no outer loops separate their
  /// entries:
  ///   for other in the groups but the first, in order:
  ///     tail of the first part += tail of the first part of the other
  ///   result = tail of the first part
  void combineAll(Value parts, Value most) {
    Value row = partials.tail(Number(b, 0));
    Value end = emitNumGroups(b, parts, most);
    writeAll(row, addAll(row, Number(b, 1), end, most));
  }

private:
  /// Returns the first part that begins in the entry in which `part` does, at
  /// `lower`, if it completes that.
  Value firstPartOf(Value part, Value lower, Value completes) {
    return emitFirstPart(b, part, completes, [&](Number other) {
      Value cut = loadCut(b, "cut", function.cutType(), args.bounds, other);
      return emitDiffer(cut, lower);
    });
  }

  /// The state of a loop that begins with a row, to which `count` elements were
  /// reduced.
  Values stateOf(Value row, Value count) {
    Values state = {count};
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
    Value row = partials.tail(some);
    Number count(b, partials.visited(row));
    return stateOf(row, select(isFirst, Number(b, 0), count));
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

  /// for group in from .. to, groups of 2^bits parts:
  ///   sums of the group += sums of the group before
  ///
  /// The state is that of the group before the first. Returns that of the last.
  Values addGroups(Value from, Value to, Value bits, ValueRange open) {
    auto loop = scf::ForOp::create(b, from, to, Number(b, 1), open);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value group = loop.getInductionVar();
    ValueRange before = loop.getRegionIterArgs();
    setName(group, "group");
    setName(before.front(), "open");
    Value row = partials.rowOf(group, bits);
    Value own = partials.visited(partials.countedAt(group, bits));
    Values after;
    if (isSingle)
      after = addCarried(before, row, own);
    else
      addTail(Number(b, group) << bits, row, own, before.front());
    after.insert(after.begin(), Number(b, before.front()) + own);
    scf::YieldOp::create(b, after);
    return Values(loop.getResults());
  }

  /// for group in from .. to, groups of 2^bits parts:
  ///   row += tail of the first part of the group
  ///
  /// Returns the state of the row.
  Values addAll(Value row, Value from, Value to, Value bits) {
    Values state = stateOf(row, partials.visited(row));
    auto loop = scf::ForOp::create(b, from, to, Number(b, 1), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    setName(loop.getInductionVar(), "group");
    Value other = partials.tail(Number(b, loop.getInductionVar()) << bits);
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

/// for groups of parts that are not among the largest, smaller ones first:
///   parallel piece of a row of partials, for each group: combineGroup(piece)
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
  auto combinerOf = [&](Value piece) {
    return PartCombiner(function, sumsOf(function, piece));
  };
  auto combineAll = [&](Number piece, Value most) {
    setName(piece, "piece");
    combinerOf(piece).combineAll(parts, most);
  };
  // There are few rows of the result's size.
  if (isOfAll && isRow)
    return combineAll(Number(b, startPieces(function, pieces)), Number(b, 0));
  Value most = emitMostBits(b, parts);
  // That there are no more sums, and no more groups than parts, tells a device
  // how large the numbers of workers are. A remainder takes another division.
  bool isBounded = function.isOnDevice && isRow;
  Number sums(b, isBounded ? emitNumSums(function) : parts);
  auto bounded = [&](Number workers) {
    return isBounded ? min(workers, sums) : workers;
  };
  auto count = [&](Number bits) {
    Number groups = isOfAll ? emitNumGroups(b, parts, bits) : parts >> bits;
    return bounded(groups * pieces);
  };
  auto split = [&](Number worker) {
    Number number = worker / pieces;
    if (function.isOnDevice)
      number = min(number, parts);
    Value before = bounded(number * pieces);
    return std::pair<Value, Value>(number, worker - before);
  };
  auto combine = [&](Number worker, Value bits) {
    auto [group, piece] = split(worker);
    PartCombiner combiner = combinerOf(piece);
    if (isOfAll)
      combiner.combineGroupOfAll(group, parts, bits);
    else
      combiner.combineGroup(group, bits);
  };
  auto combineRest = [&](Number worker) {
    if (isOfAll)
      return combineAll(worker, most);
    auto [part, piece] = split(worker);
    combinerOf(piece).combine(part, most);
  };
  Value rest = isOfAll ? pieces : bounded(parts * pieces);
  emitByGroups(function, most, {count, combine, combineRest, rest});
}
