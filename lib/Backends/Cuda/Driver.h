//===- Driver.h - CUDA's driver, loaded when it is needed -----------------===//
//
// The few functions of CUDA's driver that the backend calls, as cuda.h declares
// them. The driver is part of the system that has the GPU: neither compiling
// Nacho nor running it takes CUDA's toolkit.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CUDADRIVER_H
#define NACHO_LIB_CUDADRIVER_H

#include "nacho/Runtime/DeviceError.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace nacho::cuda {

using Result = int;
inline constexpr Result kOk = 0, kOutOfMemory = 2, kDeinitialized = 4;
inline constexpr Result kNoDevice = 100, kUnknownSymbol = 500;

using Address = uint64_t; ///< An address in the device's memory.
using Handle = void *; ///< A context, a stream, a module, a function, a pool.

/// Says how the driver numbers what it is asked about a device.
enum Attribute : int { kMajor = 75, kMinor = 76, kHasPools = 115 };

/// The flag for memory of the host that all contexts can use.
inline constexpr unsigned kPortable = 1;

/// The properties of a pool of memory: CUmemPoolProps.
struct PoolProperties {
  int allocType = 1; ///< CU_MEM_ALLOCATION_TYPE_PINNED
  int handleTypes = 0;
  int locationType = 1; ///< CU_MEM_LOCATION_TYPE_DEVICE
  int device = 0;
  void *security = nullptr;
  size_t maxSize = 0;
  unsigned char reserved[56] = {};
};
/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
inline constexpr int kReleaseThreshold = 4;

/// F(name, symbol, parameters) for each function; all of them return a Result.
#define NACHO_CUDA_FUNCTIONS(F)                                                \
  F(init, "cuInit", (unsigned flags))                                          \
  F(getErrorName, "cuGetErrorName", (Result, const char **))                   \
  F(getErrorString, "cuGetErrorString", (Result, const char **))               \
  F(deviceGet, "cuDeviceGet", (int *device, int ordinal))                      \
  F(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *value, int attribute, int device))                                   \
  F(deviceTotalMemory, "cuDeviceTotalMem_v2", (size_t *bytes, int device))     \
  F(primaryContextRetain, "cuDevicePrimaryCtxRetain",                          \
    (Handle * context, int device))                                            \
  F(contextPush, "cuCtxPushCurrent_v2", (Handle context))                      \
  F(contextPop, "cuCtxPopCurrent_v2", (Handle * context))                      \
  F(contextSynchronize, "cuCtxSynchronize", ())                                \
  F(poolCreate, "cuMemPoolCreate", (Handle * pool, const void *properties))    \
  F(poolSetAttribute, "cuMemPoolSetAttribute",                                 \
    (Handle pool, int attribute, void *value))                                 \
  F(allocate, "cuMemAllocFromPoolAsync",                                       \
    (Address *, size_t bytes, Handle pool, Handle stream))                     \
  F(release, "cuMemFreeAsync", (Address, Handle stream))                       \
  F(fill, "cuMemsetD8Async",                                                   \
    (Address, unsigned char, size_t bytes, Handle stream))                     \
  F(copyFromHost, "cuMemcpyHtoDAsync_v2",                                      \
    (Address, const void *, size_t bytes, Handle stream))                      \
  F(copyToHost, "cuMemcpyDtoHAsync_v2",                                        \
    (void *, Address, size_t bytes, Handle stream))                            \
  F(copy, "cuMemcpyDtoDAsync_v2",                                              \
    (Address, Address, size_t bytes, Handle stream))                           \
  F(allocateStaging, "cuMemHostAlloc",                                         \
    (void **data, size_t bytes, unsigned flags))                               \
  F(synchronize, "cuStreamSynchronize", (Handle stream))                       \
  F(moduleLoad, "cuModuleLoadDataEx",                                          \
    (Handle * module, const void *ptx, unsigned numOptions, int *options,      \
     void **values))                                                           \
  F(moduleUnload, "cuModuleUnload", (Handle module))                           \
  F(moduleGetFunction, "cuModuleGetFunction",                                  \
    (Handle * function, Handle module, const char *name))                      \
  F(launch, "cuLaunchKernel",                                                  \
    (Handle function, unsigned gridX, unsigned gridY, unsigned gridZ,          \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Handle stream, void **parameters, void **extra))

/// The driver, and the primary context of its first device, which is that of
/// other libraries, too.
struct Driver {
#define F(name, symbol, parameters) Result(*name) parameters;
  NACHO_CUDA_FUNCTIONS(F)
#undef F
  Handle context, pool;
  std::string chip; ///< The chip that PTX is compiled for.
  size_t memoryBytes;

  /// Throws DeviceError, which names the call, unless the result is kOk.
  void check(Result result, const char *call) const;
};

/// Loads the driver at the first call that succeeds. Throws DeviceError if
/// there is no driver, or no GPU that it can use, or if this process forked
/// after another one loaded the driver.
const Driver &driver();

/// Calls a function of the driver: NACHO_CUDA(fill, data, 0, bytes, stream).
#define NACHO_CUDA(name, ...)                                                  \
  ::nacho::cuda::driver().check(::nacho::cuda::driver().name(__VA_ARGS__),     \
                                #name)

/// While one of these exists, its thread uses the context of the driver.
class InContext {
public:
  InContext();
  ~InContext();
  InContext(const InContext &) = delete;
};

} // namespace nacho::cuda

#endif // NACHO_LIB_CUDADRIVER_H
