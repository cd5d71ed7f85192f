//===- WorkspaceNumbers.h - Numbers of children, in tables ------*- C++ -*-===//
//
// The elements of a dense table: the numbers of the children of a fiber, by
// their coordinates. A table has them as numbers of a range:
//
//   values[coordinate] = first + number          where number < count
//
// Before another fiber comes, `first` moves beyond the range. So whatever is
// left of other fibers is less than `first`, and what is not is there: nothing
// has to be taken out, and no bit says which places are used. In place of such
// bits, the marks hold `first` and `count`.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_WORKSPACENUMBERS_H
#define NACHO_LIB_CONVERSION_WORKSPACENUMBERS_H

#include "WorkspaceMarks.h"

namespace nacho {

/// Emits code that reads and writes the elements of a dense table.
class WorkspaceNumbers {
public:
  WorkspaceNumbers(WorkspaceOp op, WorkspaceMarks &marks,
                   mlir::ImplicitLocOpBuilder &b)
      : op(op), marks(marks), b(b) {}

  /// Makes room for numbers below `count`, in a table with so many places.
  void renew(mlir::Value count, mlir::Value places);
  void insert(mlir::Value number, mlir::Value place);
  /// The number at a place, and whether there is one. `first` is what first()
  /// has emitted since the table was renewed.
  mlir::ValueRange lookUp(mlir::Value place, mlir::Value first);
  mlir::Value first();

private:
  mlir::Type type() { return op.getType().getElement(); }
  mlir::Value firstAt() { return Number(b, 0); }
  mlir::Value countAt() { return Number(b, 1); }
  mlir::Value largest();
  void clear(mlir::Value places);

  WorkspaceOp op;
  WorkspaceMarks &marks;
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_WORKSPACENUMBERS_H
