//===- CpuDevice.h - The memory of the host -------------------------------===//

#ifndef NACHO_BACKENDS_CPUDEVICE_H
#define NACHO_BACKENDS_CPUDEVICE_H

#include "nacho/Execution/Device.h"

namespace nacho {

/// The device whose memory is that of the host.
Device &cpuDevice();

} // namespace nacho

#endif // NACHO_BACKENDS_CPUDEVICE_H
