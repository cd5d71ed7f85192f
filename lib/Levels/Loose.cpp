//===- Loose.cpp - Compressed levels with gaps between their fibers -------===//
//
// The children of parent p have the positions [pos[2 * p], pos[2 * p + 1]), and
// the array crd has their coordinates in increasing order. Fibers follow one
// another in the order of their parents, but there may be gaps between them: a
// fiber can become longer without moving those behind it.
//
// What lies in gaps is never read. It has positions all the same, so that the
// searches for cuts count it as if it were entries of the fiber before it.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"
#include "StoredLevel.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

using namespace mlir;
using namespace nacho;

namespace {

class LooseLevel : public StoredLevel {
public:
  using StoredLevel::StoredLevel;

  /// pos[2 * parent]; behind the last parent, the end of the last fiber.
  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    return position(b, twice(b, parent));
  }

  /// max(begin, pos[2 * after - 1]), which is `begin` if there are no parents.
  Value end(ImplicitLocOpBuilder &b, Value begin, Value after) const override {
    Number one(b, 1);
    Number atLeastOne = max(twice(b, after), one);
    Value stored = position(b, atLeastOne - one);
    return max(Number(b, begin), stored);
  }

  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    prefetchElement(b, positions(b), twice(b, parent));
  }

private:
  Value positions(ImplicitLocOpBuilder &b) const {
    return emitPositionsArray(b, tensor, level);
  }

  static Number twice(ImplicitLocOpBuilder &b, Value parent) {
    return Number(b, parent) * 2;
  }

  /// min(pos[min(at, 2 * parents - 1)], number of coordinates)
  ///
  /// Even a wrong array of positions never leads beyond the coordinates.
  Value position(ImplicitLocOpBuilder &b, Value at) const {
    Value stored = positions(b), most = size(b);
    Number one(b, 1);
    Value parents = numPositions(b, tensor, level);
    Value last = twice(b, parents) - one;
    Value inside = min(Number(b, at), last);
    return min(Number(b, loadIndex(b, stored, inside)), most);
  }
};

class LooseKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return isLooseCompressedLT(encoding.getLvlType(level));
  }
  bool hasGaps() const override { return true; }
  SmallVector<LevelArray> arrays(Encoding encoding, unsigned) const override {
    return {positionPairsArray(encoding), coordinatesArray(encoding)};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<LooseLevel>(tensor, level);
  }
};

} // namespace

const LevelKind &nacho::looseKind() {
  static const LooseKind kind;
  return kind;
}
