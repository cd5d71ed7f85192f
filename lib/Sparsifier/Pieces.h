//===- Pieces.h - What stands for a tensor in a call of a kernel ----------===//

#ifndef NACHO_LIB_PIECES_H
#define NACHO_LIB_PIECES_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The attribute of the nested modules that are kernels.
inline constexpr llvm::StringLiteral kKernelAttrName = "nacho.kernel";

/// A value that a call passes. A dense tensor has one piece, which is itself. A
/// sparse tensor has the arrays of its levels, its values, and the extents of
/// its levels.
struct Piece {
  enum Kind {
    tensor,
    positions,
    coordinates,
    interleaved,
    values,
    extent
  } kind;
  unsigned level = 0;
  mlir::Type type;
};

/// The pieces of a tensor, in the order of the arguments of the runtime
/// library. Fails if an array is none that an op of the sparse_tensor dialect
/// reads.
mlir::FailureOr<llvm::SmallVector<Piece>>
piecesOf(mlir::RankedTensorType tensor);

/// Emits a value for a piece of a tensor.
mlir::Value emitPiece(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                      const Piece &piece);

} // namespace nacho

#endif // NACHO_LIB_PIECES_H
