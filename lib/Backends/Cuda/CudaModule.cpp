//===- CudaModule.cpp - Kernels that the driver has compiled --------------===//

#include "CudaModule.h"

#include "CudaDevice.h"
#include "nacho/Execution/Device.h"

#include <string_view>

using namespace nacho;
using namespace nacho::cuda;

namespace {
/// A call of a module's code.
struct Call {
  CudaModule &module;
  std::exception_ptr error;
};
} // namespace

static thread_local Call *current = nullptr;

CudaModule::~CudaModule() {
  if (!module)
    return;
  try {
    InContext context;
    driver().moduleUnload(module);
  } catch (const DeviceError &) {
    // The process forked: the module is not its own.
  }
}

void CudaModule::call(void (*function)(const int64_t *words),
                      const int64_t *words) {
  InContext context;
  Call call{*this, nullptr};
  current = &call;
  function(words);
  current = nullptr;
  if (call.error)
    std::rethrow_exception(call.error);
}

void nacho::launchKernel(const char *ptx, const char *name, int64_t blocks,
                         int64_t threads, void **parameters) noexcept {
  if (current->error)
    return;
  try {
    current->module.launch(ptx, name, blocks, threads, parameters);
  } catch (...) {
    current->error = std::current_exception();
  }
}

void *nacho::takeZeros(int64_t bytes) noexcept {
  if (current->error)
    return nullptr;
  try {
    return takeCudaZeros(bytes);
  } catch (...) {
    current->error = std::current_exception();
    return nullptr;
  }
}

/// The driver's compiler says here what is wrong with PTX.
static constexpr size_t kLogBytes = 4096;

Handle CudaModule::kernelOf(const char *ptx, const char *name) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!module) {
    // CU_JIT_ERROR_LOG_BUFFER, and its size.
    std::string log(kLogBytes, '\0');
    int options[] = {5, 6};
    void *values[] = {log.data(), reinterpret_cast<void *>(kLogBytes)};
    try {
      NACHO_CUDA(moduleLoad, &module, ptx, 2, options, values);
    } catch (const DeviceError &error) {
      throw DeviceError(error.what() + std::string("\n") + log.c_str());
    }
  }
  auto known = kernels.find(std::string_view(name));
  if (known != kernels.end())
    return known->second;
  Handle kernel = nullptr;
  NACHO_CUDA(moduleGetFunction, &kernel, module, name);
  return kernels.emplace(name, kernel).first->second;
}

void CudaModule::launch(const char *ptx, const char *name, int64_t blocks,
                        int64_t threads, void **parameters) {
  if (blocks == 0)
    return;
  NACHO_CUDA(launch, kernelOf(ptx, name), static_cast<unsigned>(blocks), 1, 1,
             static_cast<unsigned>(threads), 1, 1, 0, OnStream::current(),
             parameters, nullptr);
}
