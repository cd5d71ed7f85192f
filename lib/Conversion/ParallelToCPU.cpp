//===- ParallelToCPU.cpp - The backend contract on OpenMP -----------------===//
//
// The number of threads is a value, which upstream's scf-to-openmp cannot
// express. Parts are handed out dynamically: they cost the same, but the
// machine's cores need not be equally fast.
//
//===----------------------------------------------------------------------===//

#include "ScanLoop.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOPARALLELTOCPU
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static void lowerParallel(ParallelOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  omp::ParallelOperands parallelClauses;
  parallelClauses.ifExpr =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, op.getThreads(), one);
  Value threads =
      arith::IndexCastOp::create(b, b.getI32Type(), op.getThreads());
  parallelClauses.numThreads = threads;
  auto parallel = omp::ParallelOp::create(b, parallelClauses);
  b.createBlock(&parallel.getRegion());

  omp::WsloopOperands loopClauses;
  loopClauses.scheduleKind = omp::ClauseScheduleKindAttr::get(
      b.getContext(), omp::ClauseScheduleKind::Dynamic);
  auto wsloop = omp::WsloopOp::create(b, loopClauses);
  omp::TerminatorOp::create(b);
  b.createBlock(&wsloop.getRegion());

  omp::LoopNestOperands nestClauses;
  nestClauses.loopLowerBounds = {zero};
  nestClauses.loopUpperBounds = {op.getWorkers()};
  nestClauses.loopSteps = {one};
  auto nest = omp::LoopNestOp::create(b, nestClauses);
  Block *body = op.getBodyBlock();
  nest.getRegion().takeBody(op.getBody());
  Operation *yield = body->getTerminator();
  b.setInsertionPoint(yield);
  omp::YieldOp::create(b);
  yield->erase();
  op.erase();
}

namespace {
struct ParallelToCPU
    : nacho::impl::ConvertNachoParallelToCPUBase<ParallelToCPU> {
  void runOnOperation() override {
    getOperation().walk([](ParallelOp op) { lowerParallel(op); });
    getOperation().walk([](ExclusiveScanOp op) {
      OpBuilder builder(op);
      emitScanLoop(builder, op);
      op.erase();
    });
  }
};
} // namespace
