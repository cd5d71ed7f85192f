//===- MergeSteps.h - Steps from coordinate to coordinate -------*- C++ -*-===//
//
// A merge carries the positions of its stored operands and the values of the
// coiteration, together its state. Some merges carry the coordinates at these
// positions, too, so that each step can load the next ones early.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_MERGESTEPS_H
#define NACHO_LIB_CONVERSION_MERGESTEPS_H

#include "Coiteration.h"

namespace nacho {

/// The state of a merge that carries coordinates.
struct MergeState {
  Values positions, coordinates, carried;

  /// Loads the coordinates of a state without these.
  static MergeState load(const Coiteration &loop, mlir::ValueRange state);
  static MergeState unflatten(const Coiteration &loop, mlir::ValueRange values);
  Values flatten() const;
  /// The state without the coordinates.
  Values withoutCoordinates() const;
  /// The least coordinate.
  mlir::Value emitLeast(mlir::ImplicitLocOpBuilder &b) const;
};

/// Whether a step is certain to load coordinates that are stored.
enum class Operands { mayEnd, goOn };

/// Emits the step at `coordinate`: the body, and then the operands that have
/// this coordinate move on. `children` are those of the full operands. If the
/// operands go on, none is exhausted in this step, nor in the next one.
MergeState emitStep(Coiteration &loop, mlir::Value coordinate,
                    const MergeState &state,
                    llvm::SmallVector<FiberValue> children, Operands operands);

/// Emits a step in which no operand is exhausted. It selects among the
/// operands, or branches. Returns the next state.
Values emitPlainStep(Coiteration &loop, mlir::ValueRange state);
Values emitBranches(Coiteration &loop, mlir::ValueRange state);

/// Emits the end of the run of a coordinate that operand `n` has at `position`
/// if it is present there; otherwise that is the end.
mlir::Value emitEndOfRun(const Coiteration &loop, unsigned n,
                         mlir::Value coordinate, mlir::Value position,
                         Condition present);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_MERGESTEPS_H
