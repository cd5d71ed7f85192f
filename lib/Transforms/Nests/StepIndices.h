//===- StepIndices.h - Indices of what a step reads and makes ---*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_STEPINDICES_H
#define NACHO_LIB_TRANSFORMS_STEPINDICES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// The parameter `reads` of the StepAttr of a function with so many inputs.
mlir::ArrayAttr indicesRead(mlir::func::FuncOp func, unsigned numInputs);

/// The parameter `makes` of the StepAttr of a nest.
mlir::ArrayAttr indicesMade(NestOp nest);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_STEPINDICES_H
