//===- LinalgMonoids.h - Monoids of sparse_tensor.reduce ------------------===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGMONOIDS_H
#define NACHO_LIB_TRANSFORMS_LINALGMONOIDS_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nacho {

/// Whether a number is known when a module is compiled.
bool isConstant(mlir::Value number);

/// The monoid by which an op reduces stored elements. It may be a new one of
/// the module. It begins from the op's number if that is a constant; else the
/// number has to be combined with what the monoid gives. Emits an error if
/// there is none.
mlir::FailureOr<MonoidAttr> monoidOf(mlir::sparse_tensor::ReduceOp op);

/// Refuses to combine a value with itself as often as a dimension has
/// coordinates. `assign` is what an op has become.
mlir::LogicalResult checkReductions(mlir::linalg::LinalgOp op, AssignOp assign);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGMONOIDS_H
