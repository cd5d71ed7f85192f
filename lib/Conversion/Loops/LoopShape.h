//===- LoopShape.h - Shapes of the loops that coiterations become ---------===//
//
// A coiteration becomes one scf loop, or some in a row. The shape of the loop
// depends on the merge expression, and the number of loops never on the number
// of operands. Each shape is defined by the file that is named beside it.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_LOOPSHAPE_H
#define NACHO_LIB_CONVERSION_LOOPSHAPE_H

#include "Coiteration.h"

namespace nacho {

struct LoopShape {
  /// Whether the loop of a coiteration can have the shape.
  bool (*suits)(const Coiteration &loop);
  /// Emits the loop. Returns the values that the coiteration carries out.
  Values (*emit)(Coiteration &loop);
};

extern const LoopShape kAllCoordinates; ///< LoopRows.cpp
extern const LoopShape kOneOperand;     ///< LoopOneOperand.cpp
extern const LoopShape kBlocks;         ///< LoopBlocks.cpp
extern const LoopShape kCountOfOperand; ///< LoopCounts.cpp
extern const LoopShape kCountOfMatches; ///< LoopCounts.cpp
extern const LoopShape kUnionOfTwo;     ///< LoopUnions.cpp
extern const LoopShape kShortMerge;     ///< LoopMerges.cpp
extern const LoopShape kTwoMerges;      ///< LoopMerges.cpp
extern const LoopShape kMerge;          ///< LoopMerges.cpp

// Loops that shapes have in common.

/// Emits `for n = from to end: values = step(n, values)`. The values that the
/// coiteration carries begin at number `firstCarried`. Returns all values after
/// the last step.
Values emitFor(Coiteration &loop, mlir::Value from, mlir::Value end,
               mlir::ValueRange inits, unsigned firstCarried,
               llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> step);

/// Emits a loop over the coordinates that operand `n` has from position `from`
/// on, given the children of the other operands.
Values emitRest(Coiteration &loop, unsigned n, mlir::Value from,
                llvm::SmallVector<FiberValue> children,
                mlir::ValueRange carried);

/// Whether the steps of a loop are so short that a check saved is a gain.
bool hasShortSteps(const Coiteration &loop);
/// Whether a loop runs its body for the union of exactly two operands.
bool unitesTwo(const Coiteration &loop);
/// Emits a loop that begins in a state of positions and carried values, and
/// runs until an operand is exhausted. Returns the state there.
Values emitWhileAll(Coiteration &loop, mlir::ValueRange state);
/// Emits two such loops: the first one ends before or where an operand is
/// exhausted, and its steps load the next coordinates early, or branch.
Values emitUntilOneEnds(Coiteration &loop);

/// Whether the coordinates of an operand are computed in windows, which may end
/// before the operand does.
bool hasWindows(const Coiteration &loop);
/// Emits a loop from window to window, and in it that of `emit`. Emits just the
/// latter if there are no windows.
Values emitInWindows(Coiteration &loop, Values (*emit)(Coiteration &loop));

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_LOOPSHAPE_H
