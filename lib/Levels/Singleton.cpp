//===- Singleton.cpp - A level with one coordinate per parent -------------===//
//
// The child of p has the position p and the coordinate crd[p]. The parents of
// a fiber are a run of positions of the level above, and the children the same
// run.
//
//===----------------------------------------------------------------------===//

#include "LevelKinds.h"

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
} // namespace

std::unique_ptr<Level> nacho::makeSingletonLevel(Value tensor, unsigned level) {
  return std::make_unique<SingletonLevel>(tensor, level);
}
