//===- Structured.cpp - Structured levels, as in n:m sparsity -------------===//
//
// structured[n, m]: of the m coordinates, each fiber stores n, zeros included
// where there are fewer. The children of parent p therefore have the positions
// [n * p, n * (p + 1)), and the array crd has their coordinates in increasing
// order. NVIDIA's sparse tensor cores take structured[2, 4] in the last level.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"
#include "StoredLevel.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

namespace {

class StructuredLevel : public StoredLevel {
public:
  using StoredLevel::StoredLevel;

  /// min(n * parent, number of coordinates)
  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    int64_t stored = getN(encoding().getLvlType(level));
    Number before = Number(b, parent) * stored;
    Value most = size(b);
    return min(before, most);
  }
};

class StructuredKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return isNOutOfMLT(encoding.getLvlType(level));
  }
  SmallVector<LevelArray> arrays(Encoding encoding, unsigned) const override {
    return {coordinatesArray(encoding)};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<StructuredLevel>(tensor, level);
  }
};

} // namespace

const LevelKind &nacho::structuredKind() {
  static const StructuredKind kind;
  return kind;
}
