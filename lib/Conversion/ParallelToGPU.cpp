//===- ParallelToGPU.cpp - The backend contract on gpu.launch -------------===//

#include "ScanLoop.h"
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

static void lowerParallel(ParallelOp op, int64_t blockSize) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value size = arith::ConstantIndexOp::create(b, blockSize);
  Value blocks = arith::CeilDivUIOp::create(b, op.getWorkers(), size);
  gpu::LaunchOp launch = createLaunch(b, blocks, size);
  Value first = arith::MulIOp::create(b, launch.getBlockIds().x, size);
  Value worker = arith::AddIOp::create(b, first, launch.getThreadIds().x);
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, worker,
                                       op.getWorkers());
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/false);
  op.getWorker().replaceAllUsesWith(worker);
  Block *body = op.getBodyBlock(), *into = ifExists.thenBlock();
  body->getTerminator()->erase();
  into->getOperations().splice(into->begin(), body->getOperations());
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
    getOperation().walk([&](ParallelOp op) { lowerParallel(op, blockSize); });
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
