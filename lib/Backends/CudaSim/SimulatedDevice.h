//===- SimulatedDevice.h - The memory of a simulated GPU ------------------===//

#ifndef NACHO_LIB_SIMULATEDDEVICE_H
#define NACHO_LIB_SIMULATEDDEVICE_H

#include "nacho/Execution/Device.h"

namespace nacho {

/// The device whose kernels the host simulates.
Device &simulatedDevice();

} // namespace nacho

#endif // NACHO_LIB_SIMULATEDDEVICE_H
