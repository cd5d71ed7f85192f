//===- Part.h - What the loops of one part work with ----------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PART_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PART_H

#include "PhaseFunctions.h"
#include "ResultPlaces.h"

namespace nacho {

/// Why the loops of a part are run: to count what the part appends, or to
/// append it.
enum class Phase { count, append };

/// The values that the loops of a part carry around, in this order.
struct Carried {
  llvm::SmallVector<Values> levels; ///< Those of each level that is filled.
  mlir::Value entries; ///< The number of entries, or the offset of the next.
  Values tables;       ///< The position of the fiber that is in each table.
  Values sums;         ///< What is being reduced, or added up.

  Values flatten() const;
  /// The same, where other values stand for these: the arguments of a loop's
  /// body, or the results of a loop.
  Carried as(mlir::ValueRange values) const;
};

/// One part of a nest, in one of its phases.
struct Part {
  Part(PhaseFunctions &function, mlir::Value number, mlir::Value parts,
       Phase phase);
  Part(const Part &) = delete;

  mlir::Value constant(int64_t value) const {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  bool isCounting() const { return phase == Phase::count; }

  /// Whether a cut is inside the coordinate that loop `m` of the chain is at.
  /// Nothing if it cannot be, since no loop further in is cut.
  std::optional<mlir::Value> isCutInside(unsigned m, mlir::Value cut) const;

  /// Whether the merge expression of a loop without fibers holds, which only
  /// asks for the guards.
  Condition emitHolds(CoiterateOp loop) const;

  /// The position of the structure's last level that is filled next, if there
  /// is a structure.
  std::optional<mlir::Value> blockPosition(const Carried &values) const;

  /// Counts some entries where a condition holds.
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
  Phase phase;
  /// The rows of the scan before and after the part, while it appends. They
  /// have no elements if nothing was counted.
  Values first, last;

  // Where the builder is.
  Values coordinates; ///< By level, the coordinates of the loops around it.
  /// Whether the part completes these coordinates: no later part appends there.
  Condition completes = kAlways;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PART_H
