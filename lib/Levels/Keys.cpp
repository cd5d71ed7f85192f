//===- Keys.cpp - Keys made of the coordinates of an entry ----------------===//

#include "nacho/Levels/Keys.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

Value nacho::emitBits(ImplicitLocOpBuilder &b, Value number) {
  Value word = Number(b, number).asSigned(b.getI64Type());
  Value zeros = math::CountLeadingZerosOp::create(b, word);
  Number bits = Number(b, 64, b.getI64Type()) - zeros;
  return bits.asSigned(b.getIndexType());
}

Value nacho::emitCoordinateBits(ImplicitLocOpBuilder &b, Value extent) {
  Number one(b, 1);
  Number some = max(Number(b, extent), one);
  return emitBits(b, some - one);
}

static Value emitWidth(ImplicitLocOpBuilder &b, Value tensor, unsigned level) {
  return emitCoordinateBits(b, levelExtent(b, tensor, level));
}

static unsigned rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

Value nacho::emitKeyShift(ImplicitLocOpBuilder &b, Value tensor,
                          unsigned level) {
  Number shift(b, 0);
  for (unsigned inner = level + 1; inner < rankOf(tensor); ++inner)
    shift = shift + emitWidth(b, tensor, inner);
  // Tensors whose fields need more bits than a word are never flattened, but
  // without the mask this shift could exceed 63 bits, which is undefined.
  return shift & 63;
}

Value nacho::emitKeyExtent(ImplicitLocOpBuilder &b, Value tensor) {
  Number extent(b, levelExtent(b, tensor, 0));
  return extent << emitKeyShift(b, tensor, 0);
}

Value nacho::emitCoordinateOfKey(ImplicitLocOpBuilder &b, Value tensor,
                                 unsigned level, Value key) {
  Number coordinate = Number(b, key) >> emitKeyShift(b, tensor, level);
  if (level == 0)
    return coordinate;
  Number one(b, 1);
  Number end = one << emitWidth(b, tensor, level);
  return coordinate & (end - one);
}

static Value emitBroadcast(ImplicitLocOpBuilder &b, VectorType type,
                           Value value) {
  if (value.getType().isIndex())
    value = Number(b, value).asSigned(type.getElementType());
  return vector::BroadcastOp::create(b, type, value);
}

Value nacho::asWords(ImplicitLocOpBuilder &b, Value coordinates) {
  auto type = cast<VectorType>(coordinates.getType());
  auto words = VectorType::get(type.getShape(), b.getI64Type());
  return Number(b, coordinates).as(words);
}

void Key::add(ImplicitLocOpBuilder &b, Value tensor, unsigned level,
              Value coordinate) {
  Value extent = levelExtent(b, tensor, level);
  Value shift = emitKeyShift(b, tensor, level);
  if (level == 0 && !isa<VectorType>(coordinate.getType())) {
    // Keys of coordinates outside are not less than the extent of keys.
    bits = min(Number(b, coordinate), extent) << shift;
    return;
  }
  if (auto type = dyn_cast<VectorType>(coordinate.getType())) {
    extent = emitBroadcast(b, type, extent);
    shift = emitBroadcast(b, type, shift);
  }
  Value fits = Number(b, coordinate) < extent;
  inside = inside ? Number(b, inside) & fits : fits;
  Value field = Number(b, coordinate) << shift;
  bits = bits ? Number(b, bits) | field : field;
}

Value Key::get(ImplicitLocOpBuilder &b) const {
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (!inside)
    return bits;
  auto type = dyn_cast<VectorType>(bits.getType());
  Value most = type ? Value(arith::ConstantOp::create(
                          b, DenseElementsAttr::get(type, kMost)))
                    : Number(b, kMost);
  return select(Number(b, inside), bits, most);
}
