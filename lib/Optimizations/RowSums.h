//===- RowSums.h - Loops over rows that add up their entries --------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_ROWSUMS_H
#define NACHO_LIB_OPTIMIZATIONS_ROWSUMS_H

#include "LoopBody.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {

/// A loop over rows, the entries of which follow one another: a row begins
/// where the one before it ends. It adds up terms of the entries of each row,
/// and stores elements of the result, one per row:
///
///   for row = from to to carrying begin:
///     end = ...                            // only read arrays tell it
///     sums, flags = for k = begin to end: sums += terms(k); flags |= ...
///     if flag: tell the caller
///     element[row] = f(sums, row)
///     begin = end
struct RowSums {
  mlir::scf::ForOp rows, entries;
  LoopBody body; ///< The body of the loop over entries.
  mlir::SmallVector<mlir::scf::IfOp> alarms; ///< Branches to tell the caller.
  mlir::SmallVector<mlir::memref::StoreOp> stores;

  explicit RowSums(mlir::scf::ForOp rows, mlir::scf::ForOp entries)
      : rows(rows), entries(entries), body(entries) {}

  /// Returns nothing for any other loop.
  static std::optional<RowSums> match(mlir::scf::ForOp rows);

  /// The start and the end of a row.
  mlir::Value begin() { return rows.getRegionIterArg(0); }
  mlir::Value end() { return entries.getUpperBound(); }

  /// Returns the distance of an index from the row, a null value for the row
  /// itself, or none for an index that does not follow from the row.
  std::optional<mlir::Value> offsetOf(mlir::Value index);

  /// The number below which a row has to be for an element of the result to be
  /// stored; null if each row stores one.
  mlir::Value limitOf(mlir::memref::StoreOp store);

  /// Emits a value of the loop over rows again, for the row that `known` maps
  /// the row to.
  mlir::Value emitAgain(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        mlir::IRMapping &known);

private:
  bool matchEntries();
  bool matchRest();
  bool matchStore(mlir::scf::IfOp branch);
  bool isAlarm(mlir::scf::IfOp branch);
  bool isOfRow(mlir::Operation &op);
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_ROWSUMS_H
