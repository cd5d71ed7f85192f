//===- Bisection.cpp - The loop of a search -------------------------------===//
//
//   while low < high:
//     mid = a coordinate in (low, high]
//     pos = lower bound of mid in [lows, highs], for each operand
//     if cost(mid, pos) <= query: low, lows = mid, pos
//     else:                       high, highs = mid - 1, pos
//
// In general, mid is in the middle of the coordinates. If the cost only depends
// on positions, mid is in the middle of the positions of one operand: then the
// number of steps follows from the number of entries, whatever the extent. If
// there is no other operand, the positions alone are halved.
//
//===----------------------------------------------------------------------===//

#include "Bisection.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/WhileLoop.h"
#include "nacho/Levels/Keys.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nacho;

/// Whether the cost is the same at all coordinates but 0 at which the operands
/// have the same positions.
static bool dependsOnPositions(SearchOp op, ArrayRef<ChildRange> all) {
  auto isFull = [](const ChildRange &range) { return range.level->isFull(); };
  auto comparesWithZero = [](Operation *user) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    return compare && isConstantIntValue(compare.getRhs(), 0);
  };
  return !all.empty() && llvm::none_of(all, isFull) &&
         llvm::all_of(op.getBodyBlock()->getArgument(0).getUsers(),
                      comparesWithZero);
}

/// Only where coordinates are unique does the middle of the positions of one of
/// several operands divide them.
static bool isUnique(const ChildRange &range) {
  return range.level->isUnique();
}

//===----------------------------------------------------------------------===//
// Several operands
//===----------------------------------------------------------------------===//

namespace {

/// Emits one step.
class Bisection {
public:
  Bisection(ImplicitLocOpBuilder &b, SearchOp op, ArrayRef<ChildRange> all,
            const SearchInterval &now)
      : b(b), now(now), one(b, 1) {
    for (const ChildRange &range : all)
      if (!range.level->isFull())
        ranges.push_back(&range);
    if (dependsOnPositions(op, all) && llvm::all_of(all, isUnique))
      halvePositions();
    else
      halveCoordinates();
  }

  Value coordinate() const { return mid; }
  ArrayRef<Value> positions() const { return stored; }
  SearchInterval next(Number within);

private:
  void halveCoordinates();
  void halvePositions();

  ImplicitLocOpBuilder &b;
  const SearchInterval &now;
  Number one;
  SmallVector<const ChildRange *> ranges; ///< Those with stored coordinates.
  Value mid;
  SmallVector<Value> stored;
  /// Whether no operand stores a coordinate from low on up to high. Then the
  /// cost is the same above low, and mid is high. None if the cost depends on
  /// more than positions.
  std::optional<Value> isSettled;
};

} // namespace

/// mid = low + (high - low + 1) / 2
void Bisection::halveCoordinates() {
  Number span = Number(b, now.high) - now.low;
  mid = Number(b, now.low) + ((span + one) >> one);
  for (auto [n, range] : llvm::enumerate(ranges))
    stored.push_back(range->level->lowerBound(b, mid, range->first, now.lows[n],
                                              now.highs[n]));
}

/// T = the operand with the most positions in the interval
/// p = the middle of these
/// mid = T.crd[p], but in (low, high]; high if there are no positions
/// pos = p or p + 1 for T, and a lower bound for the other operands
void Bisection::halvePositions() {
  Number zero(b, 0), most = zero;
  Value no = Number::flag(b, false);
  SmallVector<Value> chosen, middles, coordinates;
  mid = now.high;
  for (auto [n, range] : llvm::enumerate(ranges)) {
    // The positions of operands that are being edited may be out of order, too.
    Number hasSome = Number(b, now.lows[n]) < now.highs[n];
    Number span = select(hasSome, Number(b, now.highs[n]) - now.lows[n], zero);
    middles.push_back(Number(b, now.lows[n]) + (span >> one));
    Value safe = select(hasSome, middles.back(), kReadablePosition);
    coordinates.push_back(range->level->coordinate(b, safe));
    Number hasMore = span > most;
    most = max(most, span);
    mid = select(hasMore, coordinates.back(), mid);
    for (Value &earlier : chosen)
      earlier = select(hasMore, no, earlier);
    chosen.push_back(hasMore);
  }
  isSettled = most == zero;
  // Coordinates may be out of order, too: mid is in the interval all the same.
  mid = max(Number(b, mid), Number(b, now.low) + one);
  mid = min(Number(b, mid), now.high);
  for (auto [n, range] : llvm::enumerate(ranges)) {
    Number isBefore = Number(b, coordinates[n]) < mid;
    Number isChosen(b, chosen[n]);
    Value after = Number(b, middles[n]) + one;
    Value known = select(isBefore, after, middles[n]);
    Value low = select(isChosen, known, now.lows[n]);
    Value high = select(isChosen, known, now.highs[n]);
    stored.push_back(range->level->lowerBound(b, mid, range->first, low, high));
  }
}

