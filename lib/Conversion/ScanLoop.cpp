//===- ScanLoop.cpp - The scan as a loop ----------------------------------===//

#include "ScanLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

void nacho::emitScanLoop(OpBuilder &builder, ExclusiveScanOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value rows = memref::DimOp::create(b, op.getInput(), zero);
  int64_t columns = op.getNumColumns();
  SmallVector<Value> at;
  for (int64_t column = 0; column < columns; ++column)
    at.push_back(arith::ConstantIndexOp::create(b, column));
  auto storeRow = [&](Value row, ValueRange values) {
    for (auto [column, value] : llvm::zip(at, values))
      memref::StoreOp::create(b, value, op.getOutput(),
                              ValueRange{row, column});
  };

  SmallVector<Value> identity(columns, zero);
  auto loop = scf::ForOp::create(b, zero, rows, one, identity);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    ValueRange sum = loop.getRegionIterArgs();
    storeRow(row, sum);
    IRMapping mapping;
    Block &combine = op.getCombine().front();
    mapping.map(combine.getArguments().take_front(columns), sum);
    for (auto [arg, column] :
         llvm::zip(combine.getArguments().drop_front(columns), at)) {
      Value value =
          memref::LoadOp::create(b, op.getInput(), ValueRange{row, column});
      mapping.map(arg, value);
    }
    for (Operation &nested : combine.without_terminator())
      b.clone(nested, mapping);
    SmallVector<Value> next;
    for (Value value : combine.getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(value));
    scf::YieldOp::create(b, next);
  }
  storeRow(rows, loop.getResults());
}
