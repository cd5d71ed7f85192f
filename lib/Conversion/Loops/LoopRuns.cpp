//===- LoopRuns.cpp - Ends of runs of equal coordinates -------------------===//

#include "LoopLowering.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// The end of a run. A run that is shorter than a vector register ends within
/// one block of coordinates; the end of a longer run is searched.
Value LoopLowering::stepThroughRun(const Loop &loop, unsigned n,
                                   Value coordinate, Value position,
                                   Condition present) {
  const ChildRange &range = loop.ranges[n];
  if (Value end = range.level->endOfRun(b, coordinate, position, range.end))
    return emitSelect(b, present, end, position);
  unsigned lanes = lanesOf(loop.fibers[n].tensor);
  if (lanes == 0)
    return searchEndOfRun(range, coordinate, position);
  CoordinateBlock block = {range.level.get(), position, range.end};
  Value count = countEqual(block, coordinate, lanes);
  count = emitSelect(b, present, count, 0);
  Value end = Number(b, position) + count;
  Value isLong = Number(b, count) == int64_t(lanes);
  auto ifLong = scf::IfOp::create(b, b.getIndexType(), isLong,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifLong.thenBlock());
  scf::YieldOp::create(b, searchEndOfRun(range, coordinate, end));
  b.setInsertionPointToStart(ifLong.elseBlock());
  scf::YieldOp::create(b, end);
  return ifLong.getResult(0);
}

///   low = position; step = 1
///   while low + step - 1 < end and crd[low + step - 1] == coordinate:
///     low += step; step += step
///   return the first of [low, low + step) with another coordinate (bisection)
Value LoopLowering::searchEndOfRun(const ChildRange &range, Value coordinate,
                                   Value position) {
  Type index = b.getIndexType();
  SmallVector<Location> locs(2, b.getLoc());
  Number one(b, 1);
  auto loop = scf::WhileOp::create(b, TypeRange{index, index},
                                   ValueRange{position, one});
  auto lastOf = [&](ValueRange low) -> Value {
    return Number(b, low[0]) + low[1] - one;
  };
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before =
        b.createBlock(&loop.getBefore(), {}, TypeRange{index, index}, locs);
    Value last = lastOf(before->getArguments());
    Value there = coordinateOrInfinity(b, range, last);
    // The operand itself does not decide how long the search goes on.
    Number isInside = Number(b, last) < range.end;
    Value isSame = Number(b, there) == coordinate;
    scf::ConditionOp::create(b, isInside & isSame, before->getArguments());
    Block *after =
        b.createBlock(&loop.getAfter(), {}, TypeRange{index, index}, locs);
    Value low = after->getArgument(0), step = after->getArgument(1);
    Value next = Number(b, low) + step;
    Value far = Number(b, step) + step;
    scf::YieldOp::create(b, ValueRange{next, far});
  }
  Value high = min(Number(b, lastOf(loop.getResults())), range.end);
  return endOfRun(b, *range.level, coordinate, loop.getResult(0), high);
}
