//===- Simulator.cpp - A GPU that is simulated by the host ----------------===//
//
// One range of addresses is reserved, once. Kernels access its lower half, page
// by page as memory is allocated; the upper half, which stays inaccessible, has
// the addresses that the host knows.
//
//   | array, page, | nothing | array, page | ...  ||  nothing at all           |
//   | page         |         |             |      ||                           |
//   ^ accessed                                    ^ + kHalf: known to the host
//
//===----------------------------------------------------------------------===//

#include "nacho/Runtime/Simulator.h"

#include "nacho/Runtime/Fork.h"
#include "nacho/Runtime/Stop.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace nacho;

/// The size of each half: more than simulated kernels can be waited for.
static constexpr size_t kHalf = size_t(1) << 38;

/// Arrays of the device end, up to this many bytes, where their last page does.
static constexpr size_t kAlignment = 16;

namespace {
class Memory {
public:
  Memory() {
    void *reserved = mmap(nullptr, 2 * kHalf, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
      throw std::bad_alloc();
    free.emplace(static_cast<char *>(reserved), kHalf);
    holdAtFork(mutex);
  }

  void *allocate(size_t bytes) {
    size_t pages = pagesOf(bytes);
    std::lock_guard<std::mutex> lock(mutex);
    for (auto range = free.begin(); range != free.end(); ++range) {
      auto [begin, size] = *range;
      if (size < pages + page)
        continue;
      if (mprotect(begin, pages, PROT_READ | PROT_WRITE))
        throw std::bad_alloc();
      free.erase(range);
      if (size > pages + page)
        free.emplace(begin + pages + page, size - pages - page);
      return begin + pages - roundedUp(bytes, kAlignment);
    }
    throw std::bad_alloc();
  }

  void release(void *data, size_t bytes) noexcept {
    size_t pages = pagesOf(bytes);
    char *begin = static_cast<char *>(data) + roundedUp(bytes, kAlignment) - pages;
    std::lock_guard<std::mutex> lock(mutex);
    madvise(begin, pages, MADV_DONTNEED);
    mprotect(begin, pages, PROT_NONE);
    addFree(begin, pages + page);
  }

private:
  static size_t roundedUp(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }
  size_t pagesOf(size_t bytes) const { return roundedUp(bytes, page); }

  /// Adds a free range, and joins it with its neighbours.
  void addFree(char *begin, size_t size) {
    auto next = free.lower_bound(begin);
    if (next != free.end() && begin + size == next->first) {
      size += next->second;
      next = free.erase(next);
    }
    if (next != free.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == begin) {
        before->second += size;
        return;
      }
    }
    free.emplace(begin, size);
  }

  const size_t page = sysconf(_SC_PAGESIZE);
  std::mutex mutex;
  std::map<char *, size_t> free; ///< By address; each ends with a page unused.
};
} // namespace

static Memory &memory() {
  static auto *instance = new Memory;
  return *instance;
}

void *nacho::allocateSimulated(size_t bytes) {
  return static_cast<char *>(memory().allocate(bytes)) + kHalf;
}

void nacho::releaseSimulated(void *data, size_t bytes) noexcept {
  memory().release(accessSimulated(data), bytes);
}

void *nacho::accessSimulated(void *data) noexcept {
  return static_cast<char *>(data) - kHalf;
}

void *nacho::takeSimulatedScratch(int64_t bytes) noexcept {
  try {
    return allocateSimulated(bytes);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void nacho::returnSimulatedScratch(void *data, int64_t bytes) noexcept {
  releaseSimulated(data, bytes);
}

void nacho::simulateLaunch(SimulatedKernel kernel, int64_t blocks,
                           int64_t threads, void *frame) noexcept {
  SimulatedThread thread{0, 0, blocks, threads, -int64_t(kHalf)};
  for (thread.block = 0; thread.block < blocks; ++thread.block) {
    if (isSet(stopWord()))
      return;
    for (thread.thread = 0; thread.thread < threads; ++thread.thread)
      kernel(&thread, frame);
  }
}
