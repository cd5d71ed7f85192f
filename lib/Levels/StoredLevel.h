//===- StoredLevel.h - A level that stores its coordinates ----------------===//

#ifndef NACHO_LIB_LEVELS_STOREDLEVEL_H
#define NACHO_LIB_LEVELS_STOREDLEVEL_H

#include "nacho/Levels/Level.h"

namespace nacho {

/// A level that is not full. `coordinates` says in which buffer the coordinates
/// are. Within a fiber they are in increasing order.
class StoredLevel : public Level {
public:
  StoredLevel(mlir::Value tensor, unsigned level) : Level(tensor, level) {}

  bool isFull() const override { return false; }
  bool isUnique() const override;
  mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b,
                         mlir::Value position) const override;
  mlir::Value coordinateVector(mlir::ImplicitLocOpBuilder &b,
                               mlir::Value position, Condition valid,
                               unsigned lanes) const override;
  mlir::Value size(mlir::ImplicitLocOpBuilder &b) const override;
  mlir::Value lowerBound(mlir::ImplicitLocOpBuilder &b, mlir::Value target,
                         mlir::Value first, mlir::Value low,
                         mlir::Value high) const override;
  void prefetch(mlir::ImplicitLocOpBuilder &b,
                mlir::Value position) const override;

protected:
  mlir::sparse_tensor::SparseTensorEncodingAttr encoding() const {
    return mlir::sparse_tensor::getSparseTensorEncoding(tensor.getType());
  }

  /// The buffer of the coordinates, indexed by position; it may have a stride.
  mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b) const;
};

} // namespace nacho

#endif // NACHO_LIB_LEVELS_STOREDLEVEL_H
