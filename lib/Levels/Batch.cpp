//===- Batch.cpp - Tensors whose batches have arrays of their own ---------===//
//
// A batch level has every coordinate, like a dense level. The arrays of levels
// below it have a row for each batch, all of them equally long, however many
// entries a batch has. Here, the rows are read as one array, one row after the
// other. With rows of `length` positions and `capacity` coordinates, a
// compressed level in batches has for parent p, the r-th of batch n, the
// children
//
//   n * capacity + [pos[n * length + r], pos[n * length + r + 1])
//
// What a row has behind its last entry is a gap.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"
#include "StoredLevel.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

namespace {

class BatchKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return isBatchLT(encoding.getLvlType(level));
  }
  bool worksInBatches() const override { return true; }
  bool isFull() const override { return true; }
  bool separatesChildren(Encoding encoding, unsigned level) const override {
    return level + 1 == encoding.getBatchLvlRank();
  }
  SmallVector<LevelArray> arrays(Encoding, unsigned) const override {
    return {};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return denseKind().operand(tensor, level);
  }
};

class BatchedLevel : public StoredLevel {
public:
  using StoredLevel::StoredLevel;

  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    return position(b, parent, parent);
  }

  /// The end of the children of the last parent, which may be the last one of
  /// its batch; `begin` if there are no parents.
  Value end(ImplicitLocOpBuilder &b, Value begin, Value after) const override {
    Number one(b, 1);
    Value last = max(Number(b, after), one) - one;
    return max(Number(b, begin), position(b, last, after));
  }

  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    Value stored = emitPositionsArray(b, tensor, level);
    prefetchElement(b, stored, placeOf(b, batchOf(b, parent), parent, stored));
  }

private:
  /// count / number of batches
  Value perBatch(ImplicitLocOpBuilder &b, Value count) const {
    Value batches = numPositions(b, tensor, encoding().getBatchLvlRank());
    return divided(b, count, batches);
  }

  Value numParents(ImplicitLocOpBuilder &b) const {
    return perBatch(b, numPositions(b, tensor, level));
  }

  Value batchOf(ImplicitLocOpBuilder &b, Value parent) const {
    return divided(b, parent, numParents(b));
  }

  /// The place in the array `stored` of the position that belongs to `at`: a
  /// parent of this batch, or the one after the last of them.
  Value placeOf(ImplicitLocOpBuilder &b, Value batch, Value at,
                Value stored) const {
    Number one(b, 1);
    Number zero(b, 0);
    Value size = memref::DimOp::create(b, stored, zero);
    Value length = perBatch(b, size);
    Value inBatch = Number(b, at) - Number(b, batch) * numParents(b);
    Number place = Number(b, batch) * length + inBatch;
    return min(place, Number(b, size) - one);
  }

  /// batch * capacity + min(pos[place], capacity), in the batch of `parent`
  ///
  /// Even a wrong array of positions never leads out of the batch.
  Value position(ImplicitLocOpBuilder &b, Value parent, Value at) const {
    Value stored = emitPositionsArray(b, tensor, level), most = size(b);
    Value batch = batchOf(b, parent), capacity = perBatch(b, most);
    Number read(b, loadIndex(b, stored, placeOf(b, batch, at, stored)));
    Value inBatch = min(read, capacity);
    Number first = Number(b, batch) * capacity;
    return min(first + inBatch, most);
  }

  static Value divided(ImplicitLocOpBuilder &b, Value count, Value divisor) {
    return Number(b, count) / max(Number(b, divisor), 1);
  }
};

class BatchedKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return isCompressedLT(encoding.getLvlType(level)) &&
           encoding.getBatchLvlRank() > 0;
  }
  bool worksInBatches() const override { return true; }
  bool hasGaps() const override { return true; }
  SmallVector<LevelArray> arrays(Encoding encoding, unsigned) const override {
    return {positionsArray(encoding), coordinatesArray(encoding)};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<BatchedLevel>(tensor, level);
  }
};

} // namespace

const LevelKind &nacho::batchKind() {
  static const BatchKind kind;
  return kind;
}

const LevelKind &nacho::batchedKind() {
  static const BatchedKind kind;
  return kind;
}
