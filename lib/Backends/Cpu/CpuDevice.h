//===- CpuDevice.h - The memory of the host -------------------------------===//

#ifndef NACHO_LIB_CPUDEVICE_H
#define NACHO_LIB_CPUDEVICE_H

#include "nacho/Execution/Device.h"

namespace nacho {

/// The device whose memory is that of the host. It allocates large arrays on
/// huge pages, and keeps a bounded pool of released arrays for reuse: for each
/// page of fresh memory the system takes a page fault and clears the page,
/// which takes longer than, say, a sparse sum that fills the page.
Device &cpuDevice();

} // namespace nacho

#endif // NACHO_LIB_CPUDEVICE_H
