//===- Flat.cpp - A list of entries, by keys that are computed ------------===//
//
// With extents of 12 x 9 x 28: the coordinates 3, 4, 5 are the key
// 0011'0100'00101.
//
//===----------------------------------------------------------------------===//

#include "LevelKinds.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

static Value emitExtent(ImplicitLocOpBuilder &b, Value tensor, unsigned level) {
  Value number = arith::ConstantIndexOp::create(b, level);
  return sparse_tensor::LvlOp::create(b, tensor, number);
}

/// The bits that the coordinates of a level take: 64 - the zeros before
/// extent - 1.
static Value emitWidth(ImplicitLocOpBuilder &b, Value tensor, unsigned level) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value extent = arith::MaxUIOp::create(b, emitExtent(b, tensor, level), one);
  Value last = arith::IndexCastOp::create(
      b, b.getI64Type(), arith::SubIOp::create(b, extent, one));
  Value zeros = math::CountLeadingZerosOp::create(b, last);
  Value width =
      arith::SubIOp::create(b, arith::ConstantIntOp::create(b, 64, 64), zeros);
  return arith::IndexCastOp::create(b, b.getIndexType(), width);
}

static unsigned rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

Value nacho::emitKeyShift(ImplicitLocOpBuilder &b, Value tensor,
                          unsigned level) {
  Value shift = arith::ConstantIndexOp::create(b, 0);
  for (unsigned inner = level + 1; inner < rankOf(tensor); ++inner)
    shift = arith::AddIOp::create(b, shift, emitWidth(b, tensor, inner));
  // Of shapes that have no keys, anything but undefined.
  Value most = arith::ConstantIndexOp::create(b, 63);
  return arith::AndIOp::create(b, shift, most);
}

Value nacho::emitKeyExtent(ImplicitLocOpBuilder &b, Value tensor) {
  return arith::ShLIOp::create(b, emitExtent(b, tensor, 0),
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

namespace {
class FlatLevel : public StoredLevel {
public:
  FlatLevel(Value flat, Value list) : StoredLevel(flat, 0), list(list) {}

  bool isComputed() const override { return true; }

  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    return Level::get(list, 0)->begin(b, parent);
  }

  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    Value key, inside;
    for (unsigned level = 0; level < rankOf(list); ++level) {
      Value part = Level::get(list, level)->coordinate(b, position);
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, part,
                                         emitExtent(b, list, level));
      inside = inside ? Value(arith::AndIOp::create(b, inside, fits)) : fits;
      part = arith::ShLIOp::create(b, part, emitKeyShift(b, list, level));
      key = key ? Value(arith::OrIOp::create(b, key, part)) : part;
    }
    Value most =
        arith::ConstantIndexOp::create(b, std::numeric_limits<int64_t>::max());
    return arith::SelectOp::create(b, inside, key, most);
  }

  /// As above, of 64 bits: where the sign is set the coordinate is outside.
  Value coordinateVector(ImplicitLocOpBuilder &b, Value position, Value valid,
                         unsigned lanes) const override {
    auto type = VectorType::get(lanes, b.getI64Type());
    auto broadcast = [&](Value index) -> Value {
      Value word = arith::IndexCastOp::create(b, b.getI64Type(), index);
      return vector::BroadcastOp::create(b, type, word);
    };
    Value key, inside;
    for (unsigned level = 0; level < rankOf(list); ++level) {
      Value part =
          Level::get(list, level)->coordinateVector(b, position, valid, lanes);
      Type stored = cast<VectorType>(part.getType()).getElementType();
      if (stored.isIndex())
        part = arith::IndexCastUIOp::create(b, type, part);
      else if (!stored.isInteger(64))
        part = arith::ExtUIOp::create(b, type, part);
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, part,
                                         broadcast(emitExtent(b, list, level)));
      inside = inside ? Value(arith::AndIOp::create(b, inside, fits)) : fits;
      part = arith::ShLIOp::create(b, part,
                                   broadcast(emitKeyShift(b, list, level)));
      key = key ? Value(arith::OrIOp::create(b, key, part)) : part;
    }
    Value most = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, std::numeric_limits<int64_t>::max()));
    return arith::SelectOp::create(b, inside, key, most);
  }

  Value extent(ImplicitLocOpBuilder &b) const override {
    return emitKeyExtent(b, list);
  }

  void prefetch(ImplicitLocOpBuilder &b, Value position) const override {
    Level::get(list, 0)->prefetch(b, position);
  }

private:
  Value list;
};
} // namespace

std::unique_ptr<Level> nacho::makeFlatLevel(Value flat, Value list) {
  return std::make_unique<FlatLevel>(flat, list);
}
