//===- LinalgBody.h - Ops on elements to operators of the notation --------===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGBODY_H
#define NACHO_LIB_TRANSFORMS_LINALGBODY_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Creates the operator of the notation for an op in the body of a linalg op,
/// on the values that `mapping` has for the op's operands. Null if the notation
/// has no such operator.
mlir::Value translateElementOp(mlir::ImplicitLocOpBuilder &b,
                               mlir::Operation &nested,
                               const mlir::IRMapping &mapping);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGBODY_H
