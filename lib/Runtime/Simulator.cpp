//===- Simulator.cpp - A GPU that is simulated by the host ----------------===//
//
// One range of addresses is reserved, once. Kernels access its lower half, page
// by page as memory is allocated; the upper half, which stays inaccessible, has
// the addresses that the host knows.
//
//   | array, page, | nothing | array, page | ...  ||  nothing at all | | page
//   |         |             |      ||                           | ^ accessed ^
//   + kHalf: known to the host
//
//===----------------------------------------------------------------------===//

#include "nacho/Runtime/Simulator.h"

#include "nacho/Runtime/Fork.h"
#include "nacho/Runtime/Stop.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

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
    first = static_cast<char *>(reserved);
    free.emplace(first, kHalf);
    holdAtFork(mutex);
  }

  /// Which half an address is in: 0 that of kernels, 1 that of the host, or
  /// none if it is no address of the device.
  std::optional<int> halfOf(const void *address) const {
    size_t at = static_cast<const char *>(address) - first;
    if (at >= 2 * kHalf)
      return std::nullopt;
    return at >= kHalf;
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
    char *begin =
        static_cast<char *>(data) + roundedUp(bytes, kAlignment) - pages;
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
  char *first;
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

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static uint64_t seedOfOrder() {
  const char *variable = std::getenv("NACHO_SIMULATOR_SEED");
  return variable ? std::strtoull(variable, nullptr, 10) : 0;
}

namespace {
/// A permutation of the numbers below `count`.
class Order {
public:
  Order(int64_t count, uint64_t seed) : count(count) {
    if (!seed || count < 2)
      return;
    first = seed % count;
    // Large steps, and each number comes once.
    step = (seed * 0x9e3779b97f4a7c15u >> 32) % count;
    while (std::gcd(step, count) != 1)
      ++step;
  }

  int64_t operator[](int64_t n) const {
    return static_cast<int64_t>((first + static_cast<__int128>(n) * step) %
                                count);
  }

private:
  int64_t count, first = 0, step = 1;
};
} // namespace

void nacho::simulateLaunch(SimulatedKernel kernel, int64_t blocks,
                           int64_t threads, void *frame) noexcept {
  static const uint64_t seed = seedOfOrder();
  const StopWord &word = stopWord();
  Order ofBlocks(blocks, seed), ofThreads(threads, seed);
  SimulatedThread thread{0, 0, blocks, threads, -int64_t(kHalf)};
  for (int64_t block = 0; block < blocks; ++block) {
    thread.block = ofBlocks[block];
    for (int64_t n = 0; n < threads; ++n) {
      if (isSet(word))
        return;
      thread.thread = ofThreads[n];
      kernel(&thread, frame);
    }
  }
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Where a fault of this thread leads to, if it is in memory of the device.
static thread_local sigjmp_buf *onFault = nullptr;

/// What handled faults before.
static std::array<struct sigaction, 2> replaced;
static constexpr std::array kFaults = {SIGSEGV, SIGBUS};

static void handleFault(int signal, siginfo_t *info, void * /*context*/) {
  if (onFault)
    if (std::optional<int> half = memory().halfOf(info->si_addr))
      siglongjmp(*onFault, 1 + *half);
  // The fault comes again, and what handled it before has it then.
  for (size_t n = 0; n < kFaults.size(); ++n)
    if (kFaults[n] == signal)
      sigaction(signal, &replaced[n], nullptr);
}

static bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == handleFault;
}

/// Puts our handler before others, even if they came after it.
static void handleFaults() {
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t n = 0; n < kFaults.size(); ++n) {
    struct sigaction now;
    if (sigaction(kFaults[n], nullptr, &now) || isOurs(now))
      continue;
    replaced[n] = now;
    sigaction(kFaults[n], &action, nullptr);
  }
}

/// Returns whose fault it was, as `halfOf` plus 1, or 0.
static int callUntilFault(void (*function)(const int64_t *),
                          const int64_t *words) {
  sigjmp_buf here;
  int fault = sigsetjmp(here, /*savemask=*/1);
  if (fault == 0) {
    onFault = &here;
    function(words);
  }
  onFault = nullptr;
  return fault;
}

void nacho::callSimulated(void (*function)(const int64_t *words),
                          const int64_t *words) {
  static std::mutex mutex;
  {
    std::lock_guard<std::mutex> lock(mutex);
    handleFaults();
  }
  int fault = callUntilFault(function, words);
  if (fault == 1)
    throw DeviceFault("a kernel accessed memory of the device beyond an array");
  if (fault == 2)
    throw DeviceFault("the host accessed memory of the device");
}
