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

/// All threads of a block get to an operation, so that nothing may keep one of
/// them from it.
static LogicalResult verifyInTile(Operation *op) {
  auto workers = dyn_cast<ParallelOp>(op->getParentOp());
  if (!workers || workers.getBodyBlock()->getOps<TileOp>().empty())
    return op->emitOpError("must be directly inside a nacho.parallel that has "
                           "a nacho.tile");
  return success();
}

static LogicalResult verifyStage(Operation *op, MemRefType array) {
  if (failed(verifyInTile(op)))
    return failure();
  if (array.getRank() == 2 && array.isDynamicDim(1))
    return op->emitOpError("needs a static number of columns");
  return success();
}

LogicalResult StageInOp::verify() {
  return verifyStage(*this, getArray().getType());
}

LogicalResult StageOutOp::verify() {
  return verifyStage(*this, getArray().getType());
}

LogicalResult TileSyncOp::verify() { return verifyInTile(*this); }

void TileCutsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getCuts(), "cuts");
}

LogicalResult TileCutsOp::verify() {
  if (failed(verifyInTile(*this)))
    return failure();
  auto workers = cast<ParallelOp>((*this)->getParentOp());
  TileOp tile = *workers.getBodyBlock()->getOps<TileOp>().begin();
  MemRefType bounds = getBounds().getType(), cuts = getCuts().getType();
  int64_t rows = int64_t(tile.getBy()) + 1, columns = bounds.getDimSize(1);
  if (bounds.isDynamicDim(1) || cuts.getShape() != ArrayRef{rows, columns})
    return emitOpError("needs a row for each part and one more, which are ")
           << rows << ", as long as those of the cuts";
  return success();
}
