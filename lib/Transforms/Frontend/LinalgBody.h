//===- LinalgBody.h - Ops on elements to operators of the notation --------===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGBODY_H
#define NACHO_LIB_TRANSFORMS_LINALGBODY_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The type of an element in an assignment: `index` becomes `i64`.
mlir::Type notationType(mlir::Type element);

/// Creates the operator of the notation for an op in the body of a linalg op,
/// on the values that `mapping` has for the op's operands. Null if the notation
/// has no such operator.
mlir::Value translateElementOp(mlir::ImplicitLocOpBuilder &b,
                               mlir::Operation &nested,
                               const mlir::IRMapping &mapping);

/// An operator of the notation that an op on elements is, and the type on which
/// it is: the unsigned ops of arith are operators on unsigned integers.
struct ElementOperator {
  BinaryKind kind;
  mlir::Type type;
};

/// The binary operator of the notation for an op; none if there is none.
std::optional<ElementOperator> binaryOperatorOf(mlir::Operation &op);

/// Converts a value to another element type, unless it has it.
mlir::Value castElement(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        mlir::Type type);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGBODY_H
