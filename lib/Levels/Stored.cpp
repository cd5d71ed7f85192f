//===- Stored.cpp - What levels that store coordinates share --------------===//

#include "LevelKinds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

bool StoredLevel::isUnique() const {
  return isUniqueLT(encoding().getLvlType(level));
}

Value StoredLevel::coordinates(ImplicitLocOpBuilder &b) const {
  return sparse_tensor::ToCoordinatesOp::create(
      b, bufferOf(encoding().getCrdElemType()), tensor, b.getIndexAttr(level));
}

/// Never -1, which stands for the coordinate of an exhausted operand: of 64
/// bits the sign is dropped, which leaves what is negative out of any extent.
Value StoredLevel::coordinate(ImplicitLocOpBuilder &b, Value position) const {
  Value stored = loadIndex(b, coordinates(b), position);
  if (encoding().getCrdElemType().isInteger(32))
    return stored;
  Value most =
      arith::ConstantIndexOp::create(b, std::numeric_limits<int64_t>::max());
  return arith::AndIOp::create(b, stored, most);
}

void StoredLevel::prefetch(ImplicitLocOpBuilder &b, Value position) const {
  prefetchElement(b, coordinates(b), position);
}

/// while low < high: mid = (low + high) / 2
///   crd[mid] < coordinate ? low = mid + 1 : high = mid
Value StoredLevel::lowerBound(ImplicitLocOpBuilder &b, Value target, Value,
                              Value low, Value high) const {
  Type index = b.getIndexType();
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::WhileOp::create(
      b, TypeRange{index, index}, ValueRange{low, high},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value more = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, args[0], args[1]);
        scf::ConditionOp::create(builder, loc, more, args);
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, builder);
        Value span = arith::SubIOp::create(body, args[1], args[0]);
        Value half = arith::ShRUIOp::create(body, span, one);
        Value mid = arith::AddIOp::create(body, args[0], half);
        Value before = arith::CmpIOp::create(body, arith::CmpIPredicate::ult,
                                             coordinate(body, mid), target);
        Value after = arith::AddIOp::create(body, mid, one);
        Value newLow = arith::SelectOp::create(body, before, after, args[0]);
        Value newHigh = arith::SelectOp::create(body, before, args[1], mid);
        scf::YieldOp::create(body, ValueRange{newLow, newHigh});
      });
  return loop.getResult(0);
}
