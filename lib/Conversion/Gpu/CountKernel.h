//===- CountKernel.h - Kernels that count what they do ----------*- C++ -*-===//

#ifndef NACHO_LIB_COUNTKERNEL_H
#define NACHO_LIB_COUNTKERNEL_H

#include "HostSide.h"

namespace nacho {

/// Makes the body of a kernel tell the runtime (KernelCounts.h) which blocks
/// and accesses of memory a thread executes, and in which steps of loops.
mlir::LogicalResult countKernel(HostSide &host, mlir::Region &body,
                                mlir::Value thread);

} // namespace nacho

#endif // NACHO_LIB_COUNTKERNEL_H
