//===- ScanOnDevice.h - Scans by warps -----------------------------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_SCANONDEVICE_H
#define NACHO_LIB_CONVERSION_GPU_SCANONDEVICE_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Replaces a scan, or a prefix sum, by parallel loops with so many lanes,
/// which remain to be lowered.
void scanOnDevice(ExclusiveScanOp op, int64_t numLanes);
void sumOnDevice(PrefixSumOp op, int64_t numLanes);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_SCANONDEVICE_H
