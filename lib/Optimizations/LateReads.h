//===- LateReads.h - Elements that only results need ------------*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_LATEREADS_H
#define NACHO_LIB_OPTIMIZATIONS_LATEREADS_H

#include "nacho/IR/Nacho.h"

#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nacho {

/// The tensor that has what a fiber is of: that which was flattened or sliced,
/// if it was; null if it is not known.
mlir::Value storedTensorOf(mlir::Value fiber);

/// Elements of fibers that parts load for nothing but an element of the result.
/// A block loads these when all of its parts have told, in a word for each
/// element of the result, where they are.
struct LateReads {
  llvm::SetVector<mlir::Value> tensors; ///< Those that have the elements.
  int64_t wordBytes;

  /// Returns nothing unless parts compute all that they write to an array of
  /// such elements, and of what is the same for all of them, and a word takes
  /// no more than an element of the array.
  static std::optional<LateReads> find(ParallelOp workers, mlir::Value array);
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_LATEREADS_H
