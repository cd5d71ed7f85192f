//===- IndexRangesOfRegions.cpp - Bounds of what regions compute ----------===//

#include "IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// By how much a number grows, at most, in each step of a loop that counts.
static constexpr int64_t kMostPerStep = 1;
/// How often the body of a loop is visited before all it carries is unknown.
static constexpr int kMostVisits = 4;

void IndexRanges::join(ValueRange results, ValueRange one, ValueRange other) {
  for (auto [result, x, y] : llvm::zip(results, one, other)) {
    Known first = known(x), second = known(y);
    set(result, first.range.rangeUnion(second.range),
        first.countsSteps || second.countsSteps);
  }
}

/// Visits a branch. Where it is done only if a number is at least another one,
/// the bounds of the number are narrower.
void IndexRanges::visitThen(scf::IfOp op) {
  auto test = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!test || test.getPredicate() != arith::CmpIPredicate::sge)
    return visit(op.getThenRegion());
  Value number = test.getLhs();
  Known before = known(number);
  APInt most = before.range.smax(), least = of(test.getRhs()).smin();
  least = llvm::APIntOps::smax(before.range.smin(), least);
  set(number, Range::fromSigned(llvm::APIntOps::smin(least, most), most),
      before.countsSteps);
  visit(op.getThenRegion());
  set(number, before.range, before.countsSteps);
}

void IndexRanges::visitIf(scf::IfOp op) {
  visitThen(op);
  visit(op.getElseRegion());
  if (op.getNumResults())
    join(op.getResults(), op.thenYield().getOperands(),
         op.elseYield().getOperands());
}

void IndexRanges::start(ValueRange carried, ValueRange first) {
  join(carried, first, first);
}

/// How far the signed bounds of one range reach beyond those of another.
static int64_t growthOf(const IndexRanges::Range &old,
                        const IndexRanges::Range &now) {
  bool overflows = false, other = false;
  APInt up = now.smax().ssub_ov(old.smax(), overflows);
  APInt down = old.smin().ssub_ov(now.smin(), other);
  return overflows || other ? INT64_MAX
                            : std::max(up.getSExtValue(), down.getSExtValue());
}

/// Returns whether the bounds of what a loop carries had to be widened.
bool IndexRanges::widen(Value carried, const Known &next) {
  Known now = known(carried);
  Range all = now.range.rangeUnion(next.range);
  if (all == now.range && now.countsSteps >= next.countsSteps)
    return false;
  if (!carried.getType().isIndex() || growthOf(now.range, all) > kMostPerStep) {
    set(carried, all, now.countsSteps || next.countsSteps);
    return true;
  }
  if (now.countsSteps)
    return false;
  bool goesUp = all.smax().sgt(now.range.smax());
  bool goesDown = all.smin().slt(now.range.smin());
  auto reach = [&](const APInt &bound, bool moves, int64_t by) {
    return moves ? bound.sadd_sat(APInt(64, by, /*isSigned=*/true)) : bound;
  };
  // Steps that are counted already have been counted by an inner loop.
  int64_t steps = next.countsSteps ? 0 : kStepsPerElement * longest;
  set(carried,
      Range::fromSigned(reach(all.smin(), goesDown, -steps),
                        reach(all.smax(), goesUp, steps)),
      /*countsSteps=*/true);
  return true;
}

bool IndexRanges::widen(ValueRange carried, ValueRange next, bool gaveUp) {
  bool isWider = false;
  for (auto [value, after] : llvm::zip(carried, next)) {
    if (!widen(value, known(after)))
      continue;
    isWider = true;
    if (gaveUp)
      set(value, anyOf(value), /*countsSteps=*/true);
  }
  return isWider;
}

void IndexRanges::visitWhile(scf::WhileOp loop) {
  start(loop.getBeforeArguments(), loop.getInits());
  scf::ConditionOp condition = loop.getConditionOp();
  auto test = condition.getCondition().getDefiningOp<arith::CmpIOp>();
  bool isSigned = test && test.getPredicate() == arith::CmpIPredicate::slt;
  if (isSigned || (test && test.getPredicate() == arith::CmpIPredicate::ult))
    for (auto [x, low] :
         llvm::zip(condition.getArgs(), loop.getAfterArguments()))
      for (auto [y, high] :
           llvm::zip(condition.getArgs(), loop.getAfterArguments()))
        if (x == test.getLhs() && y == test.getRhs())
          (isSigned ? areOrdered : areOrderedUnsigned).insert({low, high});
  for (int visits = 1;; ++visits) {
    visit(loop.getBefore());
    start(loop.getAfterArguments(), loop.getConditionOp().getArgs());
    visit(loop.getAfter());
    if (!widen(loop.getBeforeArguments(), loop.getYieldOp().getOperands(),
               visits >= kMostVisits))
      break;
  }
  start(loop.getResults(), loop.getConditionOp().getArgs());
}

void IndexRanges::visitFor(scf::ForOp loop) {
  Range lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound());
  if (loop.getInductionVar().getType().isIndex()) {
    // A loop whose step may be negative as a signed number is not looked into.
    bool isUp = isPositive(loop.getStep());
    APInt last = upper.smax().ssub_sat(APInt(64, 1));
    set(loop.getInductionVar(),
        isUp ? Range::fromSigned(lower.smin(),
                                 llvm::APIntOps::smax(last, lower.smin()))
             : anyOf(loop.getInductionVar()));
  }
  start(loop.getRegionIterArgs(), loop.getInitArgs());
  if (loop.getNumResults() == 0)
    return visit(loop.getRegion());
  for (int visits = 1;; ++visits) {
    visit(loop.getRegion());
    if (!widen(loop.getRegionIterArgs(), loop.getYieldedValues(),
               visits >= kMostVisits))
      break;
  }
  join(loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs());
}
