//===- LoopWindows.cpp - Loops over coordinates computed in advance -------===//
//
// Where a level computes its coordinates, vector instructions compute a window
// of some hundred coordinates in advance. The usual loops then read the window
// as if its coordinates were stored.
//
//===----------------------------------------------------------------------===//

#include "LoopShape.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/Windows.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

/// Coordinates per window. Two windows of 64-bit words take a quarter of a
/// first-level cache of 32 KiB.
static constexpr int64_t kWindow = 512;

namespace {
/// A level whose coordinates at kWindow positions from `base` on are read from
/// an array.
class WindowLevel : public Level {
public:
  WindowLevel(const Level &of, Value array, Value base)
      : Level(Value(), 0), of(of), array(array), base(base) {}

  bool isFull() const override { return false; }
  bool isUnique() const override { return true; }
  Value extent(ImplicitLocOpBuilder &b) const override { return of.extent(b); }
  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    return of.begin(b, parent);
  }
  Value end(ImplicitLocOpBuilder &b, Value begin, Value after) const override {
    return of.end(b, begin, after);
  }
  Value size(ImplicitLocOpBuilder &b) const override { return of.size(b); }
  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    return loadIndex(b, array, place(b, position));
  }
  Value coordinateVector(ImplicitLocOpBuilder &b, Value position,
                         Condition valid, unsigned lanes) const override {
    return loadVector(b, array, place(b, position), valid, lanes);
  }
  Value last(ImplicitLocOpBuilder &b) const override {
    return Number(b, base) + (kWindow - 1);
  }
  Value lowerBound(ImplicitLocOpBuilder &b, Value coordinate, Value first,
                   Value low, Value high) const override {
    return of.lowerBound(b, coordinate, first, low, high);
  }

private:
  Number place(ImplicitLocOpBuilder &b, Value position) const {
    return Number(b, position) - base;
  }

  const Level &of;
  Value array, base;
};
} // namespace

/// The array of cursors of a level, all 0; null if the level needs none.
static Value startCursors(ImplicitLocOpBuilder &b, const Level &level) {
  const ComputedCoordinates *computed = level.computed();
  int64_t count = computed ? computed->numCursors() : 0;
  if (count == 0)
    return {};
  Value cursors =
      memref::AllocaOp::create(b, MemRefType::get({count}, b.getIndexType()));
  for (int64_t n = 0; n < count; ++n)
    memref::StoreOp::create(b, Number(b, 0), cursors, Number(b, n));
  return cursors;
}

bool nacho::hasWindows(const Coiteration &loop) {
  return loop.lowering.options.vectorBits > 0 &&
         llvm::any_of(loop.stored, [&](unsigned n) {
           return loop.ranges[n].level->computed();
         });
}

/// while every operand has coordinates left:
///   fill the next window of each operand
///   the loop, within the windows
Values nacho::emitInWindows(Coiteration &loop,
                            Values (*emit)(Coiteration &loop)) {
  if (!hasWindows(loop))
    return emit(loop);
  ImplicitLocOpBuilder &b = loop.b;
  unsigned vectorBits = loop.lowering.options.vectorBits;
  auto type = MemRefType::get({kWindow + vectorBits / 64}, b.getI64Type());
  Values arrays, cursors;
  for (unsigned n : loop.stored) {
    arrays.push_back(memref::AllocaOp::create(b, type));
    cursors.push_back(startCursors(b, *loop.ranges[n].level));
  }
  auto emitWindow = [&](ValueRange state) {
    SmallVector<ChildRange> whole(loop.ranges.size());
    for (auto [k, n] : llvm::enumerate(loop.stored)) {
      ChildRange &range = loop.ranges[n];
      Value begin = state[k];
      Value end = min(Number(b, range.end), Number(b, begin) + kWindow);
      fillWindow(b, *range.level, arrays[k], begin, end, cursors[k],
                 vectorBits);
      auto level =
          std::make_unique<WindowLevel>(*range.level, arrays[k], begin);
      whole[n] =
          std::exchange(range, {std::move(level), range.first, begin, end});
    }
    Values inits(loop.op.getInits());
    loop.op.getInitsMutable().assign(state.drop_front(loop.stored.size()));
    Values results = emit(loop);
    loop.op.getInitsMutable().assign(inits);
    for (unsigned n : loop.stored)
      loop.ranges[n] = std::move(whole[n]);
    return results;
  };
  return emitWhileBelow(b, loop.inits(), loop.ends(), emitWindow);
}
