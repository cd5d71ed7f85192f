//===- ParallelToGPU.cpp - The backend contract on gpu.launch -------------===//

#include "BlocksInOrder.h"
#include "ScanOnDevice.h"
#include "TileCuts.h"
#include "TileWindows.h"
#include "WarpOps.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOPARALLELTOGPU
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static gpu::LaunchOp createLaunch(ImplicitLocOpBuilder &b, Value blocks,
                                  Value threads) {
  Number one(b, 1);
  auto launch = gpu::LaunchOp::create(b, blocks, one, one, threads, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

namespace {
/// The lanes of a warp that do a part together.
struct LaneGroup {
  Value lane;  ///< The number of a thread among them.
  Value first; ///< The number of the first of them in its warp.
  Value mask;  ///< The bits of all of them in a word.
  int64_t numLanes, numInWarp;

  /// Whether a warp has other groups, which may be elsewhere.
  bool isPartOfWarp() const { return numLanes < numInWarp; }
  /// Emits a shuffle of 32 bits, from the lane with a number.
  Value ask(ImplicitLocOpBuilder &b, ParallelOp workers, Value bits,
            Value number) const;
};
} // namespace

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
static void lowerFromLane(FromLaneOp op, const LaneGroup &group) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getType(), word = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value bits = op.getValue();
  if (type != integer)
    bits = arith::BitcastOp::create(b, integer, bits);
  auto workers = op->getParentOfType<ParallelOp>();
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

/// The lanes of a group do the body of a loop over workers.
static void lowerLanes(ParallelOp op, gpu::LaunchOp launch, LaneOp lanes,
                       const LaneGroup &group) {
  if (!group.isPartOfWarp())
    launch->setAttr(kDoesParts, UnitAttr::get(op.getContext()));
  lanes.replaceAllUsesWith(group.lane);
  lanes.erase();
  op.getBody().walk([&](FromLaneOp from) { lowerFromLane(from, group); });
  op.getBody().walk([&](BallotOp ballot) {
    OpBuilder b(ballot);
    ballot.replaceAllUsesWith(
        emitBallot(b, ballot.getLoc(), ballot.getFlag(), ballot.getType()));
    ballot.erase();
  });
  op.getBody().walk([&](LaneSyncOp sync) {
    OpBuilder b(sync);
    emitWarpSync(b, sync.getLoc());
    sync.erase();
  });
}

/// Whether the workers of a loop need a block each: they use rows of
/// workspaces, or memory that no other warp may access.
static bool needBlocks(ParallelOp op) {
  return op.getBody()
      .walk([](Operation *inner) {
        return isa<SlotOp, LaneMemoryOp>(inner) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Memory that lanes share becomes shared memory of the block.
static void lowerMemory(gpu::LaunchOp launch) {
  auto space = gpu::AddressSpaceAttr::get(launch.getContext(),
                                          gpu::AddressSpace::Workgroup);
  launch.walk([&](LaneMemoryOp op) {
    auto type = MemRefType::Builder(op.getType()).setMemorySpace(space);
    op.replaceAllUsesWith(launch.addWorkgroupAttribution(type, op.getLoc()));
    op.erase();
  });
}

/// Moves the body of a loop over workers into another block.
static void moveBody(ParallelOp op, Value worker, Block *into) {
  op.getWorker().replaceAllUsesWith(worker);
  op.getBodyBlock()->getTerminator()->erase();
  into->getOperations().splice(into->begin(),
                               op.getBodyBlock()->getOperations());
}

/// for each slot: for (worker = slot; worker < workers; worker += slots): body
///
/// There are fewer slots than a GPU has warps. Each has one to itself, since
/// those of a warp would wait for each other wherever they branch differently;
/// its lanes do the body together if they have numbers there.
static void lowerWithSlots(ParallelOp op, LaneOp lanes, int64_t slots) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Number threads(b, slots);
  threads = min(threads, op.getThreads());
  threads = min(threads, op.getWorkers());
  Number size(b, lanes ? int64_t(lanes.getOf()) : 1);
  gpu::LaunchOp launch = createLaunch(b, threads, size);
  Value thread = launch.getBlockIds().x;
  if (lanes) {
    auto numLanes = int64_t(lanes.getOf());
    lowerLanes(op, launch, lanes,
               {launch.getThreadIds().x, {}, {}, numLanes, numLanes});
  }
  auto loop = scf::ForOp::create(b, thread, op.getWorkers(), threads);
  moveBody(op, loop.getInductionVar(), loop.getBody());
  loop.walk([&](SlotOp slot) {
    slot.replaceAllUsesWith(thread);
    slot.erase();
  });
  // The workers of one thread use the same memory, one after the other.
  loop.walk([&](memref::AllocaOp alloca) {
    if (alloca->getNumOperands() == 0)
      alloca->moveBefore(loop);
  });
  lowerMemory(launch);
  op.erase();
}

/// Lanes of a warp take a part: thread n of a block does part n / lanes of it.
static void lowerShared(ParallelOp op, LaneOp lanes, int64_t blockSize,
                        int64_t numInWarp) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto numLanes = int64_t(lanes.getOf());
  int64_t parts = std::max<int64_t>(blockSize / numLanes, 1);
  Number size(b, parts);
  Number ofPart(b, numLanes);
  Value blocks = ceilDiv(Number(b, op.getWorkers()), size);
  Number threads(b, parts * numLanes);
  gpu::LaunchOp launch = createLaunch(b, blocks, threads);
  Number thread(b, launch.getThreadIds().x);
  Number first = Number(b, launch.getBlockIds().x) * size;
  Number part = first + thread / ofPart;
  LaneGroup group{thread % ofPart, {}, {}, numLanes, numInWarp};
  if (group.isPartOfWarp()) {
    Type word = b.getI32Type();
    Number first = thread % numInWarp - group.lane;
    group.first = first;
    group.mask = Number(b, (int64_t(1) << numLanes) - 1, word)
                 << first.as(word);
  }
  lowerLanes(op, launch, lanes, group);
  Value exists = part < op.getWorkers();
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/false);
  moveBody(op, part, ifExists.thenBlock());
  op.erase();
}

/// Whether some lanes of a warp can do the body of a loop over workers: they
/// ask each other for numbers, but do not wait for all lanes otherwise.
static bool canShareWarp(ParallelOp op) {
  return !needBlocks(op) && !op.getBody()
                                 .walk([](Operation *inner) {
                                   return isa<BallotOp, LaneSyncOp>(inner)
                                              ? WalkResult::interrupt()
                                              : WalkResult::advance();
                                 })
                                 .wasInterrupted();
}

static void lowerParallel(ParallelOp op, int64_t blockSize) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Number size(b, blockSize);
  Value blocks = ceilDiv(Number(b, op.getWorkers()), size);
  std::optional<BlocksInOrder> order;
  for (auto await : op.getBodyBlock()->getOps<AwaitOp>())
    order.emplace(b, await, blocks, blockSize);
  gpu::LaunchOp launch = createLaunch(b, blocks, size);
  Value block = order ? order->begin(launch) : launch.getBlockIds().x;
  Number thread = Number(b, block) * size + launch.getThreadIds().x;
  Value exists = thread < op.getWorkers();
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/false);
  for (auto await :
       llvm::make_early_inc_range(op.getBodyBlock()->getOps<AwaitOp>()))
    await.erase();
  moveBody(op, thread, ifExists.thenBlock());
  if (order) {
    order->end(launch);
    b.setInsertionPointAfter(launch);
    order->release();
  }
  op.erase();
}

