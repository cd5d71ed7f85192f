//===- CpuDevice.cpp - The memory of the host -----------------------------===//

#include "nacho/Backends/CpuDevice.h"

#include "nacho/Runtime/BufferPool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sched.h>

using namespace nacho;

namespace {

/// As many threads as a caller may ask for.
constexpr int64_t kMostThreads = 1024;

/// More than the stack of a thread takes, with its guard and its own heap.
constexpr size_t kMostStack = size_t(16) << 20;

class CpuDevice final : public Device {
public:
  void *allocate(size_t bytes) override { return hostPool().allocate(bytes); }
  void release(void *data, size_t bytes) noexcept override {
    hostPool().release(data, bytes);
  }

  void fill(void *data, int byte, size_t bytes) override {
    std::memset(data, byte, bytes);
  }
  void copyFromHost(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copyToHost(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  bool isHost() const override { return true; }
  /// OMP_NUM_THREADS if it is set, else the number of usable cores.
  int64_t defaultThreads() const override {
    const char *variable = std::getenv("OMP_NUM_THREADS");
    int64_t threads = variable ? std::atoll(variable) : 0;
    cpu_set_t cores;
    if (threads <= 0 && sched_getaffinity(0, sizeof(cores), &cores) == 0)
      threads = CPU_COUNT(&cores);
    return std::clamp<int64_t>(threads, 1, kMostThreads);
  }
  /// OpenMP ends the process if it cannot start a thread.
  int64_t availableThreads(int64_t wanted) const override {
    return isAddressSpaceFree((wanted - 1) * kMostStack) ? wanted : 1;
  }
  /// Each thread has a slot.
  int64_t numSlots(int64_t threads) const override {
    return std::max<int64_t>(threads, 1);
  }

  size_t pooledBytes() const noexcept override {
    return hostPool().pooledNow();
  }
  size_t maxPooledBytes() const noexcept override { return hostPool().limit; }
};

} // namespace

Device &nacho::cpuDevice() {
  static auto *device = new CpuDevice;
  return *device;
}
