//===- Driver.cpp - CUDA's driver for machines without a GPU --------------===//
//
// A library with those functions of CUDA's driver that Nacho calls, for tests:
// it interprets the PTX. Its memory is that of the simulated GPU, so that the
// host cannot access it, and that kernels which go beyond an array fail; so do
// those whose threads race on memory. The environment variable NACHO_FAKE_CUDA
// names a function that fails, and how: "cuLaunchKernel=719". A call that was
// recorded can be repeated without running anything: see Recording.h.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"
#include "Recording.h"
#include "nacho/Simulator/Simulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

using Result = int;
using Handle = void *;
using Address = uint64_t;

// Names are as CUDA's driver and Python need them.
// NOLINTBEGIN(readability-identifier-naming)
#define NACHO_EXPORT extern "C" __attribute__((visibility("default")))

static constexpr Result kOk = 0, kInvalidValue = 1, kOutOfMemory = 2;
static constexpr Result kInvalidContext = 201, kInvalidPtx = 218,
                        kNotFound = 500;
static constexpr Result kLaunchFailed = 719;

/// The result that a test wants of a function.
static Result wantedOf(const char *symbol) {
  const char *variable = std::getenv("NACHO_FAKE_CUDA");
  size_t length = std::strlen(symbol);
  bool isNamed = variable && std::strncmp(variable, symbol, length) == 0 &&
                 variable[length] == '=';
  return isNamed ? std::atoi(variable + length + 1) : kOk;
}

/// After a fault, every call has its result.
static Result broken = kOk;
static thread_local int depth = 0; ///< How many contexts are on the stack.

static Result begin(const char *symbol, bool needsContext = true) {
  if (Result wanted = wantedOf(symbol))
    return wanted;
  return needsContext && depth == 0 ? kInvalidContext : broken;
}

