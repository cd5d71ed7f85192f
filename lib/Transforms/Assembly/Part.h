//===- Part.h - The state of a part ---------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PART_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PART_H

#include "PhaseFunctions.h"
#include "ResultPlaces.h"

namespace nacho {

/// Whether the loops of a part run to count the part's entries, or to append
/// them.
enum class PartTask { count, append };

/// The values that the loops of a part carry, in this order.
struct Carried {
  llvm::SmallVector<Values> levels; ///< The values of each filled level.
  mlir::Value entries; ///< The number of entries, or the next entry's offset.
  Values tables;       ///< Which fiber is in each table.
  Values sums;         ///< The sums that are being reduced.

  Values flatten() const;
  /// The same fields with other values, in the order of flatten(): with the
  /// arguments of a loop's body, or with the results of a loop.
  Carried as(mlir::ValueRange values) const;
};

/// One part of a nest, while it counts or appends.
struct Part {
  Part(PhaseFunctions &function, mlir::Value number, mlir::Value parts,
       PartTask task);
  Part(const Part &) = delete;

  bool isCounting() const { return task == PartTask::count; }

  /// Whether a cut lies inside the current coordinate of loop `m` of the chain.
  /// None if no loop further in is cut, so that no cut can lie there.
  std::optional<mlir::Value> isCutInside(unsigned m, mlir::Value cut) const;

  /// Whether the merge expression of a loop without fibers holds: it only asks
  /// whether guards are present.
  Condition emitHolds(CoiterateOp loop) const;

  /// Whether a row of a list costs more than a quarter of a part's share.
  mlir::Value emitIsHeavy(HeavyOp op);
  /// Emits the width, in bits, of the pieces of a row of a list.
  mlir::Value emitPieceShift(PieceShiftOp op);
  /// Emits the start or the end of a row of a list.
  mlir::Value emitRowPosition(RowPositionOp op);

  /// The next position to fill in the structure's last level; none if there is
  /// no structure.
  std::optional<mlir::Value> blockPosition(const Carried &values) const;

  /// Adds `number` to the number of entries, if a condition holds.
  void countEntries(mlir::Value number, Condition condition,
                    Carried &values) const;

  /// Sets a bit of the status.
  void setStatus(mlir::Value bit) const;

  mlir::ImplicitLocOpBuilder &b;
  const ResultLayout &layout;
  const PhaseArguments &args;
  mlir::IRMapping mapping;
  ResultPlaces places;
  mlir::Value number, parts; ///< The number of the part, and of all parts.
  mlir::Value lower, upper;  ///< The cuts of the part.
  PartTask task;
  /// The rows of the scanned counts before and after the part, while it
  /// appends. They are empty if nothing was counted.
  Values first, last;

  // The state at the place where the builder is.
  Values coordinates; ///< The current coordinate of each level.
  /// Whether the part completes these coordinates: no later part appends there.
  Condition completes = kAlways;

private:
  mlir::Value emitGuard(mlir::Value next);

  /// The cost of a row of a list, a quarter of a part's share of the list, and
  /// whether the row costs more than that.
  struct RowCost {
    mlir::Value cost, quarter, isHeavy;
  };
  RowCost emitRowCost(mlir::Value fiber);
  llvm::ArrayRef<mlir::Value> wholeRow(mlir::Value row);
  llvm::SmallVector<mlir::Value> emitWholeRow(mlir::Value row) const;

  /// The start and the end of each row of a list that code has asked for.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> wholeRows;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PART_H
