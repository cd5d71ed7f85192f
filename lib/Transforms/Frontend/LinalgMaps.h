//===- LinalgMaps.h - Indexing maps to indices of the notation ------------===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGMAPS_H
#define NACHO_LIB_TRANSFORMS_LINALGMAPS_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The name of a dimension of a linalg op: i, j, k, ..., and from the
/// thirteenth on d12, d13, ...
mlir::StringAttr indexName(mlir::MLIRContext *context, unsigned dimension);

/// An operand of a linalg op as one of an assignment.
struct LinalgOperand {
  mlir::OpOperand *operand;
  /// The value that the assignment reads: the operand or, if that is padded
  /// with zeros, the tensor without padding.
  mlir::Value value;
  mlir::ArrayAttr access;
};

/// Gives names to the results of the indexing maps of a linalg op.
class LinalgMaps {
public:
  explicit LinalgMaps(mlir::linalg::GenericOp op) : op(op) {}

  /// Reads all operands; refuses maps that are not linear.
  mlir::FailureOr<llvm::SmallVector<LinalgOperand>> read();
  /// The equations of the indices that are not just dimensions.
  llvm::ArrayRef<mlir::Attribute> getEquations() const { return equations; }
  /// Whether the op reads no element of an operand, which is made for its shape
  /// only, as the windows of pooling are. Where there are equations,
  /// coordinates can have its extents.
  bool isOnlyShape(const LinalgOperand &operand);

private:
  mlir::FailureOr<LinalgOperand> readOperand(mlir::OpOperand &operand);
  mlir::FailureOr<mlir::Attribute> indexOf(mlir::AffineExpr expr,
                                           bool isShifted);

  mlir::linalg::GenericOp op;
  llvm::SmallVector<mlir::Attribute> equations;
};

/// The coordinates of a dimension. Their extent is that of an operand; it is
/// constant, if possible.
CoordinatesOp coordinatesOf(mlir::ImplicitLocOpBuilder &b,
                            mlir::linalg::GenericOp op, unsigned dimension);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGMAPS_H
