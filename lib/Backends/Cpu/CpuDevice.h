//===- CpuDevice.h - The memory of the host -------------------------------===//

#ifndef NACHO_LIB_CPUDEVICE_H
#define NACHO_LIB_CPUDEVICE_H

#include "nacho/Execution/Device.h"

namespace nacho {

/// Large arrays are on huge pages, and come from a bounded pool of those that
/// were released: fresh memory costs a page fault and a clearing per page,
/// which for a sparse sum is more than the sum.
Device &cpuDevice();

} // namespace nacho

#endif // NACHO_LIB_CPUDEVICE_H