/// The interval that is left if the cost of mid is within the query, or not.
SearchInterval Bisection::next(Number within) {
  SearchInterval next;
  next.low = select(within, mid, now.low);
  Value below = Number(b, mid) - one;
  if (isSettled)
    below = select(Number(b, *isSettled), now.low, below);
  next.high = select(within, now.high, below);
  for (auto [n, position] : llvm::enumerate(stored)) {
    next.lows.push_back(select(within, position, now.lows[n]));
    next.highs.push_back(select(within, now.highs[n], position));
  }
  return next;
}

static SmallVector<Value> flatten(const SearchInterval &interval) {
  SmallVector<Value> values = {interval.low, interval.high};
  llvm::append_range(values, interval.lows);
  llvm::append_range(values, interval.highs);
  return values;
}

static SearchInterval unflatten(ValueRange values) {
  size_t stored = (values.size() - 2) / 2;
  return {values[0], values[1], SmallVector<Value>(values.slice(2, stored)),
          SmallVector<Value>(values.drop_front(2 + stored))};
}

static SearchInterval bisectAll(ImplicitLocOpBuilder &b, SearchOp op,
                                ArrayRef<ChildRange> ranges,
                                const SearchInterval &interval, CostAt costAt) {
  auto isOpen = [&](ValueRange values) -> Value {
    return Number(b, values[0]).compare(arith::CmpIPredicate::slt, values[1]);
  };
  return unflatten(
      emitWhile(b, flatten(interval), isOpen, [&](ValueRange values) {
        SearchInterval now = unflatten(values);
        Bisection step(b, op, ranges, now);
        Number within = Number(b, costAt(step.coordinate(),
                                         step.positions())) <= op.getQuery();
        return flatten(step.next(within));
      }));
}

Number nacho::emitShare(ImplicitLocOpBuilder &b, Value all, Value part,
                        Value whole) {
  Type real = b.getF32Type(), word = b.getI64Type();
  auto asReal = [&](Value number) -> Value {
    return arith::UIToFPOp::create(b, real, Number(b, number).as(word));
  };
  Value each = arith::DivFOp::create(b, asReal(all), asReal(whole));
  Value product = arith::MulFOp::create(b, asReal(part), each);
  Number share(b, arith::FPToUIOp::create(b, word, product));
  return min(share.asIndex(), all);
}

/// About twice the root of a number: 2 << (its bits / 2).
static Number twiceRoot(ImplicitLocOpBuilder &b, Value number) {
  Value half = Number(b, emitBits(b, number)) >> 1;
  return Number(b, 2) << half;
}

Values nacho::emitNarrowing(ImplicitLocOpBuilder &b, Number guess, Number low,
                            Number high,
                            llvm::function_ref<Number(Number)> isBefore) {
  SmallVector<Type> types(2, b.getIndexType());
  auto isSome = scf::IfOp::create(b, types, low < high, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isSome.elseBlock());
  scf::YieldOp::create(b, ValueRange{low, high});
  b.setInsertionPointToStart(isSome.thenBlock());
  Number last = high - 1, span = high - low;
  Number near = min(twiceRoot(b, span), span);
  Number middle = max(min(guess, last), low);
  Number below = maxSigned(middle - near, low);
  Number above = min(middle + near, last);
  Number isAfter = isBefore(below), isFarAfter = isBefore(above);
  Value least = select(isAfter, below + 1, low);
  Value most = select(isAfter, above, below);
  scf::YieldOp::create(b, {select(isFarAfter, above + 1, least),
                           select(isFarAfter, high, most)});
  return Values(isSome.getResults());
}

namespace {
/// Looks at three coordinates in each step, since a thread waits no longer for
/// three loads than for one.
class Quartering {
public:
  Quartering(ImplicitLocOpBuilder &b, SearchOp op, CostAt costAt)
      : b(b), op(op), costAt(costAt), one(b, 1) {}

  Values guess(Number low, Number high, Value total);
  Values step(Number low, Number high);

private:
  Values divide(Number low, Number high, const Number (&at)[3]);

