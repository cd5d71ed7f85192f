//===- RowLoops.h - Loops over the rows of a part ---------------*- C++ -*-===//
//
// What passes ask of scf loops over rows, whose positions they read.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_ROWLOOPS_H
#define NACHO_LIB_OPTIMIZATIONS_ROWLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacho {

/// The last row of a loop that ends at min(last + 1, ...); null if there is
/// none.
mlir::Value lastRowOf(mlir::scf::ForOp loop);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_ROWLOOPS_H
