//===- CudaDevice.h - The memory of an NVIDIA GPU -------------------------===//

#ifndef NACHO_LIB_CUDADEVICE_H
#define NACHO_LIB_CUDADEVICE_H

#include "nacho/Execution/Device.h"

namespace nacho {

/// The first GPU of CUDA's driver, which is loaded when memory is needed.
Device &cudaDevice();

/// Memory for compiled code. There is none if this is null.
void *takeCudaScratch(int64_t bytes) noexcept;
void returnCudaScratch(void *data, int64_t bytes) noexcept;

/// Memory of zeros for kernels of the current stream, which leave it zero when
/// it is returned.
void *takeCudaZeros(int64_t bytes);
void returnCudaZeros(void *data, int64_t bytes) noexcept;

} // namespace nacho

#endif // NACHO_LIB_CUDADEVICE_H
