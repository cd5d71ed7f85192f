//===- LoopUnions.cpp - Unions of two operands ----------------------------===//
//
// Short rows spend much of their time where one operand is exhausted. What is
// left of the other one is therefore not merged with anything:
//
//   while posA < endA and posB < endB: ...
//   for posA to endA: body for a coordinate of A alone
//   for posB to endB: body for a coordinate of B alone
//
// The steps of the first loop either select among the operands, as in any other
// merge, or they branch.
//
// Other shapes add up the terms of a union in the order of coordinates, and so
// do these loops, even where one over an operand could add them up in lanes:
// sums must not depend on the shape, which differs from target to target.
//
//===----------------------------------------------------------------------===//

#include "LoopShape.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

bool nacho::unitesTwo(const Coiteration &loop) {
  return !loop.isCount && loop.stored.size() == 2 && loop.fibers.size() == 2 &&
         holdsAtAny(CoiterateOp(loop.op).getMerge(), 2);
}

/// Whether only one operand is left when another is exhausted. Windows end
/// before operands do.
static bool leavesOne(const Coiteration &loop) {
  return hasShortSteps(loop) && !loop.lowering.options.together &&
         unitesTwo(loop) && !hasWindows(loop);
}

/// Fixes the order of sums in the body, of which each loop gets a copy.
static void addInOrder(CoiterateOp op) {
  op.walk([](BinaryOp sum) {
    if (sum.getKind() == BinaryKind::add)
      sum.setReassociable(false);
  });
}

static Values emitUnion(Coiteration &loop) {
  addInOrder(loop.op);
  Values state = emitUntilOneEnds(loop);
  // Without branches, both may have coordinates left: the last one of a buffer
  // is never loaded ahead.
  if (!loop.lowering.options.branches)
    state = loop.emitCopy([&] { return emitWhileAll(loop, state); });
  Condition absent = Number::flag(loop.b, false);
  auto emitRestOf = [&](unsigned n, ValueRange carried) {
    SmallVector<FiberValue> children = loop.children();
    children[1 - n].present = absent;
    return emitRest(loop, n, state[n], std::move(children), carried);
  };
  Values carried = loop.emitCopy(
      [&] { return emitRestOf(0, ArrayRef(state).drop_front(2)); });
  return emitRestOf(1, carried);
}

const LoopShape nacho::kUnionOfTwo = {leavesOne, emitUnion};
