//===- Queries.cpp - What a GPU is, and its clock -------------------------===//
//
// Functions of CUDA's driver that Nacho itself does not call, but its benchmark
// does: facts that describe a device, events, whose clock is that of the host,
// and copies from array to array.
//
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

using Result = int;
using Handle = void *;
using Address = uint64_t;

static constexpr Result kOk = 0, kInvalidValue = 1, kNotReady = 600;

// Names are as CUDA's driver needs them.
// NOLINTBEGIN(readability-identifier-naming)
#define NACHO_EXPORT extern "C" __attribute__((visibility("default")))

NACHO_EXPORT Result cuMemcpyHtoDAsync_v2(Address, const void *, size_t, Handle);
NACHO_EXPORT Result cuMemcpyDtoHAsync_v2(void *, Address, size_t, Handle);

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

NACHO_EXPORT Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return kOk;
}

NACHO_EXPORT Result cuDeviceGetCount(int *count) {
  *count = 1;
  return kOk;
}

NACHO_EXPORT Result cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, size_t(length), "No GPU but Nacho's driver of tests");
  return kOk;
}

NACHO_EXPORT Result cuDeviceGetPCIBusId(char *name, int length, int) {
  std::snprintf(name, size_t(length), "0000:00:00.0");
  return kOk;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {
using Clock = std::chrono::steady_clock;

struct Event {
  bool isRecorded = false;
  Clock::time_point time;
};
} // namespace

NACHO_EXPORT Result cuEventCreate(Handle *event, unsigned flags) {
  *event = new Event;
  return flags == 0 ? kOk : kInvalidValue;
}

NACHO_EXPORT Result cuEventDestroy_v2(Handle event) {
  delete static_cast<Event *>(event);
  return kOk;
}

NACHO_EXPORT Result cuEventRecord(Handle event, Handle) {
  *static_cast<Event *>(event) = {true, Clock::now()};
  return kOk;
}

NACHO_EXPORT Result cuEventSynchronize(Handle event) {
  return static_cast<Event *>(event)->isRecorded ? kOk : kNotReady;
}

NACHO_EXPORT Result cuEventElapsedTime(float *milliseconds, Handle begin,
                                       Handle end) {
  auto *first = static_cast<Event *>(begin), *last = static_cast<Event *>(end);
  if (!first->isRecorded || !last->isRecorded)
    return kInvalidValue;
  std::chrono::duration<float, std::milli> time = last->time - first->time;
  *milliseconds = time.count();
  return kOk;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

NACHO_EXPORT Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes,
                                         Handle stream) {
  std::vector<char> copy(bytes);
  if (Result result = cuMemcpyDtoHAsync_v2(copy.data(), from, bytes, stream))
    return result;
  return cuMemcpyHtoDAsync_v2(to, copy.data(), bytes, stream);
}
// NOLINTEND(readability-identifier-naming)
