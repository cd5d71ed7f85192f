//===- Launches.cpp - Launches, and the lanes of their warps --------------===//

#include "Launches.h"

#include "WarpOps.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

gpu::LaunchOp nacho::createLaunch(ImplicitLocOpBuilder &b, Value blocks,
                                  Value threads) {
  Number one(b, 1);
  auto launch = gpu::LaunchOp::create(b, blocks, one, one, threads, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

Value LaneGroup::ask(ImplicitLocOpBuilder &b, ParallelOp workers, Value bits,
                     Value number) const {
  Type word = b.getI32Type();
  if (!isPartOfWarp()) {
    Number lanes(b, numLanes, word);
    return gpu::ShuffleOp::create(b, bits, Number(b, number).as(word), lanes,
                                  gpu::ShuffleMode::IDX)
        .getShuffleResult();
  }
  // The number may be one for many shuffles, in loops.
  ImplicitLocOpBuilder before(b);
  if (workers->isAncestor(number.getParentBlock()->getParentOp()))
    before.setInsertionPointAfterValue(number);
  Value at = (Number(before, first) + number).as(word);
  return emitAsk(b, b.getLoc(), mask, bits, at);
}

/// Lanes exchange 32 bits at a time.
static void lowerFromLane(FromLaneOp op, ParallelOp workers,
                          const LaneGroup &group) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getType(), word = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value bits = op.getValue();
  if (type != integer)
    bits = arith::BitcastOp::create(b, integer, bits);
  auto exchange = [&](Value part) {
    return group.ask(b, workers, part, op.getLane());
  };
  Value found;
  if (width <= 32) {
    if (width < 32)
      bits = Number(b, bits).as(word);
    found = exchange(bits);
    if (width < 32)
      found = Number(b, found).as(integer);
  } else {
    Number half(b, 32, integer), whole(b, bits);
    Number low(b, exchange(whole.as(word)));
    Number high(b, exchange((whole >> half).as(word)));
    high = high.as(integer) << half;
    found = high | low.as(integer);
  }
  if (type != integer)
    found = arith::BitcastOp::create(b, type, found);
  op.replaceAllUsesWith(found);
  op.erase();
}

void nacho::lowerLanes(Region &code, ParallelOp workers, LaneOp lanes,
                       const LaneGroup &group) {
  lanes.replaceAllUsesWith(group.lane);
  lanes.erase();
  code.walk([&](FromLaneOp from) { lowerFromLane(from, workers, group); });
  code.walk([&](BallotOp ballot) {
    OpBuilder b(ballot);
    ballot.replaceAllUsesWith(
        emitBallot(b, ballot.getLoc(), ballot.getFlag(), ballot.getType()));
    ballot.erase();
  });
  code.walk([&](LaneSyncOp sync) {
    OpBuilder b(sync);
    emitWarpSync(b, sync.getLoc());
    sync.erase();
  });
}
