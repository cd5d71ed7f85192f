//===- WorkspaceMarks.cpp - Marks of used places in workspaces ------------===//

#include "WorkspaceMarks.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

void WorkspaceMarks::locateLevels(Value last) {
  Value one = constant(1), begin = one;
  for (unsigned level = 0; level < kLevels; ++level) {
    begins.push_back(begin);
    Value places = constant(6 * (kLevels - level));
    Value count =
        arith::AddIOp::create(b, arith::ShRUIOp::create(b, last, places), one);
    begin = arith::AddIOp::create(b, begin, count);
    if (level == 0)
      words = count;
  }
}

Value WorkspaceMarks::densePlaces() {
  Value words = memref::DimOp::create(b, op.getMarks(), constant(1));
  words = arith::SubIOp::create(b, words, constant(kDenseMarksBegin));
  return arith::ShLIOp::create(b, words, constant(6));
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value WorkspaceMarks::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value WorkspaceMarks::word(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 64);
}

Value WorkspaceMarks::load(Value at) {
  return memref::LoadOp::create(b, op.getMarks(), ValueRange{op.getRow(), at});
}

void WorkspaceMarks::store(Value word, Value at) {
  memref::StoreOp::create(b, word, op.getMarks(), ValueRange{op.getRow(), at});
}

Value WorkspaceMarks::wordAt(unsigned level, Value number) {
  return arith::AddIOp::create(b, begins[level], number);
}

Value WorkspaceMarks::bitOf(Value number) {
  Value low = arith::IndexCastUIOp::create(
      b, b.getI64Type(), arith::AndIOp::create(b, number, constant(63)));
  return arith::ShLIOp::create(b, word(1), low);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value WorkspaceMarks::isMarked(Value place) {
  Value at = wordAt(kLevels - 1, arith::ShRUIOp::create(b, place, constant(6)));
  Value marked = arith::AndIOp::create(b, load(at), bitOf(place));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, marked, word(0));
}

void WorkspaceMarks::mark(Value number, unsigned level) {
  while (level-- > 0) {
    Value above = arith::ShRUIOp::create(b, number, constant(6));
    Value at = wordAt(level, above);
    Value word = arith::OrIOp::create(b, load(at), bitOf(number));
    store(word, at);
    number = above;
  }
}

//===----------------------------------------------------------------------===//
// Draining
//===----------------------------------------------------------------------===//

ValueRange WorkspaceMarks::drain(ValueRange inits, VisitPlace visit) {
  auto loop = scf::ForOp::create(b, constant(0), words, constant(1), inits);
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
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                     before->getArgument(0), word(0));
  scf::ConditionOp::create(b, more, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  Value bits = after->getArgument(0);
  Value bit = arith::IndexCastUIOp::create(
      b, b.getIndexType(), math::CountTrailingZerosOp::create(b, bits));
  Value below = arith::SubIOp::create(b, bits, word(1));
  SmallVector<Value> yielded = {arith::AndIOp::create(b, bits, below)};
  llvm::append_range(yielded, visit(bit, after->getArguments().drop_front()));
  scf::YieldOp::create(b, yielded);
  return SmallVector<Value>(loop.getResults().drop_front());
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
    Value inner = arith::AddIOp::create(
        b, arith::ShLIOp::create(b, number, constant(6)), bit);
    return level + 1 < kLevels ? drainWord(level + 1, inner, values, visit)
                               : visit(inner, values);
  });
}
