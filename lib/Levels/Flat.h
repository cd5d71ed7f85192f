//===- Flat.h - The level of a flattened tensor ---------------------------===//

#ifndef NACHO_LIB_LEVELS_FLAT_H
#define NACHO_LIB_LEVELS_FLAT_H

#include "StoredLevel.h"

#include "nacho/Levels/Keys.h"
#include "nacho/Levels/Windows.h"

namespace nacho {

/// The only level of the result of `nacho.flatten`. Its coordinates are the
/// keys of the flattened tensor's entries, and its positions are those of the
/// flattened tensor's last level.
class FlatLevel : public StoredLevel, public ComputedCoordinates {
public:
  FlatLevel(mlir::Value flat, mlir::Value tensor)
      : StoredLevel(flat, 0), of(tensor),
        rank(llvm::cast<mlir::RankedTensorType>(tensor.getType()).getRank()) {}

  const ComputedCoordinates *computed() const override { return this; }

  mlir::Value extent(mlir::ImplicitLocOpBuilder &b) const override {
    return emitKeyExtent(b, of);
  }
  mlir::Value size(mlir::ImplicitLocOpBuilder &b) const override {
    return Level::get(of, rank - 1)->size(b);
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
  /// What was flattened is one fiber, which begins with the first entry that is
  /// stored, if the outermost level does.
  bool adjoins() const override {
    auto outermost = Level::get(of, 0);
    return outermost->isFull() || outermost->adjoins();
  }

protected:
  mlir::Value of; ///< The tensor that was flattened.
  unsigned rank;  ///< The number of its levels.
};

/// The level of `flat`, which is the list or tree `tensor` flattened.
std::unique_ptr<Level> makeFlatLevel(mlir::Value flat, mlir::Value tensor);
/// The same for a tree only.
std::unique_ptr<Level> makeFlatTree(mlir::Value flat, mlir::Value tensor);

} // namespace nacho

#endif // NACHO_LIB_LEVELS_FLAT_H
