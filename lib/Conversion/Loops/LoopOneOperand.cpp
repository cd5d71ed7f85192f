//===- LoopOneOperand.cpp - Loops over the coordinates of one operand -----===//
//
//   for position = begin to end: body(crd[position])
//
//===----------------------------------------------------------------------===//

#include "LoopShape.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

namespace {
/// A carried value to which each step of a loop adds the same number.
struct Counter {
  unsigned number; ///< Among the carried values.
  arith::AddIOp next;
  Value term;
};
} // namespace

/// The carried values that each step adds the same number to, and does nothing
/// else with.
static SmallVector<Counter> countersOf(CoiterateOp op) {
  SmallVector<Counter> counters;
  Operation *yield = op.getBodyBlock()->getTerminator();
  for (auto [n, value] : llvm::enumerate(op.getCarried())) {
    auto next = yield->getOperand(n).getDefiningOp<arith::AddIOp>();
    if (!next || !value.hasOneUse() || !next->hasOneUse() ||
        !llvm::is_contained(next->getOperands(), value))
      continue;
    Value term = next.getLhs() == value ? next.getRhs() : next.getLhs();
    if (term.getParentRegion()->isProperAncestor(&op.getBody()))
      counters.push_back({unsigned(n), next, term});
  }
  return counters;
}

/// What the counters are after the loop follows from the number of steps,
/// unless they count under a condition.
Values nacho::emitFor(Coiteration &loop, Value from, Value end,
                      ValueRange inits, unsigned firstCarried,
                      llvm::function_ref<Values(Value, ValueRange)> step) {
  ImplicitLocOpBuilder &b = loop.b;
  SmallVector<Counter> counters = countersOf(loop.op);
  OpBuilder::InsertionGuard guard(b);
  auto forOp = scf::ForOp::create(b, from, end, Number(b, 1), inits);
  // For a loop without carried values, `create` has already added a yield.
  if (!forOp.getBody()->empty())
    forOp.getBody()->back().erase();
  b.setInsertionPointToEnd(forOp.getBody());
  Values next = step(forOp.getInductionVar(), forOp.getRegionIterArgs());

  Values results(forOp.getResults());
  b.setInsertionPointAfter(forOp);
  for (const Counter &counter : counters) {
    if (counter.next->getBlock() != forOp.getBody())
      continue;
    unsigned n = firstCarried + counter.number;
    next[n] = forOp.getRegionIterArg(n);
    Number length = Number(b, forOp.getUpperBound()) - forOp.getLowerBound();
    Number steps = maxSigned(length, 0).asSigned(counter.term.getType());
    Value growth = Number(b, counter.term) * steps;
    results[n] = Number(b, forOp.getInitArgs()[n]) + growth;
  }
  b.setInsertionPointToEnd(forOp.getBody());
  scf::YieldOp::create(b, next);
  return results;
}

Values nacho::emitRest(Coiteration &loop, unsigned n, Value from,
                       SmallVector<FiberValue> children, ValueRange carried) {
  ImplicitLocOpBuilder &b = loop.b;
  const ChildRange &range = loop.ranges[n];
  auto step = [&](Value position, ValueRange values) {
    Value coordinate = range.level->coordinate(b, position);
    for (unsigned k : loop.stored)
      children[k].position = k == n ? position : Number(b, 0);
    return loop.emitBody(coordinate, children, values);
  };
  return emitFor(loop, from, range.end, carried, /*firstCarried=*/0, step);
}

static bool hasOneOperand(const Coiteration &loop) {
  return loop.stored.size() == 1 &&
         loop.ranges[loop.stored.front()].level->isUnique();
}

static Values emitOne(Coiteration &loop) {
  unsigned n = loop.stored.front();
  return emitRest(loop, n, loop.ranges[n].begin, loop.children(),
                  loop.op.getInits());
}

const LoopShape nacho::kOneOperand = {hasOneOperand, emitOne};