#define NACHO_BEGIN(...)                                                       \
  static std::atomic<int64_t> &numCalls = recording::callsOf(__func__);        \
  ++numCalls;                                                                  \
  if (Result result = begin(__func__, ##__VA_ARGS__))                          \
  return result

/// How many calls there were for each stream.
static std::map<Handle, int64_t> &callsOfStreams() {
  static auto *made = new std::map<Handle, int64_t>;
  return *made;
}

static std::mutex mutexOfCalls;

static void countCall(Handle stream) {
  std::lock_guard<std::mutex> lock(mutexOfCalls);
  ++callsOfStreams()[stream];
}

/// For tests: how many calls there were for a stream.
NACHO_EXPORT int64_t nacho_calls_on_stream(Handle stream) {
  std::lock_guard<std::mutex> lock(mutexOfCalls);
  return callsOfStreams()[stream];
}

//===----------------------------------------------------------------------===//
// Devices and errors
//===----------------------------------------------------------------------===//

NACHO_EXPORT Result cuInit(unsigned) {
  NACHO_BEGIN(false);
  return kOk;
}

NACHO_EXPORT Result cuGetErrorName(Result error, const char **name) {
  static thread_local char text[32];
  std::snprintf(text, sizeof text, "CUDA_ERROR_%d", error);
  *name = text;
  return kOk;
}

/// What a kernel did wrong.
static std::string &wrong() {
  static auto *made = new std::string("as the test wants it");
  return *made;
}

NACHO_EXPORT Result cuGetErrorString(Result, const char **text) {
  *text = wrong().c_str();
  return kOk;
}

NACHO_EXPORT Result cuDeviceGet(int *device, int ordinal) {
  NACHO_BEGIN(false);
  *device = ordinal;
  return ordinal == 0 ? kOk : kInvalidValue;
}

/// Compute capability 9.0 unless NACHO_FAKE_CUDA_CHIP says "7.0".
NACHO_EXPORT Result cuDeviceGetAttribute(int *value, int attribute, int) {
  NACHO_BEGIN(false);
  const char *variable = std::getenv("NACHO_FAKE_CUDA_CHIP");
  int major = 9, minor = 0;
  if (variable && std::sscanf(variable, "%d.%d", &major, &minor) != 2)
    return kInvalidValue;
  *value = attribute == 75 ? major : attribute == 76 ? minor : 1;
  return kOk;
}

NACHO_EXPORT Result cuDevicePrimaryCtxRetain(Handle *context, int) {
  NACHO_BEGIN(false);
  *context = &broken;
  return kOk;
}

NACHO_EXPORT Result cuCtxPushCurrent_v2(Handle context) {
  NACHO_BEGIN(false);
  depth += context == &broken;
  return context == &broken ? kOk : kInvalidContext;
}

NACHO_EXPORT Result cuCtxPopCurrent_v2(Handle *context) {
  *context = &broken;
  return depth-- > 0 ? kOk : kInvalidContext;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// What is allocated: the addresses and the numbers of bytes.
struct Arrays {
  std::mutex mutex;
  std::map<Address, size_t> sizes;

  /// Whether a range lies in one array.
  bool have(Address at, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    auto next = sizes.upper_bound(at);
    if (next == sizes.begin())
      return false;
    auto [begin, size] = *std::prev(next);
    return at - begin <= size && bytes <= size - (at - begin);
  }
};
} // namespace

static Arrays &arrays() {
  static auto *made = new Arrays;
  return *made;
}

/// The bytes of the device: a gibibyte, unless NACHO_FAKE_CUDA_MEMORY says how
/// many.
static size_t totalBytes() {
  const char *variable = std::getenv("NACHO_FAKE_CUDA_MEMORY");
  return variable ? std::strtoull(variable, nullptr, 10) : size_t(1) << 30;
}

NACHO_EXPORT Result cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = totalBytes();
  return kOk;
}

/// For tests: how many bytes are allocated.
NACHO_EXPORT int64_t nacho_allocated_bytes() {
  std::lock_guard<std::mutex> lock(arrays().mutex);
  int64_t bytes = 0;
  for (auto [at, size] : arrays().sizes)
    bytes += int64_t(size);
  return bytes;
}

static void *accessed(Address at) {
  return nacho::accessSimulated(reinterpret_cast<void *>(at));
}

NACHO_EXPORT Result cuMemPoolCreate(Handle *pool, const void *) {
  NACHO_BEGIN(false);
  *pool = &arrays();
  return kOk;
}

NACHO_EXPORT Result cuMemPoolSetAttribute(Handle pool, int, void *) {
  NACHO_BEGIN(false);
  return pool == &arrays() ? kOk : kInvalidValue;
}

NACHO_EXPORT Result cuMemAllocFromPoolAsync(Address *data, size_t bytes,
                                            Handle pool, Handle stream) {
  NACHO_BEGIN();
  countCall(stream);
  if (bytes == 0 || pool != &arrays())
    return kInvalidValue;
  if (nacho_allocated_bytes() + bytes > totalBytes())
    return kOutOfMemory;
  try {
    void *made = nacho::allocateSimulated(bytes);
    *data = reinterpret_cast<Address>(made);
  } catch (const std::bad_alloc &) {
    return kOutOfMemory;
  }
  std::memset(accessed(*data), 0xA5, bytes);
  std::lock_guard<std::mutex> lock(arrays().mutex);
  arrays().sizes[*data] = bytes;
  return kOk;
}

/// Memory of the host, which is kept until the process ends.
NACHO_EXPORT Result cuMemHostAlloc(void **data, size_t bytes, unsigned) {
  NACHO_BEGIN();
  *data = std::malloc(bytes);
  return *data ? kOk : kOutOfMemory;
}

NACHO_EXPORT Result cuMemFreeAsync(Address data, Handle stream) {
  NACHO_BEGIN();
  countCall(stream);
  std::lock_guard<std::mutex> lock(arrays().mutex);
  auto known = arrays().sizes.find(data);
  if (known == arrays().sizes.end())
    return kInvalidValue;
  nacho::releaseSimulated(reinterpret_cast<void *>(data), known->second);
  arrays().sizes.erase(known);
  return kOk;
}

NACHO_EXPORT Result cuMemsetD8Async(Address to, unsigned char byte,
                                    size_t bytes, Handle stream) {
  NACHO_BEGIN();
  countCall(stream);
  if (recording::isPlayedBack())
    return kOk;
  if (!arrays().have(to, bytes))
    return kInvalidValue;
  std::memset(accessed(to), byte, bytes);
  return kOk;
}

NACHO_EXPORT Result cuMemcpyHtoDAsync_v2(Address to, const void *from,
                                         size_t bytes, Handle stream) {
  NACHO_BEGIN();
  countCall(stream);
  if (recording::isPlayedBack())
    return kOk;
  if (!arrays().have(to, bytes))
    return kInvalidValue;
  std::memcpy(accessed(to), from, bytes);
  return kOk;
}

/// For tests: writes to memory, as a kernel that is not Nacho's does.
NACHO_EXPORT void nacho_write(Address to, const void *from, size_t bytes) {
  std::memcpy(accessed(to), from, bytes);
}

NACHO_EXPORT Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes,
                                         Handle stream) {
  NACHO_BEGIN();
  countCall(stream);
  if (recording::isPlayedBack())
    return recording::playBack(to, bytes) ? kOk : kInvalidValue;
  if (!arrays().have(from, bytes))
    return kInvalidValue;
  std::memcpy(to, accessed(from), bytes);
  recording::record(to, bytes);
  return kOk;
}

