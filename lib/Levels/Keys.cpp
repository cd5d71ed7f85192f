//===- Keys.cpp - Keys made of the coordinates of an entry ----------------===//

#include "nacho/Levels/Keys.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

Value nacho::emitBits(ImplicitLocOpBuilder &b, Value number) {
  Value word = arith::IndexCastOp::create(b, b.getI64Type(), number);
  Value zeros = math::CountLeadingZerosOp::create(b, word);
  Value bits =
      arith::SubIOp::create(b, arith::ConstantIntOp::create(b, 64, 64), zeros);
  return arith::IndexCastOp::create(b, b.getIndexType(), bits);
}

Value nacho::emitCoordinateBits(ImplicitLocOpBuilder &b, Value extent) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value some = arith::MaxUIOp::create(b, extent, one);
  return emitBits(b, arith::SubIOp::create(b, some, one));
}

static Value emitWidth(ImplicitLocOpBuilder &b, Value tensor, unsigned level) {
  return emitCoordinateBits(b, levelExtent(b, tensor, level));
}

static unsigned rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

Value nacho::emitKeyShift(ImplicitLocOpBuilder &b, Value tensor,
                          unsigned level) {
  Value shift = arith::ConstantIndexOp::create(b, 0);
  for (unsigned inner = level + 1; inner < rankOf(tensor); ++inner)
    shift = arith::AddIOp::create(b, shift, emitWidth(b, tensor, inner));
  // Tensors whose fields need more bits than a word are never flattened, but
  // without the mask this shift could exceed 63 bits, which is undefined.
  Value most = arith::ConstantIndexOp::create(b, 63);
  return arith::AndIOp::create(b, shift, most);
}

Value nacho::emitKeyExtent(ImplicitLocOpBuilder &b, Value tensor) {
  return arith::ShLIOp::create(b, levelExtent(b, tensor, 0),
                               emitKeyShift(b, tensor, 0));
}

Value nacho::emitCoordinateOfKey(ImplicitLocOpBuilder &b, Value tensor,
                                 unsigned level, Value key) {
  Value coordinate =
      arith::ShRUIOp::create(b, key, emitKeyShift(b, tensor, level));
  if (level == 0)
    return coordinate;
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value end = arith::ShLIOp::create(b, one, emitWidth(b, tensor, level));
  return arith::AndIOp::create(b, coordinate,
                               arith::SubIOp::create(b, end, one));
}

static Value emitBroadcast(ImplicitLocOpBuilder &b, VectorType type,
                           Value value) {
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, type.getElementType(), value);
  return vector::BroadcastOp::create(b, type, value);
}

Value nacho::asWords(ImplicitLocOpBuilder &b, Value coordinates) {
  auto type = cast<VectorType>(coordinates.getType());
  auto words = VectorType::get(type.getShape(), b.getI64Type());
  if (type.getElementType().isIndex())
    return arith::IndexCastUIOp::create(b, words, coordinates);
  if (type == words)
    return coordinates;
  return arith::ExtUIOp::create(b, words, coordinates);
}

void Key::add(ImplicitLocOpBuilder &b, Value tensor, unsigned level,
              Value coordinate) {
  Value extent = levelExtent(b, tensor, level);
  Value shift = emitKeyShift(b, tensor, level);
  if (auto type = dyn_cast<VectorType>(coordinate.getType())) {
    extent = emitBroadcast(b, type, extent);
    shift = emitBroadcast(b, type, shift);
  }
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coordinate, extent);
  inside = inside ? Value(arith::AndIOp::create(b, inside, fits)) : fits;
  Value field = arith::ShLIOp::create(b, coordinate, shift);
  bits = bits ? Value(arith::OrIOp::create(b, bits, field)) : field;
}

Value Key::get(ImplicitLocOpBuilder &b) const {
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  auto type = dyn_cast<VectorType>(bits.getType());
  Value most = type ? Value(arith::ConstantOp::create(
                          b, DenseElementsAttr::get(type, kMost)))
                    : Value(arith::ConstantIndexOp::create(b, kMost));
  return arith::SelectOp::create(b, inside, bits, most);
}