  ImplicitLocOpBuilder &b;
  SearchOp op;
  CostAt costAt;
  Number one;
};
} // namespace

/// low, high = the interval between those two of low, the coordinates at which
///             the interval is divided, and high + 1 of which the cost of only
///             the lower is within the query
Values Quartering::divide(Number low, Number high, const Number (&at)[3]) {
  Value lower = low, upper = at[0] - one;
  for (int n = 0; n < 3; ++n) {
    Number isWithin = Number(b, costAt(at[n], {})) <= op.getQuery();
    lower = select(isWithin, at[n], lower);
    upper = select(isWithin, n == 2 ? high : at[n + 1] - one, upper);
  }
  return {lower, upper};
}

/// Coordinates mostly cost about the same. If they do, and cost `total`, this
/// finds a small interval:
///
///   guess = high * query / total
///   divide at guess - (high - low) / 256, guess, guess + (high - low) / 256,
///     as far as these are between low and high
Values Quartering::guess(Number low, Number high, Value total) {
  static constexpr int64_t kNearBits = 8;
  Number middle = max(emitShare(b, high, op.getQuery(), total), low);
  Value near = (high - low) >> kNearBits;
  Number below = maxSigned(middle - near, low);
  Number above = min(middle + near, high);
  return divide(low, high, {below, middle, above});
}

/// Divides at a quarter, a half and three quarters of the way.
Values Quartering::step(Number low, Number high) {
  Number span = high - low;
  Number first = low + ((span + 3) >> 2);
  Number second = low + ((span + one) >> one);
  Number third = second + ((high - second + one) >> one);
  return divide(low, high, {first, second, third});
}

/// while low < high: low, high = a smaller interval
static SearchInterval quarter(ImplicitLocOpBuilder &b, SearchOp op,
                              const SearchInterval &interval, Value total,
                              CostAt costAt) {
  auto isOpen = [&](ValueRange values) -> Value {
    return Number(b, values[0]).compare(arith::CmpIPredicate::slt, values[1]);
  };
  Quartering quartering(b, op, costAt);
  Values guessed = quartering.guess(Number(b, interval.low),
                                    Number(b, interval.high), total);
  Values found = emitWhile(b, guessed, isOpen, [&](ValueRange values) {
    return quartering.step(Number(b, values[0]), Number(b, values[1]));
  });
  return {found[0], found[1], {}, {}};
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// end = the first position p of [lows, highs) with cost(crd[p], p) > query
/// if end == highs and cost(high, highs) <= query: high
/// else: crd[end - 1], or low if end == lows
///
/// In a run, the positions after the first one cost more than the coordinate,
/// but less than the next coordinate.
static SearchInterval bisectPositions(ImplicitLocOpBuilder &b, SearchOp op,
                                      const ChildRange &range,
                                      const SearchInterval &interval,
                                      CostAt costAt) {
  const Level &level = *range.level;
  Value lows = interval.lows.front(), highs = interval.highs.front();
  auto isWithin = [&](Value coordinate, Value position) {
    return Number(b, costAt(coordinate, position)) <= op.getQuery();
  };
  Number end = emitBisection(b, lows, highs, [&](Number middle) {
    return isWithin(level.coordinate(b, middle), middle);
  });
  Number isAny = end > lows;
  Value before = end - 1;
  Value safe = select(isAny, before, kReadablePosition);
  Value stored = level.coordinate(b, safe);
  Number found(b, select(isAny, stored, interval.low));
  Value isAll = end == highs;
  Number isHigh = isWithin(interval.high, highs) & isAll;
  found = select(isHigh, interval.high, found);
  // Coordinates of operands that are being edited may be out of order. A loop
  // may have no coordinate from low on, and then high is less.
  found = maxSigned(minSigned(found, interval.high), interval.low);
  Number isStored = isAny & (found == stored);
  Value position = level.isUnique()
                       ? Value(select(isStored, before, end))
                       : level.lowerBound(b, found, range.first, lows, end);
  return {found, found, {position}, {position}};
}

SearchInterval nacho::emitBisection(ImplicitLocOpBuilder &b, SearchOp op,
                                    ArrayRef<ChildRange> ranges,
                                    const SearchInterval &interval,
                                    CostAt costAt, std::optional<Value> total) {
  if (ranges.size() == 1 && dependsOnPositions(op, ranges))
    return bisectPositions(b, op, ranges.front(), interval, costAt);
  if (total && interval.lows.empty())
    return quarter(b, op, interval, *total, costAt);
  return bisectAll(b, op, ranges, interval, costAt);
}
