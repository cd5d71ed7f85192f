//===- AlikeSteps.h - Vectors of steps that take the same branch ----------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_ALIKESTEPS_H
#define NACHO_LIB_OPTIMIZATIONS_ALIKESTEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Asks for sixteen steps at once which branch they take.
void groupAlikeSteps(mlir::func::FuncOp func);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_ALIKESTEPS_H
