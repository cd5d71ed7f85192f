//===- VerifyProgress.cpp - Proof that every loop ends --------------------===//
//
// Arrays of operands may be edited while a kernel reads them. So how often a
// loop runs must be bounded by something that it does not read. An scf.for has
// a bound that VerifyAccesses.cpp checks. This file proves of each scf.while
// that something changes in every step, and in one direction, that can only
// change so often:
//
//   up:      positions that are below bounds move on, at least one of them:
//              while p < end and q < last: p += (a <= b); q += (b <= a)
//   merge:   the same, where coordinates tell that a position is at its end:
//              while min(a, b) != infinity: a = p < end ? crd[p] : infinity,
//              ..., or while p < end or q < last: a = ...
//   shrink:  an interval gets smaller:
//              while low < high: mid = (low + high) / 2; ...
//   halve:   while step > 1: step /= 2
//   spend:   while left > 0: left = min(left - 1, ...)
//   bits:    while word != 0: word &= word - 1
//
// Positions and coordinates are far below 2^63 (arrays fit into memory, and
// extents into 63 bits), so that sums of a few of them do not wrap around.
//
//===----------------------------------------------------------------------===//

#include "ContractChecks.h"
#include "LoopSteps.h"

using namespace mlir;
using namespace nacho;

/// number - 1
static bool isOneLess(LoopSteps &steps, Value value, unsigned number) {
  Sum sum = steps.sumOf(value);
  return sum.offset == -1 && steps.numberOf(sum.base) == number;
}

/// while word != 0: word &= word - 1
static bool clearsBits(LoopSteps &steps, arith::CmpIOp test) {
  std::optional<unsigned> word = steps.numberOf(test.getLhs());
  if (!word || test.getPredicate() != arith::CmpIPredicate::ne ||
      !matchPattern(test.getRhs(), m_Zero()))
    return false;
  auto rest = steps.next(*word).getDefiningOp<arith::AndIOp>();
  if (!rest)
    return false;
  Value x = rest.getLhs(), y = rest.getRhs();
  return (steps.numberOf(x) == word && isOneLess(steps, y, *word)) ||
         (steps.numberOf(y) == word && isOneLess(steps, x, *word));
}

/// while left > 0: left = min(left - 1, ...)
static bool spends(LoopSteps &steps, arith::CmpIOp test) {
  using Predicate = arith::CmpIPredicate;
  bool isAboveZero = test.getPredicate() == Predicate::ugt ||
                     test.getPredicate() == Predicate::ne;
  std::optional<unsigned> left = steps.numberOf(test.getLhs());
  if (!left || !isAboveZero || !matchPattern(test.getRhs(), m_Zero()))
    return false;
  auto least = steps.next(*left).getDefiningOp<arith::MinUIOp>();
  return least && llvm::any_of(least->getOperands(), [&](Value value) {
           return isOneLess(steps, value, *left);
         });
}

/// while step > n: step >>= 1
static bool halves(LoopSteps &steps, arith::CmpIOp test) {
  std::optional<unsigned> step = steps.numberOf(test.getLhs());
  if (!step || test.getPredicate() != arith::CmpIPredicate::ugt)
    return false;
  auto half = steps.next(*step).getDefiningOp<arith::ShRUIOp>();
  APInt bits;
  return half && steps.numberOf(half.getLhs()) == step &&
         matchPattern(half.getRhs(), m_ConstantInt(&bits)) &&
         bits.isStrictlyPositive();
}

/// while low < high, or low + 1 < high: low, high = an interval inside of it
static bool shrinks(LoopSteps &steps, arith::CmpIOp test) {
  std::optional<Less> less = steps.lessOf(test);
  if (!less || less->isOrEqual || less->low.offset < 0)
    return false;
  std::optional<unsigned> low = steps.numberOf(less->low.base);
  std::optional<unsigned> high = steps.numberOf(less->high);
  return low && high && steps.shrinks(*low, *high, less->low.offset);
}

/// while every position is below its bound: at least one of them moves on
static bool countsUp(LoopSteps &steps) {
  SmallVector<unsigned> positions;
  for (Value part : steps.conditions()) {
    std::optional<Less> less = steps.lessOf(part);
    std::optional<unsigned> number =
        less ? steps.numberOf(less->low.base) : std::nullopt;
    if (number && less->low.offset >= 0 && steps.isInvariant(less->high))
      positions.push_back(*number);
  }
  return steps.advances(positions);
}

static bool endsAlways(scf::WhileOp loop) {
  LoopSteps steps(loop);
  for (Value part : steps.conditions()) {
    auto test = part.getDefiningOp<arith::CmpIOp>();
    if (test && (clearsBits(steps, test) || halves(steps, test) ||
                 spends(steps, test) || shrinks(steps, test)))
      return true;
  }
  return countsUp(steps) || llvm::any_of(steps.conditions(), [&](Value part) {
           return steps.advancesFromLeast(part);
         });
}

LogicalResult nacho::verifyProgress(func::FuncOp function) {
  bool doAllEnd = true;
  function.walk([&](scf::WhileOp loop) {
    if (endsAlways(loop))
      return;
    loop.emitOpError("may go on forever: no number is known to change in "
                     "every step up to a bound that is not loaded");
    doAllEnd = false;
  });
  return success(doAllEnd);
}
