//===- Singleton.cpp - A level with one coordinate per parent -------------===//
//
// The child of parent p has the same position p and the coordinate crd[p]. The
// parents of a fiber are a run of positions of the level above, and the
// children have the positions of that run.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"
#include "StoredLevel.h"

using namespace mlir;
using namespace nacho;

namespace {

class SingletonLevel : public StoredLevel {
public:
  using StoredLevel::StoredLevel;

  Value begin(ImplicitLocOpBuilder &, Value parent) const override {
    return parent;
  }
};

class SingletonKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    sparse_tensor::LevelType type = encoding.getLvlType(level);
    return isSingletonLT(type) &&
           type.isa<sparse_tensor::LevelPropNonDefault::SoA>();
  }
  bool worksInBatches() const override { return true; }
  bool sharesPositions(Encoding, unsigned) const override { return true; }
  SmallVector<LevelArray> arrays(Encoding encoding, unsigned) const override {
    return {coordinatesArray(encoding)};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<SingletonLevel>(tensor, level);
  }
  /// The level shares the positions of a compressed level above it, and both
  /// are appended together.
  std::unique_ptr<ResultLevel> result() const override {
    return compressedKind().result();
  }
};

} // namespace

const LevelKind &nacho::singletonKind() {
  static const SingletonKind kind;
  return kind;
}
