//===- Place.h - A computation that workers may join ----------------------===//
//
// Whoever begins one opens its gate, and closes it when no part is left. The
// state of the gate is one word, so that nobody waits for a lock.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_RUNTIME_PLACE_H
#define NACHO_LIB_RUNTIME_PLACE_H

#include "nacho/Runtime/Processors.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nacho {

using Clock = std::chrono::steady_clock;

/// The time for which callers look whether all have left before they sleep: a
/// little longer than the system takes to wake them.
inline constexpr std::chrono::microseconds kPatience(50);

/// Sleeps until somebody wakes the word, unless it has another value.
inline void sleepOn(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void wake(std::atomic<uint32_t> &word, int64_t count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Looks at `isDone` for a moment, and calls `between` now and then. Returns
/// what `isDone` says last.
template <typename IsDone, typename Between>
bool becomesTrue(IsDone isDone, Between between, Clock::duration patience) {
  Clock::time_point end = Clock::now() + patience;
  do {
    for (int n = 0; n < 64; ++n, relax())
      if (isDone())
        return true;
    between();
  } while (Clock::now() < end);
  return false;
}

/// Lets a few threads in, and waits for those that are in.
class Gate {
public:
  /// Lets in as many threads as there are seats.
  void open(int64_t seats) { word.store(kOpen | uint32_t(seats) * kSeat); }

  /// Whether threads may still enter.
  bool hasSeats() const {
    return hasSeats(word.load(std::memory_order_relaxed));
  }

  /// Returns whether the calling thread is in now.
  bool enter() {
    uint32_t seen = word.load(std::memory_order_relaxed);
    do {
      if (!hasSeats(seen))
        return false;
    } while (!word.compare_exchange_weak(seen, seen - kSeat + 1,
                                         std::memory_order_acquire,
                                         std::memory_order_relaxed));
    return true;
  }

  /// Whoever has opened the gate may go on as soon as the last one has left.
  void leave() {
    if (word.fetch_sub(1, std::memory_order_release) - 1 == kSleeping)
      wake(word, 1);
  }

  /// Lets nobody in any more, and waits for those who are in. Returns for how
  /// many seconds.
  double close() {
    uint32_t inside = word.fetch_and(kInside, std::memory_order_acquire);
    if (!(inside & kInside))
      return 0;
    Clock::time_point begin = Clock::now();
    auto isEmpty = [&] { return word.load(std::memory_order_acquire) == 0; };
    // The processor stays ours: whoever got it would have it for milliseconds.
    if (!becomesTrue(isEmpty, [] {}, kPatience)) {
      inside = word.fetch_or(kSleeping, std::memory_order_acquire) | kSleeping;
      for (; inside != kSleeping; inside = word.load(std::memory_order_acquire))
        sleepOn(word, inside);
      word.store(0, std::memory_order_relaxed);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  static bool hasSeats(uint32_t seen) {
    return (seen & kOpen) && (seen & kSeats);
  }

  /// The bits of the word: how many are inside, whether the one who waits
  /// sleeps, how many may still enter, and whether any may.
  static constexpr uint32_t kInside = (1 << 15) - 1;
  static constexpr uint32_t kSleeping = 1 << 15;
  static constexpr uint32_t kSeat = 1 << 16;
  static constexpr uint32_t kSeats = kInside * kSeat;
  static constexpr uint32_t kOpen = uint32_t(1) << 31;
  static_assert(kMostThreads <= kInside);

  std::atomic<uint32_t> word{0};
};

/// A place for a computation, which workers may join.
class Place {
public:
  bool claim() { return !isClaimed.exchange(true, std::memory_order_acquire); }
  void release() { isClaimed.store(false, std::memory_order_release); }

  void open(int64_t numParts, int64_t threads, ComputePart part, void *given) {
    parts = numParts;
    compute = part;
    context = given;
    word = &stopWord();
    next.store(0, std::memory_order_relaxed);
    slots.store(1, std::memory_order_relaxed);
    std::fill_n(computed.begin(), threads, 0);
    gate.open(threads - 1);
  }

  bool hasSeats() const { return gate.hasSeats(); }

  /// Computes parts as the thread that calls, which calls `before` before each.
  /// Returns how many these are.
  template <typename Before>
  int64_t computeAsCaller(Before before) {
    return computed[0] = computeParts(0, before);
  }

  /// Computes parts as a worker, if the gate is open and there is a seat.
  bool join() {
    if (!gate.enter())
      return false;
    int64_t slot = slots.fetch_add(1, std::memory_order_relaxed);
    computed[slot] = computeParts(slot, [] {});
    gate.leave();
    return true;
  }

  /// Waits for the parts that workers have begun; returns for how many seconds.
  double close() { return gate.close(); }

  /// Calls f(slot, parts) for each thread that took part.
  template <typename F>
  void forThreads(F f) const {
    int64_t threads = slots.load(std::memory_order_relaxed);
    for (int64_t slot = 0; slot < threads; ++slot)
      f(slot, computed[slot]);
  }

private:
  template <typename Before>
  int64_t computeParts(int64_t slot, Before before) {
    for (int64_t count = 0;; ++count) {
      int64_t part = next.fetch_add(1, std::memory_order_relaxed);
      if (part >= parts)
        return count;
      before();
      compute(context, part, slot, word);
    }
  }

  /// Places are looked at by all workers: each has a cache line of its own.
  alignas(64) Gate gate;
  std::atomic<bool> isClaimed{false};
  std::atomic<int64_t> next;
  std::atomic<int64_t> slots;
  ComputePart compute;
  void *context;
  const StopWord *word;
  int64_t parts;
  std::array<int64_t, kMostThreads> computed;
};

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_PLACE_H
