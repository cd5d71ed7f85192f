//===- StoredLevel.cpp - A level that stores its coordinates --------------===//

#include "StoredLevel.h"

#include "nacho/IR/WhileLoop.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
  Number most(b, std::numeric_limits<int64_t>::max());
  return Number(b, stored) & most;
}

Value StoredLevel::coordinateVector(ImplicitLocOpBuilder &b, Value position,
                                    Condition valid, unsigned lanes) const {
  return loadVector(b, coordinates(b), position, valid, lanes);
}

Value StoredLevel::size(ImplicitLocOpBuilder &b) const {
  Number zero(b, 0);
  return memref::DimOp::create(b, coordinates(b), zero);
}

void StoredLevel::prefetch(ImplicitLocOpBuilder &b, Value position) const {
  prefetchElement(b, coordinates(b), position);
}

Value StoredLevel::lowerBound(ImplicitLocOpBuilder &b, Value target, Value,
                              Value low, Value high) const {
  return emitBisection(b, low, high, [&](Number middle) {
    return Number(b, coordinate(b, middle)) < target;
  });
}
