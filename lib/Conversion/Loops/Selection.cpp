//===- Selection.cpp - A search that counts entries -----------------------===//
//
// Entries of operand k cost w_k each. Entries are counted in the order of their
// coordinates until the query is spent, many at a time:
//
//   left = query - cost before any entry of the interval
//   while left > 0:
//     d = max(left / (w_1 + ... + w_m), 1)
//     d_k = min(d, entries of operand k that are not counted yet)
//     x_k = coordinate of the last of the next d_k entries; infinity if d_k = 0
//     e = min(x_1, ..., x_m)
//     spent = the sum of d_k * w_k of the operands with x_k = e
//     if 0 < spent <= left: count their d_k entries; left -= spent
//     else: left = 0
//   return the least coordinate that was not counted
//
// What is counted comes before the result. All entries up to e are among the
// next d_k of their operands; so they cost at most d * (w_1 + ... + w_m), which
// is at most left, or d is 1 and they are the next entries that have the
// coordinate e: then they are counted only if they cost no more than left. If
// they cost more, e is the result. In each other step, the share
// w_k / (w_1 + ... + w_m) of what is left is spent, or an operand comes to its
// end: the number of steps grows with the logarithm of the number of entries.
//
// If there is one operand, its next left / w entries are counted. If there are
// two whose entries cost the same, the search is that of the merge path: of the
// next left / w entries, the number of those of the first operand is bisected,
// and the others are those of the second one.
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/WhileLoop.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// The most that an entry may cost, over the least that another one costs.
static constexpr int64_t kMostRatio = 8;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// Reads the region that computes the cost of a coordinate.
class CostRegion {
public:
  explicit CostRegion(SearchOp op)
      : body(op.getBodyBlock()), weights(op.getFibers().size(), 0) {}

  /// The weight of each operand; none if the cost depends on more than these.
  std::optional<SmallVector<int64_t>> read() {
    Value cost = body->getTerminator()->getOperand(0);
    return add(cost, 1) ? std::optional(weights) : std::nullopt;
  }

private:
  bool add(Value cost, int64_t factor);
  bool addEntries(CostOp cost, int64_t factor);
  bool isConstant(Value value) const;

  Block *body;
  SmallVector<int64_t> weights;
};
} // namespace

/// Whether a value is the same for all coordinates but 0.
bool CostRegion::isConstant(Value value) const {
  if (value.getParentBlock() != body)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isPure(op))
    return false;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && compare.getLhs() == body->getArgument(0) &&
      matchPattern(compare.getRhs(), m_Zero()))
    return true;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isConstant(operand); });
}

/// The entries of the last level, or the children themselves, up to a position.
bool CostRegion::addEntries(CostOp cost, int64_t factor) {
  auto position = dyn_cast_or_null<BlockArgument>(cost.getPosition());
  if (!position || position.getOwner() != body || !position.getArgNumber())
    return false;
  auto type = cast<FiberType>(cost.getFiber().getType());
  unsigned last = cast<RankedTensorType>(type.getTensor()).getRank() - 1;
  bool isOneEach =
      cost.getKind() == CostKind::nnz
          ? type.getLevel() == last
          : cost.getKind() == CostKind::loops && cost.getBelow() == 0;
  weights[position.getArgNumber() - 1] += factor;
  return isOneEach;
}

bool CostRegion::add(Value cost, int64_t factor) {
  if (isConstant(cost))
    return true;
  if (auto sum = cost.getDefiningOp<arith::AddIOp>())
    return add(sum.getLhs(), factor) && add(sum.getRhs(), factor);
  APInt times;
  if (auto product = cost.getDefiningOp<arith::MulIOp>())
    return matchPattern(product.getRhs(), m_ConstantInt(&times)) &&
           add(product.getLhs(), factor * times.getSExtValue());
  auto entries = cost.getDefiningOp<CostOp>();
  return entries && addEntries(entries, factor);
}

