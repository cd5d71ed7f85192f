//===- BlockMatches.cpp - Which coordinates two blocks share --------------===//

#include "BlockMatches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

namespace {
/// The coordinates of a block, and which of the lanes have one.
struct Lanes {
  Value values, valid;
};
} // namespace

/// Lanes without a coordinate have some value; it may be one of the other
/// block's.
static Lanes load(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                  unsigned lanes) {
  auto element = cast<MemRefType>(block.coordinates.getType()).getElementType();
  auto type = VectorType::get(lanes, element);
  auto flags = VectorType::get(lanes, b.getI1Type());
  Value rest = arith::SubIOp::create(b, block.end, block.position);
  Value valid = vector::CreateMaskOp::create(b, flags, rest);
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return {vector::MaskedLoadOp::create(b, type, block.coordinates,
                                       block.position, valid, none),
          valid};
}

/// matches = or over r of (values == other rotated by r)
Value nacho::emitMatches(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                         const CoordinateBlock &other, unsigned lanes) {
  Lanes mine = load(b, block, lanes), theirs = load(b, other, lanes);
  // What is no coordinate of the other block must match nothing: the first one
  // of it, which is compared anyway, takes its place.
  auto type = cast<VectorType>(theirs.values.getType());
  Value first = memref::LoadOp::create(b, other.coordinates, other.position);
  Value values =
      arith::SelectOp::create(b, theirs.valid, theirs.values,
                              vector::BroadcastOp::create(b, type, first));
  Value matches;
  for (unsigned rotation = 0; rotation < lanes; ++rotation) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < lanes; ++lane)
      order.push_back((lane + rotation) % lanes);
    Value rotated =
        rotation ? Value(vector::ShuffleOp::create(b, values, values, order))
                 : values;
    Value equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        mine.values, rotated);
    matches = matches ? Value(arith::OrIOp::create(b, matches, equal)) : equal;
  }
  matches = arith::AndIOp::create(b, matches, mine.valid);
  Type word = b.getIntegerType(lanes);
  Value bits = vector::BitCastOp::create(b, VectorType::get(1, word), matches);
  bits = vector::ExtractOp::create(b, bits, ArrayRef<int64_t>{0});
  return arith::ExtUIOp::create(b, b.getI64Type(), bits);
}
