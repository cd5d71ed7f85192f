//===- CoordinateBlock.cpp - Coordinates in a vector register -------------===//

#include "CoordinateBlock.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

unsigned nacho::lanesOf(const Coiteration &loop, unsigned operand) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(
      loop.fibers[operand].tensor.getType());
  auto type = dyn_cast<IntegerType>(encoding.getCrdElemType());
  unsigned bits = loop.lowering.options.vectorBits;
  unsigned lanes = type ? bits / type.getWidth() : 0;
  return lanes > 1 && lanes < 64 ? lanes : 0;
}

unsigned nacho::lanesOf(const Coiteration &loop) {
  SmallVector<unsigned> lanes;
  for (unsigned n : loop.stored) {
    if (!loop.ranges[n].level->isUnique())
      return 0;
    lanes.push_back(lanesOf(loop, n));
  }
  return llvm::all_equal(lanes) ? lanes.front() : 0;
}

MergeAttr nacho::intersectStored(const Coiteration &loop) {
  MLIRContext *context = loop.b.getContext();
  return intersectMerges(context,
                         llvm::map_to_vector(loop.stored, [&](unsigned n) {
                           return MergeAttr::get(context, n);
                         }));
}

namespace {
/// The coordinates of a block, and the mask of the lanes that have one.
struct Lanes {
  Value values, valid;
};
} // namespace

/// Lanes without a coordinate have an arbitrary value, which may happen to be a
/// coordinate of the other block.
static Lanes load(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                  unsigned lanes) {
  Value valid = emitMask(b, block.position, block.end, lanes);
  return {block.level->coordinateVector(b, block.position, valid, lanes),
          valid};
}

static Value toBits(ImplicitLocOpBuilder &b, Value flags, unsigned lanes) {
  Type word = b.getIntegerType(lanes);
  Value bits = vector::BitCastOp::create(b, VectorType::get(1, word), flags);
  bits = vector::ExtractOp::create(b, bits, ArrayRef<int64_t>{0});
  return Number(b, bits).as(b.getI64Type());
}

/// matches = or over r of (values == other rotated by r)
Value nacho::emitMatches(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                         const CoordinateBlock &other, unsigned lanes) {
  Lanes mine = load(b, block, lanes), theirs = load(b, other, lanes);
  // Lanes of the other block without a coordinate must not cause a match. They
  // get the block's first coordinate, which is compared anyway.
  auto type = cast<VectorType>(theirs.values.getType());
  Value first = other.level->coordinateVector(b, other.position, kAlways, 1);
  first = vector::ExtractOp::create(b, first, ArrayRef<int64_t>{0});
  Value values = select(Number(b, theirs.valid), theirs.values,
                        vector::BroadcastOp::create(b, type, first));
  Value matches;
  for (unsigned rotation = 0; rotation < lanes; ++rotation) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < lanes; ++lane)
      order.push_back((lane + rotation) % lanes);
    Value rotated =
        rotation ? Value(vector::ShuffleOp::create(b, values, values, order))
                 : values;
    Value equal = Number(b, mine.values) == rotated;
    matches = matches ? Number(b, matches) | equal : equal;
  }
  matches = Number(b, matches) & mine.valid;
  return toBits(b, matches, lanes);
}

Value nacho::addMatches(ImplicitLocOpBuilder &b, Value matches, Value count) {
  Value more = Number(b, math::CtPopOp::create(b, matches)).asIndex();
  return Number(b, count) + more;
}

Value nacho::countEqual(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                        Value coordinate, unsigned lanes) {
  Lanes mine = load(b, block, lanes);
  auto type = cast<VectorType>(mine.values.getType());
  Value narrow = coordinate;
  if (!isa<IndexType>(type.getElementType()))
    narrow = Number(b, coordinate).as(type.getElementType());
  Value sought = vector::BroadcastOp::create(b, type, narrow);
  Value equal = (Number(b, mine.values) == sought) & mine.valid;
  Value others = Number(b, toBits(b, equal, lanes)) ^ -1;
  return Number(b, math::CountTrailingZerosOp::create(b, others)).asIndex();
}
