//===- StoredLevel.cpp - A level that stores its coordinates --------------===//

#include "StoredLevel.h"

#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

bool StoredLevel::isUnique() const {
  return isUniqueLT(encoding().getLvlType(level));
}

/// The buffer that ToCoordinatesOp returns has a dynamic stride in its type;
/// the cast makes the stride static.
Value StoredLevel::coordinates(ImplicitLocOpBuilder &b) const {
  Value stored = emitCoordinatesArray(b, tensor, level);
  MemRefType type =
      coordinatesType(cast<RankedTensorType>(tensor.getType()), level);
  if (stored.getType() == type)
    return stored;
  return memref::CastOp::create(b, type, stored);
}

/// Clears the sign bit of a 64-bit coordinate, so that it is never -1, which
/// stands for the coordinate of an exhausted operand. A negative coordinate
/// remains outside of any extent.
Value StoredLevel::coordinate(ImplicitLocOpBuilder &b, Value position) const {
  Value stored = loadIndex(b, coordinates(b), position);
  auto type = dyn_cast<IntegerType>(encoding().getCrdElemType());
  if (type && type.getWidth() < 64)
    return stored;
  Value most =
      arith::ConstantIndexOp::create(b, std::numeric_limits<int64_t>::max());
  return arith::AndIOp::create(b, stored, most);
}

Value StoredLevel::coordinateVector(ImplicitLocOpBuilder &b, Value position,
                                    Condition valid, unsigned lanes) const {
  return loadVector(b, coordinates(b), position, valid, lanes);
}

Value StoredLevel::size(ImplicitLocOpBuilder &b) const {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return memref::DimOp::create(b, coordinates(b), zero);
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
