//===- LoopCounts.cpp - Counts of the coordinates of merges ---------------===//
//
// As no body needs the single coordinates, some counts are faster than loops:
//
//   |A| = end - begin
//   |A n B|, |C n (A u B)|: add up the numbers of matches in each block
//
//===----------------------------------------------------------------------===//

#include "CoordinateBlock.h"
#include "LoopShape.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// The number of coordinates of one operand.
static Value countOne(ImplicitLocOpBuilder &b, const ChildRange &range) {
  return maxSigned(Number(b, range.end) - range.begin, 0);
}

static bool countsOne(const Coiteration &loop) {
  return loop.isCount && loop.stored.size() == 1 &&
         loop.ranges[loop.stored.front()].level->isUnique() &&
         CoiterateOp(loop.op).getMerge() == intersectStored(loop);
}

const LoopShape nacho::kCountOfOperand = {
    countsOne, [](Coiteration &loop) {
      return Values{countOne(loop.b, loop.ranges[loop.stored.front()])};
    }};

/// The operand C if a loop counts the coordinates of C n (A u B u ...). None
/// for loops in windows, for the windows of the operands do not end at the same
/// coordinate.
static std::optional<unsigned> findProbe(const Coiteration &loop) {
  if (!loop.isCount || CoiterateOp(loop.op).getMerge() != loop.domain ||
      loop.stored.size() < 3 || hasWindows(loop))
    return std::nullopt;
  MLIRContext *context = loop.b.getContext();
  for (unsigned probe : loop.stored) {
    SmallVector<MergeAttr> others;
    for (unsigned n : loop.stored)
      if (n != probe)
        others.push_back(MergeAttr::get(context, n));
    MergeAttr any = uniteMerges(context, others);
    MergeAttr leaf = MergeAttr::get(context, probe);
    if (loop.domain == intersectMerges(context, {any, leaf}) ||
        loop.domain == intersectMerges(context, {leaf, any}))
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
static Values countProbed(Coiteration &loop) {
  ImplicitLocOpBuilder &b = loop.b;
  unsigned lanes = lanesOf(loop), probe = *findProbe(loop);
  SmallVector<unsigned> operands = {probe};
  for (unsigned n : loop.stored)
    if (n != probe)
      operands.push_back(n);
  Values inits;
  for (unsigned n : operands)
    inits.push_back(loop.ranges[n].begin);
  Number steps(b, 0);
  for (unsigned n : operands)
    steps = steps + countOne(b, loop.ranges[n]);
  Number none(b, 0, b.getI64Type());
  inits.append({none, Number(b, 0)});
  llvm::append_range(inits, loop.op.getInits());
  auto isAlive = [&](unsigned k, ValueRange state) {
    return Number(b, state[k]) < loop.ranges[operands[k]].end;
  };
  auto goesOn = [&](ValueRange state) -> Value {
    Value any = isAlive(1, state);
    for (unsigned k = 2; k < operands.size(); ++k)
      any = Number(b, any) | isAlive(k, state);
    Number probing(b, isAlive(0, state));
    probing = probing & (Number(b, state[operands.size() + 1]) < steps);
    return probing & any;
  };
  auto step = [&](ValueRange state) {
    // An exhausted operand gets the first element of its buffer as its
    // position, which can always be read. The coordinates read there are not
    // used.
    SmallVector<CoordinateBlock> blocks;
    SmallVector<Condition> alive;
    Values last, next;
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
    Number isDone = Number(b, last[0]) <= least;
    Values yielded = {select(isDone, next[0], state[0])};
    for (unsigned k = 1; k < operands.size(); ++k) {
      Number isBehind = Number(b, last[k]) <= last[0];
      yielded.push_back(select(isBehind, next[k], state[k]));
    }
    yielded.push_back(select(isDone, none, seen));
    yielded.push_back(Number(b, state[operands.size() + 1]) + 1);
    yielded.push_back(addMatches(b, select(isDone, seen, none), state.back()));
    return yielded;
  };
  Values results = emitWhile(b, inits, goesOn, step);
  return {addMatches(b, results[operands.size()], results.back())};
}

static bool countsMatches(const Coiteration &loop) {
  return findProbe(loop) && lanesOf(loop) > 0;
}

const LoopShape nacho::kCountOfMatches = {countsMatches, countProbed};
