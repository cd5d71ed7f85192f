//===- LinalgNumbers.h - Numbers that a kernel takes ------------*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGNUMBERS_H
#define NACHO_LIB_TRANSFORMS_LINALGNUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Lets a function take tensors of rank 0 in place of the numbers of which it
/// makes such tensors, or by which it slices tensors.
void takeTensorsForNumbers(mlir::func::FuncOp func);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGNUMBERS_H
