//===- NarrowLanes.h - Coordinates that stay narrow in vectors --*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_NARROWSINLANES_H
#define NACHO_LIB_OPTIMIZATIONS_NARROWSINLANES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Keeps coordinates in vectors as narrow as they are stored.
mlir::LogicalResult narrowLanes(mlir::func::FuncOp func);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_NARROWSINLANES_H
