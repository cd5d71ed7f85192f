//===- ScanLoop.cpp - The scan as a loop ----------------------------------===//

#include "ScanLoop.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nacho;

SmallVector<Value> nacho::combineRows(ImplicitLocOpBuilder &b, Block &body,
                                      ValueRange x, ValueRange y) {
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(x.size()), x);
  mapping.map(body.getArguments().drop_front(x.size()), y);
  for (Operation &nested : body.without_terminator())
    b.clone(nested, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

ScanBuilder::ScanBuilder(ImplicitLocOpBuilder &b, ExclusiveScanOp op)
    : b(b), op(op) {
  for (int64_t column = 0; column < op.getNumColumns(); ++column)
    columns.push_back(Number(b, column));
}

SmallVector<Value> ScanBuilder::none() {
  Number zero(b, 0);
  return SmallVector<Value>(op.getNumColumns(), zero);
}

SmallVector<Value> ScanBuilder::load(Value rows, Value row) {
  SmallVector<Value> values;
  for (Value column : columns)
    values.push_back(memref::LoadOp::create(b, rows, ValueRange{row, column}));
  return values;
}

void ScanBuilder::store(Value row, ValueRange values) {
  for (auto [column, value] : llvm::zip(columns, values))
    memref::StoreOp::create(b, value, op.getOutput(), ValueRange{row, column});
}

SmallVector<Value> ScanBuilder::combine(ValueRange x, ValueRange y) {
  return combineRows(b, op.getCombine().front(), x, y);
}

void nacho::emitScanLoop(OpBuilder &builder, ExclusiveScanOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  ScanBuilder rows(b, op);
  Number zero(b, 0);
  Value end = memref::DimOp::create(b, op.getInput(), zero);
  Number one(b, 1);
  auto loop = scf::ForOp::create(b, zero, end, one, rows.none());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    ValueRange sum = loop.getRegionIterArgs();
    rows.store(row, sum);
    scf::YieldOp::create(b, rows.combine(sum, rows.load(op.getInput(), row)));
  }
  rows.store(end, loop.getResults());
}