std::optional<SmallVector<int64_t>>
nacho::findEntryWeights(SearchOp op, ArrayRef<ChildRange> ranges) {
  std::optional<SmallVector<int64_t>> all = CostRegion(op).read();
  if (!all)
    return std::nullopt;
  SmallVector<int64_t> stored;
  int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
  for (auto [range, weight] : llvm::zip(ranges, *all)) {
    bool isFull = range.level->isFull();
    if (weight && (isFull || !range.level->isUnique()))
      return std::nullopt;
    if (!isFull)
      stored.push_back(weight);
    if (weight)
      least = std::min(least, weight);
    most = std::max(most, weight);
  }
  if (least < 1 || most == 0 || most / least > kMostRatio)
    return std::nullopt;
  return stored;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
/// An operand whose entries are counted.
struct Counted {
  const Level *level;
  int64_t weight;
  Value high, highest; ///< The ends of the interval.
  Value end;           ///< Before the entries at its highest coordinate.
};

/// The entries that a selection has not counted: the position of the first one
/// of each operand, and their least coordinate, or infinity.
struct Uncounted {
  SmallVector<Value> positions;
  Value least;
};

class Selection {
public:
  Selection(ImplicitLocOpBuilder &b, bool isFar)
      : b(b), isFar(isFar), zero(b, 0), one(b, 1), infinity(b, kInfinity) {}

  void add(const ChildRange &range, int64_t weight, Value low, Value high,
           Value highest);
  Uncounted count(Value left, ValueRange positions);

private:
  Value coordinateBefore(const Counted &operand, Value from, Value after);
  Value leastBefore(ValueRange from, ArrayRef<Value> after,
                    SmallVectorImpl<Value> &coordinates);
  Value leastOf(ValueRange positions);
  Number numLeft(const Counted &operand, Value position) const;
  Uncounted countOne(Value left, Value position);
  bool isMergePath() const;
  Uncounted countAlongPath(Value left, ValueRange positions);
  SmallVector<Value> step(Value left, ValueRange positions);
  SmallVector<Value> countInSteps(Value left, ValueRange positions);

  ImplicitLocOpBuilder &b;
  bool isFar; ///< Whether each load takes long.
  Number zero, one, infinity;
  SmallVector<Counted> operands;
};
} // namespace

/// Entries at the highest coordinate do not come before any other coordinate.
/// As coordinates are unique, there is at most one, the last.
void Selection::add(const ChildRange &range, int64_t weight, Value low,
                    Value high, Value highest) {
  Number some = Number(b, low) < high;
  Value last = select(some, high, one) - one;
  Number isHighest =
      some & (Number(b, range.level->coordinate(b, last)) >= highest);
  Value less = isHighest.asIndex();
  Value end = Number(b, high) - less;
  operands.push_back({range.level.get(), weight, high, highest, end});
}

/// The coordinate of the last entry of [from, after); infinity if that is
/// empty. In place of it, the one before is loaded, which is as near.
Value Selection::coordinateBefore(const Counted &operand, Value from,
                                  Value after) {
  Number some = Number(b, from) < after;
  Value last = max(Number(b, after), one) - one;
  return select(some, operand.level->coordinate(b, last), infinity);
}

Value Selection::leastBefore(ValueRange from, ArrayRef<Value> after,
                             SmallVectorImpl<Value> &coordinates) {
  Value least;
  for (auto [n, operand] : llvm::enumerate(operands)) {
    coordinates.push_back(coordinateBefore(operand, from[n], after[n]));
    Value coordinate = coordinates.back();
    least = least ? min(Number(b, least), coordinate) : coordinate;
  }
  return least;
}

/// The least coordinate of the entries at these positions, those of them that
/// are there; infinity if there are none.
Value Selection::leastOf(ValueRange positions) {
  SmallVector<Value> after, coordinates;
  for (auto [operand, position] : llvm::zip(operands, positions))
    after.push_back(min(Number(b, position) + one, operand.end));
  return leastBefore(positions, after, coordinates);
}

/// The cost left after a step, and the positions of the entries not counted.
SmallVector<Value> Selection::step(Value left, ValueRange positions) {
  int64_t all = 0;
  for (const Counted &operand : operands)
    all += operand.weight;
  Number share = Number(b, left) / all;
  Value most = max(share, one);
  SmallVector<Value> after, coordinates;
  for (auto [operand, position] : llvm::zip(operands, positions))
    after.push_back(min(Number(b, position) + most, operand.end));
  Value least = leastBefore(positions, after, coordinates);

  Number spent = zero;
  SmallVector<Value> areUpTo;
  for (auto [n, operand] : llvm::enumerate(operands)) {
    areUpTo.push_back(Number(b, coordinates[n]) == least);
    Value cost = (Number(b, after[n]) - positions[n]) * operand.weight;
    spent = spent + select(Number(b, areUpTo.back()), cost, zero);
  }
  // 0 < spent <= left. The positions of operands that are being edited may be
  // out of order: then nothing is spent, or too much.
  Number isCounted = spent - one < left;
  Number rest = select(isCounted, Number(b, left) - spent, zero);
  // At least 1 is spent in any case: the loop ends, whatever it reads.
  Value oneLess = Number(b, left) - one;
  SmallVector<Value> next = {min(rest, oneLess)};
  for (auto [n, position] : llvm::enumerate(positions))
    next.push_back(
        select(Number(b, areUpTo[n]) & isCounted, after[n], position));
  return next;
}

SmallVector<Value> Selection::countInSteps(Value left, ValueRange positions) {
  SmallVector<Value> inits = {left};
  llvm::append_range(inits, positions);
  Values results = emitWhile(
      b, inits,
      [&](ValueRange values) -> Value { return Number(b, values[0]) > zero; },
      [&](ValueRange values) {
        return step(values.front(), values.drop_front());
      });
  return Values(ArrayRef(results).drop_front());
}