/// Computes again, after a barrier, what is used there of what lies before it.
/// Fails if that takes memory, which may have changed.
static LogicalResult repeatAfter(TileSyncOp sync) {
  Block *body = sync->getBlock();
  OpBuilder b(sync->getContext());
  b.setInsertionPointAfter(sync);
  IRMapping copies;
  WalkResult result = WalkResult::advance();
  std::function<Value(Value)> repeat = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !op->isBeforeInBlock(sync))
      return value;
    if (Value copy = copies.lookupOrNull(value))
      return copy;
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
      result = WalkResult::interrupt();
    for (Value operand : op->getOperands())
      copies.map(operand, repeat(operand));
    b.clone(*op, copies);
    return copies.lookup(value);
  };
  SmallVector<OpOperand *> uses;
  for (Operation *op = sync->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        uses.push_back(&use);
    });
  for (OpOperand *use : uses)
    use->set(repeat(use->get()));
  if (result.wasInterrupted())
    return sync.emitOpError("has values before it that are used after it, and "
                            "take memory");
  return success();
}

/// Moves ops from the beginning of the code of parts to where a block does
/// them. It becomes a branch of its own: threads without a part get to
/// barriers, too.
static Block *moveUntil(ImplicitLocOpBuilder &b, Value exists, Block *body,
                        Block::iterator end) {
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/false);
  Block *into = ifExists.thenBlock();
  into->getOperations().splice(into->begin(), body->getOperations(),
                               body->begin(), end);
  return into;
}

