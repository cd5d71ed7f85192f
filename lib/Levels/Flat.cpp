//===- Flat.cpp - The level of a flattened list ---------------------------===//

#include "Flat.h"

using namespace mlir;
using namespace nacho;

namespace {
/// All levels of a list have the coordinates of an entry at the same position,
/// so that keys can be computed one by one, and by vectors.
class FlatList : public FlatLevel {
public:
  using FlatLevel::FlatLevel;

  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    Key key;
    for (unsigned level = 0; level < rank; ++level)
      key.add(b, of, level, Level::get(of, level)->coordinate(b, position));
    return key.get(b);
  }

  Value coordinateVector(ImplicitLocOpBuilder &b, Value position,
                         Condition valid, unsigned lanes) const override {
    Key key;
    for (unsigned level = 0; level < rank; ++level)
      key.add(b, of, level,
              asWords(b, Level::get(of, level)->coordinateVector(
                             b, position, valid, lanes)));
    return key.get(b);
  }

  unsigned numCursors() const override { return 0; }

  void fill(ImplicitLocOpBuilder &b, Value array, Value begin, Value end, Value,
            unsigned vectorBits) const override {
    fillByVectors(b, *this, array, begin, end, vectorBits);
  }
};
} // namespace

std::unique_ptr<Level> nacho::makeFlatLevel(Value flat, Value tensor) {
  if (isList(cast<RankedTensorType>(tensor.getType())))
    return std::make_unique<FlatList>(flat, tensor);
  return makeFlatTree(flat, tensor);
}
