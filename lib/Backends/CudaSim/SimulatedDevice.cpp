//===- SimulatedDevice.cpp - The memory of a simulated GPU ----------------===//

#include "SimulatedDevice.h"

#include "nacho/Compiler/GpuTarget.h"
#include "nacho/Simulator/Simulator.h"

#include <cstring>

using namespace nacho;

namespace {

/// The byte that fills memory to which nobody has written: no position,
/// coordinate or size that could be taken for a right one.
constexpr int kUnwritten = 0xA5;

class SimulatedDevice final : public Device {
public:
  void *allocate(size_t bytes) override {
    void *data = allocateSimulated(bytes);
    fill(data, kUnwritten, bytes);
    return data;
  }
  void release(void *data, size_t bytes) noexcept override {
    releaseSimulated(data, bytes);
  }

  void fill(void *data, int byte, size_t bytes) override {
    std::memset(accessSimulated(data), byte, bytes);
  }
  void copyFromHost(void *to, const void *from, size_t bytes) override {
    std::memcpy(accessSimulated(to), from, bytes);
  }
  void copyToHost(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, accessSimulated(const_cast<void *>(from)), bytes);
  }

  bool isHost() const override { return false; }
  int64_t defaultThreads() const override { return kNvidiaGpu.slots; }
  int64_t numSlots(int64_t threads) const override {
    return std::min(threads, kNvidiaGpu.slots);
  }
  /// As on a GPU with 80 GiB, so that as many threads are counted.
  int64_t workspaceBytes() const override {
    return (int64_t(80) << 30) / kNvidiaGpu.workspaceShare;
  }
  int64_t entriesPerPart() const override { return kNvidiaGpu.entriesPerPart; }

  size_t pooledBytes() const noexcept override { return 0; }
  size_t maxPooledBytes() const noexcept override { return 0; }
};

} // namespace

Device &nacho::simulatedDevice() {
  static auto *device = new SimulatedDevice;
  return *device;
}
