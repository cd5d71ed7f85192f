//===- Flat.h - Levels of entries by keys that are computed ---------------===//

#ifndef NACHO_LIB_LEVELS_FLAT_H
#define NACHO_LIB_LEVELS_FLAT_H

#include "LevelKinds.h"

namespace nacho {

/// A key that is being put together, level by level; or several, in the lanes
/// of vectors.
struct Key {
  mlir::Value bits, inside; ///< Null: no level yet.

  void add(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor, unsigned level,
           mlir::Value part);
  mlir::Value get(mlir::ImplicitLocOpBuilder &b) const;
};

/// Coordinates as words. Where the sign is set they are outside.
mlir::Value asWords(mlir::ImplicitLocOpBuilder &b, mlir::Value coordinates);

/// The last level of a tensor, in which every position is an entry.
class FlatLevel : public StoredLevel {
public:
  FlatLevel(mlir::Value flat, mlir::Value tensor)
      : StoredLevel(flat, 0), of(tensor),
        rank(llvm::cast<mlir::RankedTensorType>(tensor.getType()).getRank()) {}

  bool isComputed() const override { return true; }

  mlir::Value extent(mlir::ImplicitLocOpBuilder &b) const override {
    return emitKeyExtent(b, of);
  }
  mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b) const override {
    return Level::get(of, rank - 1)->coordinates(b);
  }
  void prefetch(mlir::ImplicitLocOpBuilder &b,
                mlir::Value position) const override {
    Level::get(of, rank - 1)->prefetch(b, position);
  }
  mlir::Value begin(mlir::ImplicitLocOpBuilder &b,
                    mlir::Value parent) const override {
    return positionsBefore(b, of, 0, Level::get(of, 0)->begin(b, parent),
                           rank - 1);
  }

protected:
  mlir::Value of;
  unsigned rank;
};

std::unique_ptr<Level> makeFlatTree(mlir::Value flat, mlir::Value tensor);

} // namespace nacho

#endif // NACHO_LIB_LEVELS_FLAT_H
