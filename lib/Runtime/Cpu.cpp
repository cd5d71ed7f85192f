//===- Cpu.cpp - Result buffers on a CPU ----------------------------------===//

#include "nacho/Runtime/Runtime.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>

using namespace nacho;

namespace {

constexpr size_t kHugePage = size_t(2) << 20;
/// Below this the allocator of the C library recycles well enough.
constexpr size_t kPooledFrom = size_t(64) << 10;
/// From here on pages are huge.
constexpr size_t kHugeFrom = size_t(1) << 20;

/// Large buffers: mapped in whole huge pages if they are large enough, kept
/// when released.
class BufferPool {
public:
  void *allocate(size_t bytes) {
    size_t unit = bytes < kHugeFrom ? kPooledFrom : kHugePage;
    size_t size = (bytes + unit - 1) & ~(unit - 1);
    {
      std::lock_guard<std::mutex> lock(mutex);
      // A released buffer may be reused for up to 1/4 less.
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
      // What is kept for reuse may be what is missing.
      clear();
      buffer = map(size);
    }
    if (!buffer)
      throw std::bad_alloc();
    std::lock_guard<std::mutex> lock(mutex);
    sizes[buffer] = size;
    return buffer;
  }

  /// False if the buffer is not one of the pool's.
  bool release(void *buffer) noexcept {
    std::unique_lock<std::mutex> lock(mutex);
    auto known = sizes.find(buffer);
    if (known == sizes.end())
      return false;
    size_t size = known->second;
    sizes.erase(known);
    if (pooled + size <= limit) {
      released.emplace(size, buffer);
      pooled += size;
      return true;
    }
    lock.unlock();
    munmap(buffer, size);
    return true;
  }

  size_t pooledNow() noexcept {
    std::lock_guard<std::mutex> lock(mutex);
    return pooled;
  }

  /// An eighth of the memory, at most 2 GiB.
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

  /// Mapped at a multiple of the huge page, or the kernel could not use them;
  /// null if there is no memory.
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

  std::mutex mutex;
  std::unordered_map<void *, size_t> sizes; ///< Of the buffers in use.
  std::multimap<size_t, void *> released;
  size_t pooled = 0;
};

/// Never destroyed: NumPy may release buffers when the process ends.
BufferPool &pool() {
  static auto *instance = new BufferPool;
  return *instance;
}

} // namespace

void *nacho::allocateBuffer(size_t bytes) {
  if (bytes >= kPooledFrom)
    return pool().allocate(bytes);
  void *buffer = std::malloc(bytes ? bytes : 1);
  if (!buffer)
    throw std::bad_alloc();
  return buffer;
}

void nacho::releaseBuffer(void *buffer) noexcept {
  if (!pool().release(buffer))
    std::free(buffer);
}

size_t nacho::pooledBytes() noexcept { return pool().pooledNow(); }

size_t nacho::maxPooledBytes() noexcept { return pool().limit; }
