//===- WorkspaceNumbers.cpp - Numbers of children, in tables --------------===//

#include "WorkspaceNumbers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace nacho;

/// first += count; if the numbers after that would not fit:
///   fill the values with 0
///   first = 1
/// count = the new count
void WorkspaceNumbers::renew(Value count, Value places) {
  Number next = Number(b, marks.load(firstAt())) + marks.load(countAt());
  Value wide = Number(b, count).as(b.getI64Type());
  Value fits = next + wide <= largest();
  auto ifFits = scf::IfOp::create(b, b.getI64Type(), fits, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifFits.thenBlock());
    scf::YieldOp::create(b, Value(max(next, 1)));
    b.setInsertionPointToStart(ifFits.elseBlock());
    clear(places);
    scf::YieldOp::create(b, Value(marks.word(1)));
  }
  marks.store(ifFits.getResult(0), firstAt());
  marks.store(wide, countAt());
}

Value WorkspaceNumbers::largest() {
  bool isNarrow = type().getIntOrFloatBitWidth() == 32;
  return marks.word(isNarrow ? int64_t(std::numeric_limits<uint32_t>::max())
                             : std::numeric_limits<int64_t>::max());
}

void WorkspaceNumbers::clear(Value places) {
  auto loop = scf::ForOp::create(b, Number(b, 0), places, Number(b, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value zero = Number(b, 0, type());
  memref::StoreOp::create(b, zero, op.getValues(),
                          ValueRange{op.getRow(), loop.getInductionVar()});
}

/// A value that has never been written is 0, and is none of a table that was
/// never renewed.
Value WorkspaceNumbers::first() {
  return max(Number(b, marks.load(firstAt())), 1).as(type());
}

/// If operands are edited meanwhile, a number may be too large: it is not put
/// in.
void WorkspaceNumbers::insert(Value number, Value place) {
  Value value = Number(b, first()) + number;
  Number count = Number(b, marks.load(countAt())).as(type());
  Value inside = select(Number(b, number) < count, value, 0);
  memref::StoreOp::create(b, inside, op.getValues(),
                          ValueRange{op.getRow(), place});
}

ValueRange WorkspaceNumbers::lookUp(Value place, Value first) {
  Number value(b, memref::LoadOp::create(b, op.getValues(),
                                         ValueRange{op.getRow(), place}));
  Value isThere = value >= first;
  auto ifThere = scf::IfOp::create(b, TypeRange{type(), b.getI1Type()}, isThere,
                                   /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifThere.thenBlock());
  Value number = value - first, yes = Number::flag(b, true);
  scf::YieldOp::create(b, ValueRange{number, yes});
  b.setInsertionPointToStart(ifThere.elseBlock());
  Value nothing = Number(b, 0, type()), no = Number::flag(b, false);
  scf::YieldOp::create(b, ValueRange{nothing, no});
  return ifThere.getResults();
}
