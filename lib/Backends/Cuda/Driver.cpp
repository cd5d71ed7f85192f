//===- Driver.cpp - CUDA's driver, loaded when it is needed ---------------===//

#include "Driver.h"

#include "nacho/Runtime/Fork.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <memory>
#include <mutex>

using namespace nacho;
using namespace nacho::cuda;

static constexpr char kInstead[] =
    "; target='cuda-sim' runs the same kernels without a GPU";

/// The driver's library: that of the environment variable NACHO_LIBCUDA, or
/// the one of the system.
static void *openLibrary() {
  const char *named = std::getenv("NACHO_LIBCUDA");
  const char *name = named && *named ? named : "libcuda.so.1";
  if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
    return library;
  throw DeviceError(
      std::string("target 'cuda' needs NVIDIA's driver, which is not here (") +
      dlerror() + ")" + kInstead);
}

static void findFunctions(Driver &made) {
  void *library = openLibrary();
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, symbol));
    if (!function)
      throw DeviceError("NVIDIA's driver is too old for target 'cuda': it has "
                        "no function " +
                        std::string(symbol));
  };
#define F(name, symbol, parameters) find(made.name, symbol);
  NACHO_CUDA_FUNCTIONS(F)
#undef F
}

/// The newest chip that LLVM knows, and whose PTX the device can run.
static std::string chipOf(int capability) {
  static constexpr int kChips[] = {75, 80, 86, 87, 89, 90, 100, 101, 103, 120};
  const auto *newer =
      std::upper_bound(std::begin(kChips), std::end(kChips), capability);
  if (newer == std::begin(kChips))
    throw DeviceError("the GPU has compute capability " +
                      std::to_string(capability / 10) + "." +
                      std::to_string(capability % 10) +
                      "; target 'cuda' needs 7.5 or more");
  return "sm_" + std::to_string(*std::prev(newer));
}

static void openDevice(Driver &made) {
  Result result = made.init(0);
  if (result == kNoDevice)
    throw DeviceError(std::string("NVIDIA's driver finds no GPU") + kInstead);
  made.check(result, "init");
  int device = 0, major = 0, minor = 0, hasPools = 0;
  made.check(made.deviceGet(&device, 0), "deviceGet");
  auto ask = [&](int &value, Attribute attribute) {
    made.check(made.deviceGetAttribute(&value, attribute, device),
               "deviceGetAttribute");
  };
  ask(major, kMajor);
  ask(minor, kMinor);
  ask(hasPools, kHasPools);
  made.chip = chipOf(10 * major + minor);
  if (!hasPools)
    throw DeviceError("the GPU has no pools of memory, which target 'cuda' "
                      "needs");
  made.check(made.deviceTotalMemory(&made.memoryBytes, device),
             "deviceTotalMemory");
  made.check(made.primaryContextRetain(&made.context, device),
             "primaryContextRetain");
  PoolProperties properties;
  properties.device = device;
  made.check(made.poolCreate(&made.pool, &properties), "poolCreate");
  // What is released stays in the pool, for the next call.
  uint64_t kept = UINT64_MAX;
  made.check(made.poolSetAttribute(made.pool, kReleaseThreshold, &kept),
             "poolSetAttribute");
}

void Driver::check(Result result, const char *call) const {
  if (result == kOk)
    return;
  static constexpr std::pair<const char *, const char *> kSymbols[] = {
#define F(name, symbol, parameters) {#name, symbol},
      NACHO_CUDA_FUNCTIONS(F)
#undef F
  };
  const char *symbol =
      std::find_if(std::begin(kSymbols), std::end(kSymbols), [&](auto &known) {
        return std::string(known.first) == call;
      })->second;
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != kOk || !name)
    name = "an unknown error";
  if (getErrorString(result, &text) != kOk || !text)
    text = "";
  throw DeviceError(std::string(symbol) + " failed: " + name + " (" +
                    std::to_string(result) + "): " + text);
}

const Driver &nacho::cuda::driver() {
  static std::mutex &mutex = [&]() -> std::mutex & {
    static auto *made = new std::mutex;
    holdAtFork(*made);
    return *made;
  }();
  static const Driver *loaded = nullptr;
  static int forks = 0;
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded && forks != timesForked())
    throw DeviceError("this process forked after another one had used CUDA, "
                      "which CUDA does not allow: start the process with the "
                      "method 'spawn'");
  if (!loaded) {
    auto made = std::make_unique<Driver>();
    findFunctions(*made);
    openDevice(*made);
    forks = timesForked();
    loaded = made.release();
  }
  return *loaded;
}

InContext::InContext() { NACHO_CUDA(contextPush, driver().context); }

InContext::~InContext() {
  Handle popped;
  driver().contextPop(&popped);
}
