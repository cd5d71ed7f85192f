//===- Slice.cpp - The levels of a slice ----------------------------------===//
//
// A level of the result of `nacho.slice`: those coordinates of a level of
// another tensor that lie in the interval
//   [offset, offset + stride * (size - 1)]
// counted from the offset. Positions are those of the other tensor. Where it
// stores coordinates, the children of a fiber that lie in the interval are
// found by search.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Arith.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

namespace {
class SliceLevel : public Level {
public:
  SliceLevel(SliceOp slice, unsigned level)
      : Level(slice.getResult(), level),
        of(Level::get(slice.getSource(), level)), slice(slice),
        dimension(dimensionOf(slice.getType(), level)) {}

  bool isFull() const override { return of->isFull(); }
  bool isUnique() const override { return of->isUnique(); }
  bool isCropped() const override { return true; }

  void enterFiber(Value parent) override { of->enterFiber(parent); }

  /// The position at the offset, for a full level. Other fibers are cropped.
  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    Value whole = of->begin(b, parent);
    return isFull() ? Number(b, whole) + offset(b) : whole;
  }
  Value end(ImplicitLocOpBuilder &b, Value begin, Value after) const override {
    return of->end(b, begin, after);
  }

  Interval crop(ImplicitLocOpBuilder &b, Interval whole) const override {
    Value from = offset(b), to = Number(b, from) + extent(b);
    Value begin = of->lowerBound(b, from, whole.begin, whole.begin, whole.end);
    return {begin, of->lowerBound(b, to, whole.begin, begin, whole.end)};
  }

  Value lowerBound(ImplicitLocOpBuilder &b, Value coordinate, Value first,
                   Value low, Value high) const override {
    return of->lowerBound(b, inSource(b, coordinate), first, low, high);
  }
  Value reachesEnd(ImplicitLocOpBuilder &b, Value coordinate,
                   Value end) const override {
    return of->reachesEnd(b, inSource(b, coordinate), end);
  }

  /// min(stride * (size - 1) + 1, what the tensor has behind the offset), or 0
  /// if the size is 0.
  Value extent(ImplicitLocOpBuilder &b) const override {
    Number zero(b, 0);
    Number one(b, 1);
    Number size(b, number(b, slice.getSize(dimension)));
    Value stride = number(b, slice.getStride(dimension));
    Number isEmpty = size == zero;
    Number last = (size - one) * stride;
    Number asked = select(isEmpty, zero, last + one);
    Number whole(b, of->extent(b));
    return min(asked, whole - offset(b));
  }

  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    Number inSource(b, of->coordinate(b, position));
    return inSource - offset(b);
  }
  Value coordinateVector(ImplicitLocOpBuilder &b, Value position,
                         Condition valid, unsigned lanes) const override {
    Value stored = of->coordinateVector(b, position, valid, lanes);
    auto type = cast<VectorType>(stored.getType());
    Value by = offset(b).as(type.getElementType());
    return Number(b, stored) - vector::BroadcastOp::create(b, type, by);
  }

  Value size(ImplicitLocOpBuilder &b) const override { return of->size(b); }
  Value last(ImplicitLocOpBuilder &b) const override { return of->last(b); }
  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    of->prefetchBegin(b, parent);
  }
  void prefetch(ImplicitLocOpBuilder &b, Value position) const override {
    of->prefetch(b, position);
  }

private:
  static Value number(ImplicitLocOpBuilder &b, OpFoldResult given) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), given);
  }

  /// min(offset, extent of the tensor), so that a wrong offset leads nowhere.
  Number offset(ImplicitLocOpBuilder &b) const {
    return min(Number(b, number(b, slice.getOffset(dimension))), of->extent(b));
  }

  /// The argument of searches in the other tensor. A full level is not
  /// searched: where its fiber begins has the offset in it.
  Value inSource(ImplicitLocOpBuilder &b, Value coordinate) const {
    return isFull() ? coordinate : Number(b, coordinate) + offset(b);
  }

  std::unique_ptr<Level> of;
  mutable SliceOp slice;
  unsigned dimension;
};
} // namespace

bool nacho::isCropped(Value tensor, unsigned level) {
  auto slice = tensor.getDefiningOp<SliceOp>();
  return slice && !slice.isWhole(dimensionOf(slice.getType(), level));
}

std::unique_ptr<Level> Level::getOfSlice(SliceOp slice, unsigned level) {
  if (slice.isWhole(dimensionOf(slice.getType(), level)))
    return get(slice.getSource(), level);
  return std::make_unique<SliceLevel>(slice, level);
}
