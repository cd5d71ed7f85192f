//===- WindowAccesses.h - Accesses to windows in place of arrays ----------===//

#ifndef NACHO_LIB_CONVERSION_GPU_WINDOWACCESSES_H
#define NACHO_LIB_CONVERSION_GPU_WINDOWACCESSES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// Returns the row of a load. One that is only there so that an array is not
/// read outside is not needed where there is a row in any case:
///
///   condition ? row : 0 -> row, if nobody sees what is loaded at 0
mlir::Value wantedRow(mlir::Operation *load, mlir::Value row);

/// The rows `from` .. `from + size` of some arrays. There are so many in each
/// of these, and at least as many as one access needs if the arrays are read.
struct RowsOfTile {
  mlir::Value from, size;
};

/// An access to an array of which rows lie in shared memory.
struct WindowAccess {
  mlir::OpOperand *memory;
  RowsOfTile rows;
  mlir::Value shared; ///< The view of shared memory that has these rows.
};

/// Lets a copy of an access go to the window: parts need no other rows.
/// Whatever the row is, a window is never accessed outside: a row elsewhere is
/// not stored, and some row of the window is loaded in place of it.
void goToWindow(const WindowAccess &access, mlir::Operation *copy);

/// A branch that asks whether loads of `count` rows from `row` on go to a
/// window, where these rows begin at `at`.
struct AskedWindow {
  mlir::Value row;
  int64_t count;
  RowsOfTile rows;
  mlir::Value at;
  mlir::scf::IfOp branch;
};

/// Lets a copy of a load go to the window, or to the array if its rows are
/// elsewhere. It joins a branch that has asked for the same row before, or
/// makes one.
void askWindow(const WindowAccess &access, mlir::Operation *copy,
               llvm::SmallVectorImpl<AskedWindow> &asked);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_WINDOWACCESSES_H
