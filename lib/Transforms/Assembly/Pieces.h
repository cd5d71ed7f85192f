//===- Pieces.h - Rows that several workers share ---------------*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PIECES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PIECES_H

#include "PhaseFunctions.h"

namespace nacho {

/// The number of pieces of an array. A piece stays in the first cache while the
/// same piece of every part's row is added to it. Where there are tiles,
/// threads that run together have an element each, and these lie side by side.
mlir::Value emitPieces(PhaseFunctions &function, mlir::Value size);

/// Emits the number of sums that all parts have, as the table of partial sums
/// has it: it is no longer than other arrays.
mlir::Value emitNumSums(PhaseFunctions &function);

/// The numbers of the elements in a piece.
Interval emitPiece(PhaseFunctions &function, mlir::Value piece,
                   mlir::Value size);

/// Emits a parallel loop with a worker for each piece as the last op of a
/// function, and leaves the builder in its body. Returns the piece.
mlir::Value startPieces(PhaseFunctions &function, mlir::Value pieces);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PIECES_H
