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

#include "nacho/Simulator/Simulator.h"

#include "SimulatedBlock.h"
#include "nacho/Runtime/Fork.h"
#include "nacho/Runtime/Memory.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
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

  /// The half that an address is in: 0 that of kernels, 1 that of the host, or
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
  std::map<char *, size_t>
      free; ///< Bytes by address; each ends with a page unused.
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
    return allocateFrom(Spending::current().get(), bytes,
                        [&] { return allocateSimulated(bytes); });
  } catch (const std::exception &) {
    keepException();
    return nullptr;
  }
}

void nacho::returnSimulatedScratch(void *data, int64_t bytes) noexcept {
  releaseSimulated(data, bytes);
  if (MemoryBudget *budget = Spending::current().get())
    budget->give(bytes);
}

void nacho::returnSimulatedZeros(void *data, int64_t bytes) noexcept {
  const auto *first = static_cast<const char *>(accessSimulated(data));
  (void)first;
  // Of a launch that was interrupted, some blocks did not run.
  assert((isSet(stopWord()) ||
          std::all_of(first, first + bytes, [](char c) { return c == 0; })) &&
         "the next call expects zeros");
  releaseSimulated(data, bytes);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static uint64_t seedOfOrder() {
  const char *variable = std::getenv("NACHO_SIMULATOR_SEED");
  return variable ? std::strtoull(variable, nullptr, 10) : 0;
}

void nacho::simulateLaunch(SimulatedKernel kernel, const char *name,
                           int64_t blocks, int64_t threads, int64_t shared,
                           int64_t meets, void *frame) noexcept {
  static const uint64_t seed = seedOfOrder();
  const StopWord &word = stopWord();
  SimulatedBlock &block = SimulatedBlock::ofThread();
  block.begin({kernel, name, blocks, threads, shared, meets != 0, frame, seed,
               -int64_t(kHalf)});
  Order ofBlocks(blocks, seed);
  for (int64_t n = 0; n < blocks && !isSet(word); ++n)
    if (!block.run(ofBlocks[n]))
      failSimulated();
  block.end();
}

void nacho::accessShared(const SimulatedThread *thread, const char *site,
                         AccessKind kind, const char *at,
                         int64_t bytes) noexcept {
  Lane &lane = Lane::of(thread);
  if (!lane.owner->accessShared(lane, site, kind, at, bytes))
    lane.owner->leave(lane);
}

void nacho::accessGlobal(const SimulatedThread *thread, const char *site,
                         AccessKind kind, uint64_t address, int64_t bytes,
                         const void *written) noexcept {
  Lane &lane = Lane::of(thread);
  if (!lane.owner->accessGlobal(lane, site, kind, address, bytes, written))
    lane.owner->leave(lane);
}

void nacho::fenceDevice(const SimulatedThread *thread) noexcept {
  Lane::of(thread).owner->fence();
}

void nacho::meetBlock(const SimulatedThread *thread,
                      const char *site) noexcept {
  Lane &lane = Lane::of(thread);
  lane.owner->wait(lane, Lane::atBlock, site);
}

/// Waits for lanes of the warp, to which the lane gives a value.
static void meetWarpWith(Lane &lane, const char *site, int64_t mask,
                         int64_t value, int64_t asked, bool isBarrier = false) {
  lane.mask = mask;
  lane.value = value;
  lane.asked = asked;
  lane.isBarrier = isBarrier;
  lane.owner->wait(lane, Lane::atWarp, site);
}

void nacho::meetWarp(const SimulatedThread *thread, const char *site,
                     int64_t mask) noexcept {
  meetWarpWith(Lane::of(thread), site, mask, 0, thread->thread,
               /*isBarrier=*/true);
}

int64_t nacho::voteInWarp(const SimulatedThread *thread, const char *site,
                          int64_t mask, int64_t bit) noexcept {
  meetWarpWith(Lane::of(thread), site, mask, bit, thread->thread);
  return Lane::of(thread).votes;
}

static int64_t askedLane(ShuffleMode mode, int64_t own, int64_t number) {
  switch (mode) {
  case ShuffleMode::exclusiveOr:
    return own ^ number;
  case ShuffleMode::down:
    return own + number;
  case ShuffleMode::up:
    return own - number;
  case ShuffleMode::index:
    return number;
  }
  return own;
}

int64_t nacho::shuffleInWarp(const SimulatedThread *thread, const char *site,
                             ShuffleMode mode, int64_t value, int64_t number,
                             int64_t width) noexcept {
  Lane &lane = Lane::of(thread);
  int64_t own = thread->thread % kLanes, first = thread->thread - own;
  int64_t asked = askedLane(mode, own, number);
  lane.isValid = own < width && asked >= 0 && asked < width;
  // Lanes beyond the width have no part in it.
  if (own >= width)
    return value;
  meetWarpWith(lane, site, (int64_t(1) << width) - 1, value,
               first + (lane.isValid ? asked : own));
  return lane.answer;
}

int64_t nacho::askLane(const SimulatedThread *thread, const char *site,
                       int64_t mask, int64_t value, int64_t number) noexcept {
  int64_t first = thread->thread - thread->thread % kLanes;
  meetWarpWith(Lane::of(thread), site, mask, value, first + number % kLanes);
  return Lane::of(thread).answer;
}

int64_t nacho::isShuffled(const SimulatedThread *thread) noexcept {
  return Lane::of(thread).isValid;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// The target of a fault of this thread, if it is in memory of the device.
static thread_local sigjmp_buf *onFault = nullptr;

/// The handlers of faults before ours.
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

/// The results of callUntilFault() for a fault that the block has found, and
/// for memory that there is not.
static constexpr int kFailed = 3, kExhausted = 4;

[[noreturn]] static void leaveCall(int reason) {
  if (!onFault)
    std::abort();
  siglongjmp(*onFault, reason);
}

void nacho::failSimulated() noexcept { leaveCall(kFailed); }

void *nacho::takeSimulatedZeros(int64_t bytes) noexcept {
  void *data = nullptr;
  try {
    data = allocateSimulated(bytes);
  } catch (const std::bad_alloc &) {
    leaveCall(kExhausted);
  }
  std::memset(accessSimulated(data), 0, size_t(bytes));
  return data;
}

/// Returns whose fault it was, as `halfOf` plus 1, or another reason, or 0.
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
  if (fault == kExhausted)
    throw std::bad_alloc();
  if (fault == kFailed)
    throw DeviceFault(SimulatedBlock::ofThread().error());
}
