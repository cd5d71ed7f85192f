//===- GpuStage.h - Stages shared by the backends for GPUs ----------------===//

#ifndef NACHO_LIB_GPUSTAGE_H
#define NACHO_LIB_GPUSTAGE_H

#include "nacho/Compiler/Pipelines.h"

namespace nacho {

/// The stage after scf: kernels of the gpu dialect, and functions of the host
/// that launch them and access no memory of the device.
Stage gpuStage();

/// The stage after that for NVIDIA's GPUs: kernels as PTX, in gpu.binary.
Stage ptxStage();

/// The part of the contract that GPUs support.
Capabilities gpuCapabilities();

} // namespace nacho

#endif // NACHO_LIB_GPUSTAGE_H
