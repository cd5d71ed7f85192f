//===- EndsOfRuns.cpp - Ends of runs of equal coordinates -----------------===//

#include "CoordinateBlock.h"
#include "MergeSteps.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

///   low = position; step = 1
///   while low + step - 1 < end and crd[low + step - 1] == coordinate:
///     low += step; step += step
///   return the first of [low, low + step) with another coordinate (bisection)
static Value searchEndOfRun(ImplicitLocOpBuilder &b, const ChildRange &range,
                            Value coordinate, Value position) {
  Number one(b, 1);
  auto lastOf = [&](ValueRange low) -> Value {
    return Number(b, low[0]) + low[1] - one;
  };
  auto isInRun = [&](ValueRange low) -> Value {
    Value last = lastOf(low);
    Value there = coordinateOrInfinity(b, range, last);
    // The operand itself does not decide how long the search goes on.
    Number isInside = Number(b, last) < range.end;
    Value isSame = Number(b, there) == coordinate;
    return isInside & isSame;
  };
  Values found =
      emitWhile(b, {position, one}, isInRun, [&](ValueRange low) -> Values {
        Value next = Number(b, low[0]) + low[1];
        return {next, Number(b, low[1]) + low[1]};
      });
  Value high = min(Number(b, lastOf(found)), range.end);
  return endOfRun(b, *range.level, coordinate, found[0], high);
}

/// `shortest`, or what `inFull` emits if `isLonger`.
static Value emitUnless(ImplicitLocOpBuilder &b, Value isLonger, Value shortest,
                        function_ref<Value()> inFull) {
  auto ifLonger = scf::IfOp::create(b, b.getIndexType(), isLonger,
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifLonger.thenBlock());
  scf::YieldOp::create(b, inFull());
  b.setInsertionPointToStart(ifLonger.elseBlock());
  scf::YieldOp::create(b, shortest);
  return ifLonger.getResult(0);
}

/// A run that is shorter than a vector register ends within one block of
/// coordinates; the end of a longer run is searched.
static Value searchEnd(const Coiteration &loop, unsigned n, Value coordinate,
                       Value position, Condition present) {
  ImplicitLocOpBuilder &b = loop.b;
  const ChildRange &range = loop.ranges[n];
  unsigned lanes = lanesOf(loop, n);
  if (lanes == 0)
    return searchEndOfRun(b, range, coordinate, position);
  CoordinateBlock block = {range.level.get(), position, range.end};
  Value count = countEqual(b, block, coordinate, lanes);
  count = emitSelect(b, present, count, 0);
  Value end = Number(b, position) + count;
  Value isLong = Number(b, count) == int64_t(lanes);
  return emitUnless(b, isLong, end,
                    [&] { return searchEndOfRun(b, range, coordinate, end); });
}

Value nacho::emitEndOfRun(const Coiteration &loop, unsigned n, Value coordinate,
                          Value position, Condition present) {
  ImplicitLocOpBuilder &b = loop.b;
  const ChildRange &range = loop.ranges[n];
  Value all = range.level->reachesEnd(b, coordinate, range.end);
  if (!all)
    return searchEnd(loop, n, coordinate, position, present);
  Value end = emitUnless(b, !Number(b, all), range.end, [&] {
    return searchEnd(loop, n, coordinate, position, present);
  });
  return emitSelect(b, present, end, position);
}
