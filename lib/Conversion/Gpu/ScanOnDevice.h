//===- ScanOnDevice.h - The scan of many parts ----------------------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_SCANONDEVICE_H
#define NACHO_LIB_CONVERSION_GPU_SCANONDEVICE_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Replaces a scan by parallel loops, which remain to be lowered.
void scanOnDevice(ExclusiveScanOp op);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_SCANONDEVICE_H
