//===- CpuDevice.cpp - The memory of the host -----------------------------===//

#include "CpuDevice.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>

using namespace nacho;

namespace {

/// As many threads as a caller may ask for.
constexpr int64_t kMostThreads = 1024;

constexpr size_t kHugePage = size_t(2) << 20;
/// Smaller arrays come from malloc, which recycles them well enough.
constexpr size_t kPooledFrom = size_t(64) << 10;
/// Arrays of at least this size are on huge pages.
constexpr size_t kHugeFrom = size_t(1) << 20;

/// Allocates large arrays, in whole huge pages from kHugeFrom on, and keeps
/// released ones for reuse.
class BufferPool {
public:
  void *allocate(size_t bytes) {
    size_t unit = bytes < kHugeFrom ? kPooledFrom : kHugePage;
    size_t size = (bytes + unit - 1) & ~(unit - 1);
    {
      std::lock_guard<std::mutex> lock(mutex);
      // A released buffer may be up to 1/4 larger than what is asked for.
      auto found = released.lower_bound(size);
      if (found != released.end() && found->first - size <= size / 4) {
        void *buffer = found->second;
        size = found->first;
        released.erase(found);
        pooled -= size;
        sizes[buffer] = size;
        return buffer;
      }
    }
    void *buffer = map(size);
    if (!buffer) {
      // Memory may suffice without the buffers that are kept for reuse.
      clear();
      buffer = map(size);
    }
    if (!buffer)
      throw std::bad_alloc();
    std::lock_guard<std::mutex> lock(mutex);
    sizes[buffer] = size;
    return buffer;
  }

  void release(void *buffer) noexcept {
    std::unique_lock<std::mutex> lock(mutex);
    auto known = sizes.find(buffer);
    size_t size = known->second;
    sizes.erase(known);
    if (pooled + size <= limit) {
      released.emplace(size, buffer);
      pooled += size;
      return;
    }
    lock.unlock();
    munmap(buffer, size);
  }

  size_t pooledNow() const noexcept {
    std::lock_guard<std::mutex> lock(mutex);
    return pooled;
  }

  /// The most bytes to keep: an eighth of the memory, but no more than 2 GiB.
  const size_t limit = [] {
    size_t memory = size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
    size_t most = size_t(2) << 30;
    return memory / 8 < most ? memory / 8 : most;
  }();

private:
  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto [size, buffer] : released)
      munmap(buffer, size);
    released.clear();
    pooled = 0;
  }

  /// Maps memory, from kHugePage on at a multiple of kHugePage, where alone
  /// Linux can use huge pages. Returns null if there is no memory.
  static void *map(size_t size) {
    if (size < kHugePage) {
      void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return mapped == MAP_FAILED ? nullptr : mapped;
    }
    size_t padded = size + kHugePage;
    void *mapped = mmap(nullptr, padded, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      return nullptr;
    auto address = reinterpret_cast<uintptr_t>(mapped);
    uintptr_t aligned = (address + kHugePage - 1) & ~(kHugePage - 1);
    if (size_t before = aligned - address)
      munmap(mapped, before);
    if (size_t after = address + padded - (aligned + size))
      munmap(reinterpret_cast<void *>(aligned + size), after);
    void *buffer = reinterpret_cast<void *>(aligned);
    madvise(buffer, size, MADV_HUGEPAGE);
    return buffer;
  }

  mutable std::mutex mutex;
  std::unordered_map<void *, size_t> sizes; ///< By buffer in use.
  std::multimap<size_t, void *> released;
  size_t pooled = 0;
};

class CpuDevice final : public Device {
public:
  void *allocate(size_t bytes) override {
    if (bytes >= kPooledFrom)
      return pool.allocate(bytes);
    void *buffer = std::malloc(bytes ? bytes : 1);
    if (!buffer)
      throw std::bad_alloc();
    return buffer;
  }

  void release(void *data, size_t bytes) noexcept override {
    if (bytes >= kPooledFrom)
      pool.release(data);
    else
      std::free(data);
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
  /// Each thread has a slot.
  int64_t numSlots(int64_t threads) const override {
    return std::max<int64_t>(threads, 1);
  }

  size_t pooledBytes() const noexcept override { return pool.pooledNow(); }
  size_t maxPooledBytes() const noexcept override { return pool.limit; }

private:
  BufferPool pool;
};

} // namespace

Device &nacho::cpuDevice() {
  static auto *device = new CpuDevice;
  return *device;
}
