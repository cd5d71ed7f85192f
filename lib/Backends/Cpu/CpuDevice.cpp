//===- CpuDevice.cpp - The memory of the host -----------------------------===//

#include "nacho/Backends/CpuDevice.h"

#include "nacho/Runtime/BufferPool.h"
#include "nacho/Runtime/Processors.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <cstring>

using namespace nacho;

namespace {

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
  void copy(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  bool isHost() const override { return true; }
  int64_t defaultThreads() const override { return nacho::defaultThreads(); }
  bool isCrowded() const override { return idleProcessors() == 0; }
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
