//===- TensorArrays.h - The buffers of a tensor's levels ------------------===//

#ifndef NACHO_LEVELS_TENSORARRAYS_H
#define NACHO_LEVELS_TENSORARRAYS_H

#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// A buffer for each array of each level of a tensor.
class TensorArrays {
public:
  TensorArrays() = default;
  explicit TensorArrays(mlir::RankedTensorType type);

  /// Calls `body` for each array, in the order in which kernels take them, with
  /// its buffer, its type as a buffer, and its name with the level's number.
  void forEach(llvm::function_ref<void(mlir::Value &, mlir::MemRefType,
                                       const llvm::Twine &)>
                   body);

  /// All buffers, in that order.
  llvm::SmallVector<mlir::Value> flatten() const;

  /// The positions of the children of each position of the level above; null if
  /// the level has no such array.
  mlir::Value positions(unsigned level) const;

  /// The buffer in which the coordinate of each position of a level has the
  /// index of the position; null if the level is full. Where coordinates are
  /// not an array of their own, it is a view with a stride.
  mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b, unsigned level) const;

private:
  mlir::Value find(unsigned level, llvm::StringRef name) const;

  mlir::RankedTensorType type;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> buffers; ///< By level.
};

/// The type of the buffer that `TensorArrays::coordinates` returns.
mlir::MemRefType coordinatesType(mlir::RankedTensorType type, unsigned level);

} // namespace nacho

#endif // NACHO_LEVELS_TENSORARRAYS_H
