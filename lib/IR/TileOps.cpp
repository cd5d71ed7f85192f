//===- TileOps.cpp - Parts that share memory ------------------------------===//

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

void TileOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBegin(), "begin");
  setName(getEnd(), "end");
}

LogicalResult TileOp::verify() {
  auto workers = dyn_cast<ParallelOp>((*this)->getParentOp());
  if (!workers || getPart() != workers.getWorker() ||
      getParts() != workers.getWorkers())
    return emitOpError("takes the worker of the nacho.parallel around it, and "
                       "their number");
  return success();
}

/// All threads of a block copy its windows, so that nothing may keep one of
/// them from getting there.
static LogicalResult verifyStage(Operation *op, MemRefType array) {
  auto workers = dyn_cast<ParallelOp>(op->getParentOp());
  if (!workers || workers.getBodyBlock()->getOps<TileOp>().empty())
    return op->emitOpError("must be directly inside a nacho.parallel that has "
                           "a nacho.tile");
  if (array.getRank() == 2 && array.isDynamicDim(1))
    return op->emitOpError("needs a static number of columns");
  return success();
}

LogicalResult StageInOp::verify() {
  return verifyStage(*this, getArray().getType());
}

LogicalResult StageOutOp::verify() {
  if (getArray().getType().getRank() != 1)
    return emitOpError("writes an array of rank 1");
  return verifyStage(*this, getArray().getType());
}
