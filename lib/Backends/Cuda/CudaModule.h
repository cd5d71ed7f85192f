//===- CudaModule.h - Kernels that the driver has compiled ----------------===//

#ifndef NACHO_LIB_CUDAMODULE_H
#define NACHO_LIB_CUDAMODULE_H

#include "Driver.h"

#include <exception>
#include <functional>
#include <map>
#include <mutex>

namespace nacho {

/// The kernels of an executable. The driver compiles them at the first launch.
class CudaModule {
public:
  CudaModule() = default;
  CudaModule(const CudaModule &) = delete;
  ~CudaModule();

  /// Calls code of the host that launches kernels of this module, and throws
  /// what went wrong in the first launch that failed.
  void call(void (*function)(const int64_t *words), const int64_t *words);

  /// Starts a kernel; `ptx` is the text of the whole module.
  void launch(const char *ptx, const char *name, int64_t blocks,
              int64_t threads, void **parameters);

private:
  cuda::Handle kernelOf(const char *ptx, const char *name);

  std::mutex mutex;
  cuda::Handle module = nullptr;
  std::map<std::string, cuda::Handle, std::less<>> kernels;
};

/// Compiled code calls this for a launch, from within CudaModule::call(). After
/// a launch that failed, no others are tried.
void launchKernel(const char *ptx, const char *name, int64_t blocks,
                  int64_t threads, void **parameters) noexcept;

/// The same for memory of zeros: after it was refused, nothing is launched.
void *takeZeros(int64_t bytes) noexcept;

} // namespace nacho

#endif // NACHO_LIB_CUDAMODULE_H
