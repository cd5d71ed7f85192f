//===- BufferPool.cpp - A pool of host memory -----------------------------===//

#include "nacho/Runtime/BufferPool.h"
#include "nacho/Runtime/Fork.h"
#include "nacho/Runtime/Sanitizer.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace nacho;

static constexpr size_t kPage = size_t(4) << 10;
static constexpr size_t kHugePage = size_t(2) << 20;
/// Smaller arrays come from malloc.
static constexpr size_t kPooledFrom = size_t(64) << 10;
/// Arrays of at least this size are on huge pages.
static constexpr size_t kHugeFrom = size_t(1) << 20;

/// An eighth of the memory, but no more than 4 GiB.
static size_t mostPooled() {
  size_t memory = size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return std::min(memory / 8, size_t(4) << 30);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static void *map(size_t size, size_t alignment) {
  size_t padded = alignment > kPage ? size + alignment : size;
  void *mapped = mmap(nullptr, padded, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto address = reinterpret_cast<uintptr_t>(mapped);
  uintptr_t aligned = (address + alignment - 1) & ~(alignment - 1);
  if (size_t before = aligned - address)
    munmap(mapped, before);
  if (size_t after = address + padded - (aligned + size))
    munmap(reinterpret_cast<void *>(aligned + size), after);
  return reinterpret_cast<void *>(aligned);
}

static void unmap(void *buffer, size_t size) { munmap(buffer, size); }

static void *allocateOnHeap(size_t size, size_t alignment) {
  return std::aligned_alloc(alignment, size);
}

static void releaseToHeap(void *buffer, size_t /*size*/) { std::free(buffer); }

const MemorySource nacho::systemMemory = {map, unmap};
const MemorySource nacho::heapMemory = {allocateOnHeap, releaseToHeap};

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

BufferPool::BufferPool(const MemorySource &source)
    : limit(mostPooled()), source(source) {
  holdAtFork(mutex);
}

void *BufferPool::allocate(size_t bytes) {
  if (bytes < kPooledFrom) {
    if (void *buffer = std::malloc(bytes ? bytes : 1))
      return buffer;
    throw OutOfMemory(int64_t(bytes));
  }
  size_t unit = bytes < kHugeFrom ? kPooledFrom : kHugePage;
  size_t size = (bytes + unit - 1) & ~(unit - 1);
  void *buffer = size < bytes ? nullptr : take(size);
  if (!buffer && size >= bytes)
    buffer = make(size);
  if (!buffer)
    throw OutOfMemory(int64_t(bytes));
  // A buffer is larger than the array in it, which alone may be used.
  allowAccess(buffer, bytes);
  return buffer;
}

/// Returns a fresh buffer, of which no byte may be used yet, or null if there
/// is no memory.
void *BufferPool::make(size_t size) {
  // Linux can use huge pages only at multiples of their size.
  size_t alignment = size < kHugePage ? kPage : kHugePage;
  void *buffer = source.allocate(size, alignment);
  if (!buffer) {
    // Memory may suffice without the buffers that are kept for reuse.
    clear();
    buffer = source.allocate(size, alignment);
  }
  if (!buffer)
    return nullptr;
  if (size >= kHugePage)
    madvise(buffer, size, MADV_HUGEPAGE);
  forbidAccess(buffer, size);
  std::lock_guard<std::mutex> lock(mutex);
  sizes[buffer] = size;
  return buffer;
}

/// Returns a released buffer, which may be up to 1/4 larger than what is asked
/// for, or null if there is none.
void *BufferPool::take(size_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = released.lower_bound(size);
  if (found == released.end() || found->first - size > size / 4)
    return nullptr;
  auto [taken, buffer] = *found;
  sizes[buffer] = taken;
  released.erase(found);
  pooled -= taken;
  return buffer;
}

void BufferPool::release(void *buffer, size_t bytes) noexcept {
  if (bytes < kPooledFrom)
    return std::free(buffer);
  size_t size = forget(buffer);
  forbidAccess(buffer, size);
  if (!keep(buffer, size))
    giveBack(buffer, size);
}

void BufferPool::disown(void *buffer, size_t bytes) noexcept {
  if (bytes >= kPooledFrom)
    allowAccess(buffer, forget(buffer));
}

/// Returns the size of a buffer, which is no longer in use.
size_t BufferPool::forget(void *buffer) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  auto known = sizes.find(buffer);
  size_t size = known->second;
  sizes.erase(known);
  return size;
}

/// Gives memory back to the source, where others may get it.
void BufferPool::giveBack(void *buffer, size_t size) noexcept {
  allowAccess(buffer, size);
  source.release(buffer, size);
}

bool BufferPool::keep(void *buffer, size_t size) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  if (pooled + size > limit)
    return false;
  try {
    released.emplace(size, buffer);
  } catch (const std::bad_alloc &) {
    return false;
  }
  pooled += size;
  return true;
}

void BufferPool::clear() noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto [size, buffer] : released)
    giveBack(buffer, size);
  released.clear();
  pooled = 0;
}

size_t BufferPool::pooledNow() const noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  return pooled;
}

bool nacho::isAddressSpaceFree(size_t bytes) noexcept {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
    return true;
  void *probe = mmap(nullptr, bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED)
    return false;
  munmap(probe, bytes);
  return true;
}

BufferPool &nacho::hostPool() {
  static auto *pool = new BufferPool(systemMemory);
  return *pool;
}
