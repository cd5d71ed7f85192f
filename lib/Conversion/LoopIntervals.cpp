//===- LoopIntervals.cpp - Intervals that get smaller in each step --------===//

#include "LoopSteps.h"

using namespace mlir;
using namespace nacho;

/// A shift by fewer bits leaves something of a span.
static constexpr unsigned kMostBits = 32;

/// high - low
bool LoopSteps::isSpan(Value value, const Interval &in) {
  auto span = value.getDefiningOp<arith::SubIOp>();
  return span && numberOf(span.getLhs()) == in.high &&
         numberOf(span.getRhs()) == in.low;
}

/// low + (high - low) / 2 is below high; rounded up, it is above low, as is
/// x + (high - x + 1) / 2 for an x that is.
LoopSteps::Place LoopSteps::placeOfSum(arith::AddIOp sum, const Interval &in) {
  auto part = sum.getRhs().getDefiningOp<arith::ShRUIOp>();
  APInt bits;
  if (!part || !matchPattern(part.getRhs(), m_ConstantInt(&bits)) ||
      !bits.isStrictlyPositive() || bits.uge(kMostBits))
    return {};
  Value from = sum.getLhs();
  bool isLow = numberOf(from) == in.low;
  if (isLow && isSpan(part.getLhs(), in))
    return {.isFromLow = true, .isUpToHigh = true, .isBelowHigh = true};
  Sum more = sumOf(part.getLhs());
  if (more.offset != (int64_t(1) << bits.getZExtValue()) - 1)
    return {};
  if (isLow && isSpan(more.base, in))
    return {.isFromLow = true, .isAboveLow = true, .isUpToHigh = true};
  auto span = more.base.getDefiningOp<arith::SubIOp>();
  if (!span || span.getRhs() != from || numberOf(span.getLhs()) != in.high)
    return {};
  Place x = placeOf(from, in);
  if (!x.isUpToHigh)
    return {};
  return {x.isFromLow, x.isAboveLow, true, false};
}

/// (low + high) / 2
LoopSteps::Place LoopSteps::placeOfHalf(arith::ShRUIOp half,
                                        const Interval &in) {
  auto all = half.getLhs().getDefiningOp<arith::AddIOp>();
  if (!all || !matchPattern(half.getRhs(), m_One()) ||
      numberOf(all.getLhs()) != in.low || numberOf(all.getRhs()) != in.high)
    return {};
  return {true, in.apart > 0, true, true};
}

LoopSteps::Place LoopSteps::placeOfLeast(arith::MinUIOp least,
                                         const Interval &in) {
  Place x = placeOf(least.getLhs(), in), y = placeOf(least.getRhs(), in);
  return {x.isFromLow && y.isFromLow, x.isAboveLow && y.isAboveLow,
          x.isUpToHigh || y.isUpToHigh, x.isBelowHigh || y.isBelowHigh};
}

LoopSteps::Place LoopSteps::placeOfMost(arith::MaxUIOp most,
                                        const Interval &in) {
  Place x = placeOf(most.getLhs(), in), y = placeOf(most.getRhs(), in);
  return {x.isFromLow || y.isFromLow, x.isAboveLow || y.isAboveLow,
          x.isUpToHigh && y.isUpToHigh, x.isBelowHigh && y.isBelowHigh};
}

LoopSteps::Place LoopSteps::placeOf(Value value, const Interval &in) {
  value = resolve(value);
  if (numberOf(value) == in.low)
    return {.isFromLow = true, .isUpToHigh = true, .isBelowHigh = true};
  if (numberOf(value) == in.high)
    return {.isFromLow = true, .isAboveLow = true, .isUpToHigh = true};
  Sum sum = sumOf(value);
  if (sum.offset == 1 || sum.offset == -1) {
    Place base = placeOf(sum.base, in);
    if (sum.offset == 1)
      return {base.isFromLow, base.isFromLow, base.isBelowHigh, false};
    return {base.isAboveLow, false, base.isUpToHigh, base.isUpToHigh};
  }
  if (auto least = value.getDefiningOp<arith::MinUIOp>())
    return placeOfLeast(least, in);
  if (auto most = value.getDefiningOp<arith::MaxUIOp>())
    return placeOfMost(most, in);
  if (auto add = value.getDefiningOp<arith::AddIOp>())
    return placeOfSum(add, in);
  auto half = value.getDefiningOp<arith::ShRUIOp>();
  return half ? placeOfHalf(half, in) : Place();
}

bool LoopSteps::shrinks(Value low, Value high, const Interval &in,
                        unsigned depth) {
  std::optional<Choice> choice = choiceOf(low);
  if (!choice)
    choice = choiceOf(high);
  if (!choice) {
    Place first = placeOf(low, in), last = placeOf(high, in);
    return first.isFromLow && last.isUpToHigh &&
           (first.isAboveLow || last.isBelowHigh);
  }
  auto chosen = [&](Value value, bool holds) {
    std::optional<Choice> other = choiceOf(value);
    if (!other || other->condition != choice->condition)
      return value;
    return holds ? other->first : other->second;
  };
  return depth < kMostSplits &&
         llvm::all_of(
             ArrayRef{true, false},
             [&](bool holds) {
               return shrinks(chosen(low, holds), chosen(high, holds), in,
                              depth + 1);
             });
}

bool LoopSteps::shrinks(unsigned low, unsigned high, int64_t apart) {
  return shrinks(next(low), next(high), Interval{low, high, apart},
                 /*depth=*/0);
}