/// Moves what lies before a barrier, which becomes one of the block. Returns
/// where it is then.
static FailureOr<Block *> moveUntilSync(ImplicitLocOpBuilder &b, Value exists,
                                        TileSyncOp sync) {
  if (failed(repeatAfter(sync)))
    return failure();
  Block *into = moveUntil(b, exists, sync->getBlock(), sync->getIterator());
  sync.erase();
  gpu::BarrierOp::create(b);
  return into;
}

/// Moves the code of parts, with the barriers in it. Between these, parts go to
/// windows or to arrays.
static LogicalResult moveParts(ImplicitLocOpBuilder &b, ParallelOp op,
                               Value exists, TileWindows &windows) {
  Block *body = op.getBodyBlock();
  SmallVector<TileSyncOp> syncs(body->getOps<TileSyncOp>());
  for (TileSyncOp sync : syncs) {
    FailureOr<Block *> before = moveUntilSync(b, exists, sync);
    if (failed(before))
      return failure();
    windows.choose(*before, /*isLast=*/false);
  }
  body->getTerminator()->erase();
  windows.choose(moveUntil(b, exists, body, body->end()), /*isLast=*/true);
  return success();
}

/// A block takes the parts of a tile: it makes their windows, does them, and
/// copies what they have written. If the parts find the cuts of their tile, the
/// block does that first: windows lie between these.
static LogicalResult lowerTiled(ParallelOp op, TileOp tile,
                                int64_t sharedBytes) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Number size(b, int64_t(tile.getBy()));
  Value parts = op.getWorkers();
  Value blocks = ceilDiv(Number(b, parts), size);
  gpu::LaunchOp launch = createLaunch(b, blocks, size);
  Value thread = launch.getThreadIds().x;
  Number begin = Number(b, launch.getBlockIds().x) * size;
  Value part = begin + thread;
  Value end = min(begin + size, parts);
  TileCuts cuts(launch, op, {thread, size, begin, end});
  TileWindows windows(launch, tile, thread, sharedBytes - cuts.numBytes());
  Value exists = Number(b, part) < parts;
  op.getWorker().replaceAllUsesWith(part);
  tile.getBegin().replaceAllUsesWith(begin);
  tile.getEnd().replaceAllUsesWith(end);
  if (TileSyncOp sync = cuts.findSync())
    if (failed(moveUntilSync(b, exists, sync)))
      return failure();
  windows.emitBefore(b, begin, end);
  tile.erase();
  if (failed(moveParts(b, op, exists, windows)))
    return failure();
  windows.emitAfter(b);
  cuts.emitAfter(b);
  op.erase();
  return success();
}

namespace {
struct ParallelToGPU
    : nacho::impl::ConvertNachoParallelToGPUBase<ParallelToGPU> {
  using ConvertNachoParallelToGPUBase::ConvertNachoParallelToGPUBase;

  void runOnOperation() override {
    // A GPU hides the latency of memory by running other threads.
    getOperation().walk([](memref::PrefetchOp op) { op.erase(); });
    getOperation().walk([&](PrefixSumOp op) { sumOnDevice(op, lanes); });
    getOperation().walk([&](ExclusiveScanOp op) { scanOnDevice(op, lanes); });
    WalkResult result = getOperation().walk([&](ParallelOp op) -> WalkResult {
      if (TileOp tile = tileOf(op))
        return lowerTiled(op, tile, sharedBytes);
      auto found = op.getBodyBlock()->getOps<LaneOp>();
      LaneOp lane = found.empty() ? LaneOp() : *found.begin();
      int64_t count = lane ? int64_t(lane.getOf()) : lanes;
      bool isPart =
          lanes % count == 0 && llvm::isPowerOf2_64(count) && canShareWarp(op);
      if (count != lanes && !isPart)
        return lane.emitOpError("needs a warp of as many lanes, which are ")
               << static_cast<int64_t>(lanes);
      if (needBlocks(op))
        lowerWithSlots(op, lane, slots);
      else if (lane)
        lowerShared(op, lane, blockSize, lanes);
      else
        lowerParallel(op, blockSize);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