/// The number of an operand's entries from a position on.
Number Selection::numLeft(const Counted &operand, Value position) const {
  return max(Number(b, operand.end), position) - position;
}

/// end = position + min(left / w, number of entries up to `high`)
/// x = coordinate at min(end, high - 1)
/// if end < high or x is the highest coordinate: x, and where it is
/// else: infinity, and the end
///
/// One load tells both which entry is not counted and whether all are.
Uncounted Selection::countOne(Value left, Value position) {
  const Counted &operand = operands.front();
  Number low(b, position), high(b, operand.high);
  Value most = max(high, low) - low;
  Number end = low + min(Number(b, left) / operand.weight, most);
  Number some = low < high;
  Value last = select(some, high, one) - one;
  Value at = min(end, last);
  Number coordinate(b, operand.level->coordinate(b, at));
  Value isHighest = coordinate >= operand.highest;
  Number isLeft = some & ((end < high) | isHighest);
  return {{select(isLeft, at, end)}, select(isLeft, coordinate, infinity)};
}

bool Selection::isMergePath() const {
  return operands.size() == 2 &&
         operands.front().weight == operands.back().weight;
}

/// n = min(left / w, number of entries of A and B)
/// i = the first in [n - min(n, those of B), min(n, those of A)) with
///     A.crd[posA + i] > B.crd[posB + n - 1 - i]
/// least = the least coordinate from posA + i and posB + n - i on
/// if A.crd[posA + i - 1] is that, too: i -= 1, n -= 1
///
/// Of two entries that have the same coordinate, that of A comes first. If it
/// is the last one of the n, it is not counted, for both together cost more.
Uncounted Selection::countAlongPath(Value left, ValueRange positions) {
  const Counted &first = operands.front(), &second = operands.back();
  Number posA(b, positions.front()), posB(b, positions.back());
  Number ofA = numLeft(first, posA), ofB = numLeft(second, posB);
  Value all = ofA + ofB;
  Number n = min(Number(b, left) / first.weight, all);
  Number low = n - min(ofB, n);
  Number lastB = posB + n - one;
  Number high = min(ofA, n);
  auto isBefore = [&](Number middle) {
    Number crdA(b, first.level->coordinate(b, posA + middle));
    return crdA <= second.level->coordinate(b, lastB - middle);
  };
  Values ends = {low, high};
  if (isFar)
    ends = emitNarrowing(b, emitShare(b, ofA, n, all), low, high, isBefore);
  Number i = emitBisection(b, ends[0], ends[1], isBefore);
  Number endA = posA + i;
  Value endB = lastB + one - i;
  Value least = leastOf({endA, endB});
  Number isSplit = endA > posA;
  isSplit = isSplit & (Number(b, coordinateBefore(first, posA, endA)) == least);
  return {{endA - isSplit.asIndex(), endB}, least};
}

Uncounted Selection::count(Value left, ValueRange positions) {
  if (isMergePath())
    return countAlongPath(left, positions);
  if (operands.size() == 1)
    return countOne(left, positions.front());
  SmallVector<Value> next = countInSteps(left, positions);
  return {next, leastOf(next)};
}

SearchInterval nacho::emitSelection(ImplicitLocOpBuilder &b, SearchOp op,
                                    ArrayRef<ChildRange> ranges,
                                    ArrayRef<int64_t> weights,
                                    const SearchInterval &interval,
                                    CostAt costAt, bool isFar) {
  Selection selection(b, isFar);
  SmallVector<const ChildRange *> stored;
  for (const ChildRange &range : ranges)
    if (!range.level->isFull())
      stored.push_back(&range);
  SmallVector<Value> lows;
  for (auto [n, range] : llvm::enumerate(stored)) {
    if (!weights[n])
      continue;
    selection.add(*range, weights[n], interval.lows[n], interval.highs[n],
                  interval.high);
    lows.push_back(interval.lows[n]);
  }
  // The cost may be less at coordinate 0, the result if even this is too much.
  Number zero(b, 0);
  Number one(b, 1);
  Value before = costAt(one, interval.lows);
  Number fits = Number(b, before) <= op.getQuery();
  Value left = select(fits, Number(b, op.getQuery()) - before, zero);
  Uncounted next = selection.count(left, lows);

  Number found = min(Number(b, next.least), interval.high);
  found = max(found, interval.low);
  found = select(fits, found, interval.low);
  SearchInterval result{found, found, {}, {}};
  auto *counted = next.positions.begin();
  for (auto [n, range] : llvm::enumerate(stored))
    result.lows.push_back(weights[n]
                              ? *counted++
                              : range->level->lowerBound(b, found, range->first,
                                                         interval.lows[n],
                                                         interval.highs[n]));
  result.highs = result.lows;
  return result;
}
