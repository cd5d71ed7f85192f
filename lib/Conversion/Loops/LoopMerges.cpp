//===- LoopMerges.cpp - Loops that step through several operands ----------===//

#include "LoopShape.h"
#include "MergeSteps.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// A step is short if the body has no other loop, and no run to step through.
bool nacho::hasShortSteps(const Coiteration &loop) {
  bool isInnermost = llvm::none_of(
      CoiterateOp(loop.op).getBody().getOps(),
      llvm::IsaPred<CoiterateOp, CountOp, AccumulateOp, EachLaneOp>);
  return isInnermost && llvm::all_of(loop.stored, [&](unsigned n) {
           return loop.ranges[n].level->isUnique();
         });
}

/// while every operand has coordinates left:
///   coordinate = the least of them; body(coordinate)
///   the operands that have this coordinate move on
Values nacho::emitWhileAll(Coiteration &loop, ValueRange state) {
  bool isBranching = loop.lowering.options.branches && unitesTwo(loop);
  return emitWhileBelow(loop.b, state, loop.ends(), [&](ValueRange now) {
    return isBranching ? emitBranches(loop, now) : emitPlainStep(loop, now);
  });
}

static Values startWhileAll(Coiteration &loop) {
  return emitWhileAll(loop, loop.inits());
}

/// Emits the loop of `emitWhileAll` so that each step loads the next
/// coordinates before it knows whether they are needed. The loop thus ends one
/// position early: after the last element of a buffer there is nothing to load.
static Values emitWhileAhead(Coiteration &loop) {
  ImplicitLocOpBuilder &b = loop.b;
  Values ends;
  for (unsigned n : loop.stored) {
    Value last = loop.ranges[n].level->last(b);
    ends.push_back(min(Number(b, loop.ranges[n].end), last));
  }
  Values inits = MergeState::load(loop, loop.inits()).flatten();
  Values results = emitWhileBelow(b, inits, ends, [&](ValueRange values) {
    MergeState now = MergeState::unflatten(loop, values);
    return emitStep(loop, now.emitLeast(b), now, loop.children(),
                    Operands::goOn)
        .flatten();
  });
  return MergeState::unflatten(loop, results).withoutCoordinates();
}

/// while the merge expression can still hold:
///   coordinate = the least that any operand has; body(coordinate)
static Values emitWhileAny(Coiteration &loop, ValueRange state) {
  ImplicitLocOpBuilder &b = loop.b;
  auto canHold = [&](ValueRange values) -> Value {
    MergeState now = MergeState::unflatten(loop, values);
    Number infinity(b, kInfinity);
    if (holdsAtAny(loop.domain, loop.fibers.size()))
      return Number(b, now.emitLeast(b)) != infinity;
    SmallVector<Condition> alive(loop.ranges.size(), kAlways);
    for (auto [n, coordinate] : llvm::zip(loop.stored, now.coordinates))
      alive[n] = Number(b, coordinate) != infinity;
    return emitFlag(b, emitMerge(b, loop.domain, alive));
  };
  auto step = [&](ValueRange values) {
    MergeState now = MergeState::unflatten(loop, values);
    return emitStep(loop, now.emitLeast(b), now, loop.children(),
                    Operands::mayEnd)
        .flatten();
  };
  return emitWhile(b, MergeState::load(loop, state).flatten(), canHold, step);
}

/// The same loop, but each step loads the coordinates at its beginning. Threads
/// that do parts together wait for each other where a row begins: the less is
/// done there, the better. And they do something else while one of them waits
/// for what it loads.
static Values emitWhileAnyTogether(Coiteration &loop) {
  ImplicitLocOpBuilder &b = loop.b;
  auto canHold = [&](ValueRange values) -> Value {
    SmallVector<Condition> alive(loop.ranges.size(), kAlways);
    for (auto [n, position] : llvm::zip(loop.stored, values))
      alive[n] = Number(b, position) < loop.ranges[n].end;
    return emitFlag(b, emitMerge(b, loop.domain, alive));
  };
  auto step = [&](ValueRange values) {
    MergeState now = MergeState::load(loop, values);
    return emitStep(loop, now.emitLeast(b), now, loop.children(),
                    Operands::mayEnd)
        .withoutCoordinates();
  };
  Values state = emitWhile(b, loop.inits(), canHold, step);
  if (holdsAtAny(loop.domain, loop.fibers.size()))
    for (auto [n, position] : llvm::zip(loop.stored, state))
      loop.lowering.left[CoiterateOp(loop.op).getFibers()[n]] = position;
  return state;
}

static bool endsWithAnyOperand(const Coiteration &loop) {
  return hasShortSteps(loop) && llvm::all_of(loop.stored, [&](unsigned n) {
           return holdsOnlyWith(loop.domain, n);
         });
}

static Values emitShortMerge(Coiteration &loop) {
  return emitInWindows(loop, startWhileAll);
}

const LoopShape nacho::kShortMerge = {endsWithAnyOperand, emitShortMerge};

Values nacho::emitUntilOneEnds(Coiteration &loop) {
  bool isBranching = loop.lowering.options.branches && unitesTwo(loop);
  return loop.emitCopy([&] {
    return emitInWindows(loop, isBranching ? startWhileAll : emitWhileAhead);
  });
}

static bool canTakeTwoLoops(const Coiteration &loop) {
  return hasShortSteps(loop) && !loop.lowering.options.together;
}

/// Emits two loops: one that runs until the first operand is exhausted, without
/// checks for that, and one for the rest of the others.
static Values emitTwoMerges(Coiteration &loop) {
  return emitWhileAny(loop, emitUntilOneEnds(loop));
}

const LoopShape nacho::kTwoMerges = {canTakeTwoLoops, emitTwoMerges};

const LoopShape nacho::kMerge = {
    [](const Coiteration &) { return true; },
    [](Coiteration &loop) {
      // A kernel for lanes that run together would take both ways.
      loop.dividesCuts = loop.lowering.options.vectorBits > 0;
      return loop.lowering.options.together ? emitWhileAnyTogether(loop)
                                            : emitWhileAny(loop, loop.inits());
    }};
