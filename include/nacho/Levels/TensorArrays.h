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

  /// Calls `body` for each array, in the order in which kernels take the
  /// arrays. The arguments are the buffer, its type, and its name with the
  /// number of the level.
  void forEach(llvm::function_ref<void(mlir::Value &, mlir::MemRefType,
                                       const llvm::Twine &)>
                   body);

  /// All buffers, in the order in which kernels take them.
  llvm::SmallVector<mlir::Value> flatten() const;

  /// The array of positions of a level; null if the level has none.
  mlir::Value positions(unsigned level) const;

  /// The array of coordinates of a level, in most levels indexed by position;
  /// null if the level has none. Where several levels share one array of
  /// coordinates, the result is a strided view of that array.
  mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b, unsigned level) const;

private:
  mlir::Value find(unsigned level, llvm::StringRef name) const;

  mlir::RankedTensorType type;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
      buffers; ///< The arrays of each level.
};

// The arrays of a tensor. Where these have a row for each batch, the rows come
// one after the other in one array.
mlir::Value emitPositionsArray(mlir::ImplicitLocOpBuilder &b,
                               mlir::Value tensor, unsigned level);
mlir::Value emitCoordinatesArray(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value tensor, unsigned level);
/// The elements, in the order in which they are stored.
mlir::Value emitValues(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);

/// The type of the buffer that `TensorArrays::coordinates` returns.
mlir::MemRefType coordinatesType(mlir::RankedTensorType type, unsigned level);

} // namespace nacho

#endif // NACHO_LEVELS_TENSORARRAYS_H
