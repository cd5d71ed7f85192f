//===- ContractChecks.h - Proofs about functions for backends ---*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_CONTRACTCHECKS_H
#define NACHO_LIB_CONVERSION_CONTRACTCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Refuses accesses to memory at an index that was loaded and not compared with
/// a bound.
mlir::LogicalResult verifyAccesses(mlir::func::FuncOp function);

/// Refuses loops that might go on forever.
mlir::LogicalResult verifyProgress(mlir::func::FuncOp function);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_CONTRACTCHECKS_H
