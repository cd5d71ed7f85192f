//===- LoopsToSCF.cpp - One scf loop per coiteration ----------------------===//
//
// Lowers the coiterations of the assemble and compute functions and the loads
// of elements in them. The code is linear in the number of operands: there is
// no loop or region for each point of the merge lattice, except that an
// innermost union of two operands may branch.
//
//===----------------------------------------------------------------------===//

#include "LoopShape.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOLOOPSTOSCF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static const LoopShape kNoLoop = {
    [](const Coiteration &loop) { return isNever(loop.domain); },
    [](Coiteration &loop) { return Values(loop.op.getInits()); }};

/// Emits a loop of the first shape that suits a coiteration.
static Values emitLoop(Coiteration &loop) {
  static const LoopShape *const shapes[] = {
      &kCountOfOperand, &kNoLoop,     &kAllCoordinates, &kOneOperand, &kBlocks,
      &kCountOfMatches, &kShortMerge, &kUnionOfTwo,     &kTwoMerges,  &kMerge};
  auto *const *shape = llvm::find_if(
      shapes, [&](const LoopShape *shape) { return shape->suits(loop); });
  return (*shape)->emit(loop);
}

static void lowerCoiterate(FiberLowering &lowering, CoiterateOp op) {
  Coiteration loop(lowering, op);
  Values results = emitLoop(loop);
  op.replaceAllUsesWith(ArrayRef(results).take_back(op.getNumResults()));
}

/// A count becomes a coiteration of the same fibers that adds one at every
/// coordinate, and is lowered as such:
///   for each coordinate, from 0 on: count + 1
static void lowerCount(FiberLowering &lowering, CountOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  Number zero(b, 0);
  Number one(b, 1);
  auto counter = CoiterateOp::create(
      b, op.getFibers(), op.getGuards(), op.getExtent(), op.getMerge(),
      StringAttr(), op.getLower(), op.getUpper(), zero);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(counter.getBodyBlock());
    Value next = Number(b, counter.getCarried().front()) + one;
    YieldOp::create(b, next);
  }
  Coiteration loop(lowering, counter);
  loop.isCount = true;
  op.replaceAllUsesWith(emitLoop(loop).back());
  lowering.eraseLater(counter);
}

namespace {
struct LoopsToSCF : nacho::impl::ConvertNachoLoopsToSCFBase<LoopsToSCF> {
  using ConvertNachoLoopsToSCFBase::ConvertNachoLoopsToSCFBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    WalkResult earlier = func.walk([](Operation *op) -> WalkResult {
      if (isa<NestOp>(op))
        return op->emitOpError("must be assembled before its loops can be "
                               "lowered");
      if (isa<PartitionOp>(op))
        return op->emitOpError("must be assembled before its searches can be "
                               "lowered");
      return WalkResult::advance();
    });
    if (earlier.wasInterrupted())
      return signalPassFailure();
    FiberLowering lowering(func, {branches, together, vectorBits});
    addFiberOps(lowering);
    addFiberPrefetches(lowering);
    addFoundFibers(lowering);
    addSearches(lowering);
    addElementOps(lowering);
    lowering.add(lowerCoiterate, lowerCount);
    if (failed(lowering.run()))
      signalPassFailure();
  }
};
} // namespace
