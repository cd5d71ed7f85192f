//===- ParallelToGPU.cpp - The backend contract on gpu.launch -------------===//

#include "BlocksInOrder.h"
#include "Launches.h"
#include "ScanOnDevice.h"
#include "TileCuts.h"
#include "TiledParts.h"
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

/// The lanes of a group do the body of a loop over workers.
static void lowerParts(ParallelOp op, gpu::LaunchOp launch, LaneOp lanes,
                       const LaneGroup &group) {
  if (!group.isPartOfWarp())
    launch->setAttr(kDoesParts, UnitAttr::get(op.getContext()));
  lowerLanes(op.getBody(), op, lanes, group);
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
    lowerParts(op, launch, lanes,
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
  lowerParts(op, launch, lanes, group);
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

namespace {
struct ParallelToGPU
    : nacho::impl::ConvertNachoParallelToGPUBase<ParallelToGPU> {
  using ConvertNachoParallelToGPUBase::ConvertNachoParallelToGPUBase;

  void runOnOperation() override {
    // A GPU hides the latency of memory by running other threads.
    getOperation().walk([](memref::PrefetchOp op) { op.erase(); });
    shareColumns(getOperation());
    getOperation().walk([&](PrefixSumOp op) { sumOnDevice(op, lanes); });
    getOperation().walk([&](ExclusiveScanOp op) { scanOnDevice(op, lanes); });
    WalkResult result = getOperation().walk([&](ParallelOp op) -> WalkResult {
      if (TileOp tile = tileOf(op))
        return lowerTiled(op, tile, sharedBytes, lanes);
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
