//===- Pieces.cpp - A level with coarser coordinates ----------------------===//
//
// The level of the result of `nacho.pieces`: the coordinates of another level
// divided by a power of two.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Arith.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

namespace {
class PiecesLevel : public Level {
public:
  PiecesLevel(Value tensor, unsigned level, Value shift)
      : Level(tensor, level), of(Level::get(tensor, level)), shift(shift) {}

  bool isFull() const override { return false; }
  bool isUnique() const override { return false; }

  void enterFiber(Value parent) override { of->enterFiber(parent); }

  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    return of->begin(b, parent);
  }
  Value end(ImplicitLocOpBuilder &b, Value begin, Value after) const override {
    return of->end(b, begin, after);
  }
  Value size(ImplicitLocOpBuilder &b) const override { return of->size(b); }
  Value extent(ImplicitLocOpBuilder &b) const override { return of->extent(b); }

  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    return Number(b, of->coordinate(b, position)) >> shift;
  }

  /// The first child of a piece, or of the next piece that there is.
  Value lowerBound(ImplicitLocOpBuilder &b, Value piece, Value first, Value low,
                   Value high) const override {
    Value coordinate = Number(b, piece) << shift;
    return of->lowerBound(b, coordinate, first, low, high);
  }

  /// Many fibers lie in one piece.
  Value reachesEnd(ImplicitLocOpBuilder &b, Value piece,
                   Value end) const override {
    Number one(b, 1);
    Value last = max(Number(b, end), one) - one;
    return Number(b, coordinate(b, last)) == piece;
  }

  /// A shift that is too large for the width of a lane is undefined.
  Value coordinateVector(ImplicitLocOpBuilder &b, Value position,
                         Condition valid, unsigned lanes) const override {
    Value fine = of->coordinateVector(b, position, valid, lanes);
    auto type = cast<VectorType>(fine.getType());
    Type lane = type.getElementType();
    int64_t bits = lane.isIndex() ? 64 : lane.getIntOrFloatBitWidth();
    Value by = min(Number(b, shift), bits - 1).as(lane);
    return Number(b, fine) >> vector::BroadcastOp::create(b, type, by);
  }

  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    of->prefetchBegin(b, parent);
  }
  void prefetch(ImplicitLocOpBuilder &b, Value position) const override {
    of->prefetch(b, position);
  }

private:
  std::unique_ptr<Level> of;
  Value shift; ///< At most 63.
};
} // namespace

std::unique_ptr<Level> Level::getPieces(Value tensor, unsigned level,
                                        Value shift) {
  return std::make_unique<PiecesLevel>(tensor, level, shift);
}
