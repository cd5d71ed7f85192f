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

/// Verifies that memory of a tile has a row for each row of a table that it
/// stands for.
static LogicalResult verifyRows(Operation *op, MemRefType table,
                                MemRefType rows, StringRef name) {
  if (failed(verifyInTile(op)))
    return failure();
  auto workers = cast<ParallelOp>(op->getParentOp());
  TileOp tile = *workers.getBodyBlock()->getOps<TileOp>().begin();
  int64_t count = int64_t(tile.getBy()) + 1, columns = table.getDimSize(1);
  if (table.isDynamicDim(1) || rows.getShape() != ArrayRef{count, columns})
    return op->emitOpError("needs a row for each part and one more, which are ")
           << count << ", as long as those of " << name;
  return success();
}

LogicalResult TileCutsOp::verify() {
  return verifyRows(*this, getBounds().getType(), getCuts().getType(),
                    "the cuts");
}

void TileScanOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getRows(), "rows");
}

LogicalResult TileScanOp::verify() {
  if (failed(verifyRows(*this, getAll().getType(), getRows().getType(),
                        "all parts")))
    return failure();
  size_t columns = getRow().size();
  if (getRows().getType().getDimSize(1) != int64_t(columns))
    return emitOpError("is given a row that is not as long as others");
  auto workers = cast<ParallelOp>((*this)->getParentOp());
  if (!llvm::hasSingleElement(workers.getBodyBlock()->getOps<TileScanOp>()))
    return emitOpError("must be the only one of its nacho.parallel");
  return detail::verifyCombine(*this, getCombine().front(), columns);
}

LogicalResult TileMemoryOp::verify() { return verifyInTile(*this); }

LogicalResult TileRoomOp::verify() { return verifyInTile(*this); }

LogicalResult TileAppendOp::verify() {
  if (failed(verifyInTile(*this)))
    return failure();
  auto workers = cast<ParallelOp>((*this)->getParentOp());
  TileOp tile = *workers.getBodyBlock()->getOps<TileOp>().begin();
  for (auto [slots, array] : llvm::zip(getSlots(), getArrays())) {
    auto kept = cast<MemRefType>(slots.getType());
    auto type = cast<MemRefType>(array.getType());
    if (kept.getElementType() != type.getElementType())
      return emitOpError("keeps elements of ")
             << kept.getElementType() << " for an array of "
             << type.getElementType();
    if (tile.getBy() > 1 && !slots.getDefiningOp<TileMemoryOp>())
      return emitOpError("needs slots in a nacho.tile_memory");
  }
  return success();
}
