//===- ScanLoop.h - The scan as a loop ------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_SCANLOOP_H
#define NACHO_LIB_CONVERSION_SCANLOOP_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Emits the scan as one sequential loop over the rows of counts, one row per
/// part.
///   for row: output[row] = sum; sum = combine(sum, input[row])
///   output[rows] = sum
void emitScanLoop(mlir::OpBuilder &builder, ExclusiveScanOp op);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_SCANLOOP_H
