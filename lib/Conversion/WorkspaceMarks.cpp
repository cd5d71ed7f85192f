//===- WorkspaceMarks.cpp - Marks of used places in workspaces ------------===//

#include "WorkspaceMarks.h"
#include "nacho/IR/WhileLoop.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

void WorkspaceMarks::locateLevels(Value last) {
  Number one(b, 1), begin = one;
  for (unsigned level = 0; level < kLevels; ++level) {
    begins.push_back(begin);
    Number places(b, 6 * (kLevels - level));
    Value count = (Number(b, last) >> places) + one;
    begin = begin + count;
    if (level == 0)
      words = count;
  }
}

Value WorkspaceMarks::densePlaces() {
  Number words(b, memref::DimOp::create(b, op.getMarks(), Number(b, 1)));
  return (words - kDenseMarksBegin) << 6;
}

Value WorkspaceMarks::flatPlaces() {
  Number words(b, memref::DimOp::create(b, op.getMarks(), Number(b, 1)));
  return words - kDenseMarksBegin;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Number WorkspaceMarks::word(int64_t value) {
  return Number(b, value, b.getI64Type());
}

Value WorkspaceMarks::load(Value at) {
  return memref::LoadOp::create(b, op.getMarks(), ValueRange{op.getRow(), at});
}

void WorkspaceMarks::store(Value word, Value at) {
  memref::StoreOp::create(b, word, op.getMarks(), ValueRange{op.getRow(), at});
}

Value WorkspaceMarks::wordAt(unsigned level, Value number) {
  return Number(b, begins[level]) + number;
}

Value WorkspaceMarks::bitOf(Value number) {
  Value low = (Number(b, number) & 63).as(b.getI64Type());
  return word(1) << low;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value WorkspaceMarks::isMarked(Value place) {
  Value at = wordAt(kLevels - 1, Number(b, place) >> 6);
  Number word(b, load(at));
  return (word & bitOf(place)) != 0;
}

void WorkspaceMarks::mark(Value number, unsigned level) {
  while (level-- > 0) {
    Value above = Number(b, number) >> 6;
    Value at = wordAt(level, above);
    Number word(b, load(at));
    store(word | bitOf(number), at);
    number = above;
  }
}

void WorkspaceMarks::markWord(Value number) {
  constexpr unsigned level = kLevels - 2;
  Value above = Number(b, number) >> 6;
  Value at = wordAt(level, above);
  Number before(b, load(at));
  store(before | bitOf(number), at);
  Value isFirst = before == 0;
  auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifFirst.thenBlock());
  mark(above, level);
}

//===----------------------------------------------------------------------===//
// Draining
//===----------------------------------------------------------------------===//

ValueRange WorkspaceMarks::drain(ValueRange inits, VisitPlace visit) {
  auto loop = scf::ForOp::create(b, Number(b, 0), words, Number(b, 1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried =
      drainWord(0, loop.getInductionVar(), loop.getRegionIterArgs(), visit);
  if (!carried.empty())
    scf::YieldOp::create(b, carried);
  return loop.getResults();
}

/// while word: clear its lowest bit; visit the number of this bit
SmallVector<Value> WorkspaceMarks::forEachBit(Value set, ValueRange carried,
                                              Visits visit) {
  SmallVector<Value> inits = {set};
  llvm::append_range(inits, carried);
  auto isLeft = [&](ValueRange now) -> Value { return Number(b, now[0]) != 0; };
  Values left = emitWhile(b, inits, isLeft, [&](ValueRange now) {
    Number bits(b, now.front());
    Value bit =
        Number(b, math::CountTrailingZerosOp::create(b, bits)).asIndex();
    Value below = bits - 1;
    Values next = {bits & below};
    llvm::append_range(next, visit(bit, now.drop_front()));
    return next;
  });
  left.erase(left.begin());
  return left;
}

/// Drains the words, or the places, that the bits of a word stand for. Nothing
/// is to be done for a place if there is no `visit`.
SmallVector<Value> WorkspaceMarks::drainWord(unsigned level, Value number,
                                             ValueRange carried,
                                             VisitPlace visit) {
  Value at = wordAt(level, number);
  Value bits = load(at);
  store(word(0), at);
  if (level + 1 == kLevels && !visit)
    return {};
  return forEachBit(bits, carried, [&](Value bit, ValueRange values) {
    Value inner = (Number(b, number) << 6) + bit;
    return level + 1 < kLevels ? drainWord(level + 1, inner, values, visit)
                               : visit(inner, values);
  });
}
