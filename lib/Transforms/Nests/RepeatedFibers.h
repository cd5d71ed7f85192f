//===- RepeatedFibers.h - Fibers merged more than once --------------------===//

#ifndef NACHO_LIB_TRANSFORMS_REPEATEDFIBERS_H
#define NACHO_LIB_TRANSFORMS_REPEATEDFIBERS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallBitVector.h"

namespace nacho {

/// Builds the child of `fiber` at a coordinate.
using LocateChild = llvm::function_ref<mlir::Value(
    mlir::ImplicitLocOpBuilder &b, mlir::Type child, mlir::Value coordinate,
    mlir::Value fiber)>;

/// Locates the child by binary search.
mlir::Value seek(mlir::ImplicitLocOpBuilder &b, mlir::Type child,
                 mlir::Value coordinate, mlir::Value fiber);

/// Replaces an innermost loop by one without the repeated fibers. Their
/// children are located, and what the loop appends gets the condition that the
/// merge expression holds:
///
///   for k in M[i] n B[j]: append ...   ->   for k in B[j]:
///                                             m = locate k in M[i]
///                                             append ... if m is present
void takeOut(CoiterateOp loop, const llvm::SmallBitVector &repeated,
             LocateChild locate);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_REPEATEDFIBERS_H
