//===- WindowAccesses.h - Accesses to windows in place of arrays ----------===//

#ifndef NACHO_LIB_CONVERSION_GPU_WINDOWACCESSES_H
#define NACHO_LIB_CONVERSION_GPU_WINDOWACCESSES_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The operands by which the code of parts loads from an array, or stores to
/// it. The operand after each of them is the row.
struct ArrayAccesses {
  llvm::SmallVector<mlir::OpOperand *> loads, stores;
};

/// Returns nothing if parts access the array in other ways.
std::optional<ArrayAccesses> findAccesses(ParallelOp workers,
                                          mlir::Value array);

/// Returns how many rows an operation accesses from the first on.
int64_t rowsOf(mlir::Operation *access);

/// The rows `from` .. `from + size` of some arrays, in shared memory.
struct TileWindow {
  struct Copy {
    mlir::Value array;
    mlir::Value shared; ///< The view of shared memory that has its rows.
  };

  mlir::Value from, size;
  llvm::SmallVector<Copy> copies;
};

/// Lets loads, or stores, choose between an array and its window. Whatever the
/// index is, a window is never accessed outside.
void accessWindow(const TileWindow &window, ParallelOp workers, bool stores);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_WINDOWACCESSES_H
