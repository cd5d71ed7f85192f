//===- ParallelToGPU.cpp - The backend contract on gpu.launch -------------===//

#include "../ScanLoop.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOPARALLELTOGPU
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static gpu::LaunchOp createLaunch(ImplicitLocOpBuilder &b, Value blocks,
                                  Value threads) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto launch = gpu::LaunchOp::create(b, blocks, one, one, threads, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

/// Whether the workers of a loop use rows of workspaces.
static bool hasSlots(ParallelOp op) {
  return op.getBody()
      .walk([](SlotOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Moves the body of a loop over workers into another block.
static void moveBody(ParallelOp op, Value worker, Block *into) {
  op.getWorker().replaceAllUsesWith(worker);
  op.getBodyBlock()->getTerminator()->erase();
  into->getOperations().splice(into->begin(),
                               op.getBodyBlock()->getOperations());
}

/// for each slot: for (worker = slot; worker < workers; worker += slots): body
static void lowerWithSlots(ImplicitLocOpBuilder &b, ParallelOp op, Value thread,
                           Value threads) {
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
}

static void lowerParallel(ParallelOp op, int64_t blockSize, int64_t slots) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  bool isLimited = hasSlots(op);
  if (isLimited)
    blockSize = std::min(blockSize, slots);
  Value size = arith::ConstantIndexOp::create(b, blockSize);
  Value blocks = arith::CeilDivUIOp::create(b, op.getWorkers(), size);
  if (isLimited) {
    Value most = arith::ConstantIndexOp::create(b, slots / blockSize);
    blocks = arith::MinUIOp::create(b, blocks, most);
  }
  gpu::LaunchOp launch = createLaunch(b, blocks, size);
  Value first = arith::MulIOp::create(b, launch.getBlockIds().x, size);
  Value thread = arith::AddIOp::create(b, first, launch.getThreadIds().x);
  if (isLimited) {
    lowerWithSlots(b, op, thread, arith::MulIOp::create(b, blocks, size));
  } else {
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                         op.getWorkers());
    auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/false);
    moveBody(op, thread, ifExists.thenBlock());
  }
  op.erase();
}

/// for n: values[n] = sum += values[n], in a single thread
static void lowerPrefixSum(PrefixSumOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value size = memref::DimOp::create(b, op.getValues(), zero);
  createLaunch(b, one, one);
  Type element = cast<MemRefType>(op.getValues().getType()).getElementType();
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(element));
  auto loop = scf::ForOp::create(b, zero, size, one, none);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Value value = memref::LoadOp::create(b, op.getValues(), at);
  Value sum = arith::AddIOp::create(b, loop.getRegionIterArg(0), value);
  memref::StoreOp::create(b, sum, op.getValues(), at);
  scf::YieldOp::create(b, sum);
  op.erase();
}

namespace {
struct ParallelToGPU
    : nacho::impl::ConvertNachoParallelToGPUBase<ParallelToGPU> {
  using ConvertNachoParallelToGPUBase::ConvertNachoParallelToGPUBase;

  void runOnOperation() override {
    // A GPU hides the latency of memory by running other threads.
    getOperation().walk([](memref::PrefetchOp op) { op.erase(); });
    getOperation().walk([](PrefixSumOp op) { lowerPrefixSum(op); });
    getOperation().walk([&](ParallelOp op) { lowerParallel(op, blockSize, slots); });
    getOperation().walk([](ExclusiveScanOp op) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value one = arith::ConstantIndexOp::create(b, 1);
      createLaunch(b, one, one);
      emitScanLoop(b, op);
      op.erase();
    });
  }
};
} // namespace
