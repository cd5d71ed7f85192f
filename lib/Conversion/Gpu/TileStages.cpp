//===- TileStages.cpp - Rows of arrays that the parts of a tile access ----===//

#include "TileStages.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

int64_t nacho::rowBytesOf(MemRefType type) {
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t count : type.getShape().drop_front())
    bytes *= count;
  return bytes;
}

int64_t nacho::rowBytesOf(Value array) {
  return rowBytesOf(cast<MemRefType>(array.getType()));
}

int64_t nacho::columnsOf(Value array) {
  auto type = cast<MemRefType>(array.getType());
  return type.getRank() == 1 ? 1 : type.getDimSize(1);
}

Value nacho::flatten(ImplicitLocOpBuilder &b, Value array) {
  auto type = cast<MemRefType>(array.getType());
  if (type.getRank() == 1)
    return array;
  Number rows(b, memref::DimOp::create(b, array, Number(b, 0)));
  Value elements = rows * columnsOf(array);
  auto flat =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  OpFoldResult size(elements);
  return memref::ReinterpretCastOp::create(
      b, flat, array, b.getIndexAttr(0), size, OpFoldResult(b.getIndexAttr(1)));
}

/// Adds a stage of one array. Arrays with the same rows share a window, unless
/// these have several elements; those with larger elements come first, so that
/// all of them are aligned.
static void addStage(SmallVectorImpl<Stage> &stages, const Stage &more) {
  auto hasRows = [](const Stage &stage) {
    return cast<MemRefType>(stage.arrays.front().getType()).getRank() > 1;
  };
  auto *same = llvm::find_if(stages, [&](const Stage &stage) {
    return stage.from == more.from && stage.to == more.to &&
           stage.isWritten == more.isWritten && stage.isAlone == more.isAlone &&
           !hasRows(stage) && !hasRows(more);
  });
  if (same == stages.end())
    return stages.push_back(more);
  Value array = more.arrays.front();
  auto *smaller = llvm::find_if(same->arrays, [&](Value other) {
    return rowBytesOf(other) < rowBytesOf(array);
  });
  same->arrays.insert(smaller, array);
}

/// Adds what a value is computed of in the code of parts.
static void addSlice(ParallelOp workers, Value value,
                     llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != workers.getBodyBlock() || slice.contains(op))
    return;
  for (Value operand : op->getOperands())
    addSlice(workers, operand, slice);
  slice.insert(op);
}

IRMapping nacho::copyForBlock(ImplicitLocOpBuilder &b, ParallelOp workers,
                              ValueRange values) {
  llvm::SetVector<Operation *> slice;
  for (Value value : values)
    addSlice(workers, value, slice);
  IRMapping mapping;
  for (Operation *op : slice)
    b.clone(*op, mapping);
  return mapping;
}

SmallVector<Stage> nacho::takeStages(ImplicitLocOpBuilder &b,
                                     ParallelOp workers) {
  SmallVector<Operation *> ops;
  SmallVector<Value> used;
  for (Operation &op : *workers.getBodyBlock())
    if (isa<StageInOp, StageOutOp>(op)) {
      llvm::append_range(used, op.getOperands());
      ops.push_back(&op);
    }
  llvm::SetVector<Operation *> slice;
  for (Value value : used)
    addSlice(workers, value, slice);
  IRMapping mapping = copyForBlock(b, workers, used);
  SmallVector<Stage> stages;
  for (Operation *op : ops) {
    auto operand = [&](unsigned n) {
      return mapping.lookupOrDefault(op->getOperand(n));
    };
    auto in = dyn_cast<StageInOp>(op);
    addStage(stages, {operand(1),
                      operand(2),
                      {operand(0)},
                      /*isWritten=*/!in,
                      /*isAlone=*/!in || in.getAlone(),
                      {}});
    op->erase();
  }
  for (Operation *op : llvm::reverse(slice))
    if (op->use_empty())
      op->erase();
  return stages;
}

/// Leaves the arrays of a stage that parts only read, or only write. Returns
/// how many rows one access to them needs, at most.
static int64_t keepStaged(Stage &stage, ParallelOp workers) {
  int64_t rows = 1;
  llvm::erase_if(stage.arrays, [&](Value array) {
    auto found = findAccesses(workers, array);
    if (!found || found->loads.empty() != stage.isWritten ||
        found->stores.empty() == stage.isWritten)
      return true;
    for (OpOperand *load : found->loads)
      rows = std::max(rows, rowsOf(load->getOwner()));
    return false;
  });
  return rows;
}

/// Finds the rows of a stage that all of its arrays have. If these are read,
/// there are at least `rows`, so that a load has some in any case:
///
///   count = rows of the shortest array
///   written: from .. min(to, count)
///   read: first .. min(max(to + (rows - 1), first + rows), count)
///         where first = min(from, count - rows), if count >= rows
///
/// A load may begin with the last row that parts say they read, and need some
/// after it.
Value nacho::boundStage(ImplicitLocOpBuilder &b, Stage &stage,
                        ParallelOp workers) {
  int64_t rows = keepStaged(stage, workers);
  if (stage.arrays.empty())
    return Number::flag(b, true);
  Number zero(b, 0);
  Number count(b, memref::DimOp::create(b, stage.arrays.front(), zero));
  for (Value array : llvm::drop_begin(stage.arrays))
    count = min(count, memref::DimOp::create(b, array, zero));
  Number from(b, stage.from), to(b, stage.to);
  if (stage.isWritten) {
    Number end = min(to, count);
    Number isSome = from < end;
    stage.rows = {from, select(isSome, end - from, zero)};
    return Number::flag(b, true);
  }
  Value areThere = count >= rows;
  Number first = min(from, max(count, rows) - rows);
  if (rows > 1)
    to = to + (rows - 1);
  Number needed = max(to, first + rows);
  Number end = min(needed, count);
  stage.rows = {first, end - first};
  return areThere;
}