NACHO_EXPORT Result cuCtxSynchronize() {
  NACHO_BEGIN();
  return kOk;
}

NACHO_EXPORT Result cuStreamSynchronize(Handle stream) {
  NACHO_BEGIN();
  countCall(stream);
  return kOk;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

using Module = std::map<std::string, ptx::Kernel>;

/// The options are the address of a text for errors, and its size.
NACHO_EXPORT Result cuModuleLoadDataEx(Handle *module, const void *text,
                                       unsigned count, int *, void **values) {
  NACHO_BEGIN();
  try {
    *module = new Module(ptx::read(static_cast<const char *>(text)));
    return kOk;
  } catch (const ptx::Error &error) {
    if (count == 2)
      std::snprintf(static_cast<char *>(values[0]),
                    reinterpret_cast<size_t>(values[1]), "%s", error.what());
    return kInvalidPtx;
  }
}

NACHO_EXPORT Result cuModuleUnload(Handle module) {
  NACHO_BEGIN();
  delete static_cast<Module *>(module);
  return kOk;
}

NACHO_EXPORT Result cuModuleGetFunction(Handle *function, Handle module,
                                        const char *name) {
  NACHO_BEGIN();
  auto &kernels = *static_cast<Module *>(module);
  auto known = kernels.find(name);
  if (known == kernels.end())
    return kNotFound;
  *function = &*known;
  return kOk;
}

namespace {
struct Launch {
  const Module::value_type *kernel;
  int64_t blocks, threads;
  void **parameters;
};
} // namespace

static void run(const int64_t *words) {
  auto *launch = reinterpret_cast<Launch *>(words[0]);
  const auto &[name, kernel] = *launch->kernel;
  kernel.run(name.c_str(), launch->blocks, launch->threads, launch->parameters);
}

NACHO_EXPORT Result cuLaunchKernel(Handle function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned sharedBytes,
                                   Handle stream, void **parameters,
                                   void **extra) {
  NACHO_BEGIN();
  countCall(stream);
  if (gridX == 0 || gridX > 0x7fffffff || gridY != 1 || gridZ != 1 ||
      blockX == 0 || blockX > 1024 || blockY != 1 || blockZ != 1 ||
      sharedBytes || extra)
    return kInvalidValue;
  if (recording::isPlayedBack())
    return kOk;
  Launch launch{static_cast<Module::value_type *>(function), gridX, blockX,
                parameters};
  int64_t words[] = {reinterpret_cast<int64_t>(&launch)};
  try {
    nacho::callSimulated(run, words);
  } catch (const nacho::DeviceFault &fault) {
    wrong() = fault.what();
    broken = kLaunchFailed;
  }
  return broken;
}
// NOLINTEND(readability-identifier-naming)
