//===- LoopCounts.cpp - Counts of the coordinates of merges ---------------===//
//
// A count becomes a coiteration of the same fibers that adds one at every
// coordinate, and is lowered as such. As no body needs the single coordinates,
// some counts are faster:
//
//   |A| = end - begin
//   |A n B|, |C n (A u B)|: add up the numbers of matches in each block
//
//===----------------------------------------------------------------------===//

#include "LoopLowering.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nacho;

/// for each coordinate, from 0 on: count + 1
static CoiterateOp makeCounter(ImplicitLocOpBuilder &b, CountOp op) {
  Number zero(b, 0);
  Number one(b, 1);
  auto loop = CoiterateOp::create(b, op.getFibers(), op.getGuards(),
                                  op.getExtent(), op.getMerge(), StringAttr(),
                                  op.getLower(), op.getUpper(), zero);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBodyBlock());
  Value next = Number(b, loop.getCarried().front()) + one;
  YieldOp::create(b, next);
  return loop;
}

/// The number of coordinates of one operand.
static Value countOne(ImplicitLocOpBuilder &b, const ChildRange &range) {
  return maxSigned(Number(b, range.end) - range.begin, 0);
}

void LoopLowering::lowerCount(CountOp op) {
  CoiterateOp counter = makeCounter(b, op);
  Loop loop = startLoop(counter);
  loop.isCount = true;
  unsigned first = loop.stored.empty() ? 0 : loop.stored.front();
  Value count;
  if (loop.stored.size() == 1 && loop.ranges[first].level->isUnique() &&
      op.getMerge() == bothStored(loop)) {
    count = countOne(b, loop.ranges[first]);
  } else {
    count = emitLoop(loop).back();
  }
  op.replaceAllUsesWith(count);
  lowering.eraseLater(counter);
}

/// Adds the number of set bits of `matches` to the count.
SmallVector<Value> LoopLowering::addMatches(Value matches, ValueRange carried) {
  Value count = Number(b, math::CtPopOp::create(b, matches)).asIndex();
  return {Number(b, carried.front()) + count};
}

/// The operand C if a loop counts the coordinates of C n (A u B u ...). None
/// for loops in windows, for the windows of the operands do not end at the same
/// coordinate.
std::optional<unsigned> LoopLowering::findProbe(const Loop &loop,
                                                MergeAttr domain) {
  if (!loop.isCount || CoiterateOp(loop.op).getMerge() != domain ||
      loop.stored.size() < 3 || hasWindows(loop))
    return std::nullopt;
  MLIRContext *context = b.getContext();
  for (unsigned probe : loop.stored) {
    SmallVector<MergeAttr> others;
    for (unsigned n : loop.stored)
      if (n != probe)
        others.push_back(MergeAttr::get(context, n));
    MergeAttr any = uniteMerges(context, others);
    MergeAttr leaf = MergeAttr::get(context, probe);
    if (domain == intersectMerges(context, {any, leaf}) ||
        domain == intersectMerges(context, {leaf, any}))
      return probe;
  }
  return std::nullopt;
}

/// while posC < endC and (posA < endA or posB < endB):
///   seen |= which of the next coordinates of C are among the next of A or B
///   if neither block ends before that of C: count seen; C moves on; seen = 0
///   A and B move on unless their blocks end after that of C
/// count seen
///
/// Each step leaves a coordinate behind, so that there are no more steps than
/// coordinates.
SmallVector<Value> LoopLowering::countProbed(Loop &loop, unsigned probe,
                                             unsigned lanes) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<unsigned> operands = {probe};
  for (unsigned n : loop.stored)
    if (n != probe)
      operands.push_back(n);
  SmallVector<Value> inits;
  for (unsigned n : operands)
    inits.push_back(loop.ranges[n].begin);
  Number steps(b, 0);
  for (unsigned n : operands)
    steps = steps + countOne(b, loop.ranges[n]);
  Number none(b, 0, b.getI64Type());
  inits.append({none, Number(b, 0)});
  llvm::append_range(inits, loop.op.getInits());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);

  auto isAlive = [&](unsigned k, ValueRange state) {
    return Number(b, state[k]) < loop.ranges[operands[k]].end;
  };
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  Value any = isAlive(1, before->getArguments());
  for (unsigned k = 2; k < operands.size(); ++k)
    any = Number(b, any) | isAlive(k, before->getArguments());
  Number probing(b, isAlive(0, before->getArguments()));
  probing =
      probing & (Number(b, before->getArgument(operands.size() + 1)) < steps);
  scf::ConditionOp::create(b, probing & any, before->getArguments());

  b.createBlock(&whileOp.getAfter(), {}, types, locs);
  ValueRange state = whileOp.getAfterArguments();
  // An exhausted operand gets the first element of its buffer as its position,
  // which can always be read. The coordinates read there are not used.
  SmallVector<CoordinateBlock> blocks;
  Conditions alive;
  SmallVector<Value> last, next;
  for (auto [k, n] : llvm::enumerate(operands)) {
    const ChildRange &range = loop.ranges[n];
    alive.push_back(k == 0 ? kAlways : Condition(isAlive(k, state)));
    Value position = emitSelect(b, alive[k], state[k], 0);
    blocks.push_back({range.level.get(), position, range.end});
    next.push_back(Number(b, state[k]) + lanes);
    Value end = min(Number(b, next.back()), range.end);
    end = emitSelect(b, alive[k], Number(b, end) - 1, 0);
    last.push_back(
        emitSelect(b, alive[k], range.level->coordinate(b, end), kInfinity));
  }
  Value seen = state[operands.size()], least = last[1];
  for (unsigned k = 1; k < operands.size(); ++k) {
    Value matches = emitMatches(b, blocks[0], blocks[k], lanes);
    seen = Number(b, seen) | emitSelect(b, alive[k], matches, none);
    least = min(Number(b, least), last[k]);
  }
  Value step = state[operands.size() + 1];
  ValueRange carried = state.drop_front(operands.size() + 2);
  Number isDone = Number(b, last[0]) <= least;
  SmallVector<Value> yielded = {select(isDone, next[0], state[0])};
  for (unsigned k = 1; k < operands.size(); ++k) {
    Number isBehind = Number(b, last[k]) <= last[0];
    yielded.push_back(select(isBehind, next[k], state[k]));
  }
  yielded.push_back(select(isDone, none, seen));
  yielded.push_back(Number(b, step) + 1);
  llvm::append_range(yielded, addMatches(select(isDone, seen, none), carried));
  scf::YieldOp::create(b, yielded);

  b.setInsertionPointAfter(whileOp);
  ValueRange results = whileOp.getResults();
  return addMatches(results[operands.size()],
                    results.drop_front(operands.size() + 2));
}
