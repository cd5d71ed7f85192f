//===- Workers.cpp - Parts on several threads, some of which never come ---===//
//
// Nothing here is timed. Where a test is about a thread that the system does
// not run, that thread waits for what the caller can only do if it does not
// wait for the thread: a call that waited would never return.
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

#include "nacho/Runtime/Workers.h"

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nacho;
using namespace nacho::unit;

/// Computes parts with a function of the part and the slot.
template <typename F>
static bool compute(int64_t parts, int64_t threads, F f) {
  auto call = [](void *context, int64_t part, int64_t slot, const StopWord *) {
    (*static_cast<F *>(context))(part, slot);
  };
  return computeParts(parts, threads, call, &f);
}

static void waitFor(const std::atomic<bool> &flag) {
  while (!flag)
    sched_yield();
}

static std::string describe(int64_t parts, int64_t threads) {
  return std::to_string(parts) + " parts on " + std::to_string(threads) +
         " threads";
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Each part is computed once, and no two threads have the same slot.
static void checkParts(int64_t parts, int64_t threads) {
  std::vector<std::atomic<int64_t>> times(parts);
  std::vector<std::atomic<bool>> isTaken(threads);
  std::atomic<bool> isAlone = true;
  takeSharing();
  PartCounts counts;
  std::atomic<bool> isTold = true;
  countParts(&counts);
  bool stopped = compute(parts, threads, [&](int64_t part, int64_t slot) {
    if (isTaken.at(slot).exchange(true))
      isAlone = false;
    if (counts.done >= parts || counts.parts != parts)
      isTold = false;
    ++times.at(part);
    isTaken[slot] = false;
  });
  countParts(nullptr);
  compute(1, threads, [](int64_t, int64_t) {});
  bool isOnce = std::all_of(times.begin(), times.end(),
                            [](const auto &count) { return count == 1; });
  Sharing sharing = takeSharing();
  int64_t recorded =
      std::accumulate(sharing.parts.begin(), sharing.parts.end(), int64_t(0));
  check(!stopped && isOnce, [&] {
    return describe(parts, threads) + " are not computed once each";
  });
  check(isTold && counts.parts == parts && counts.done == parts, [&] {
    return describe(parts, threads) + ": told are " +
           std::to_string(counts.done) + " of " + std::to_string(counts.parts);
  });
  check(isAlone, [&] {
    return describe(parts, threads) + ": several threads have one slot";
  });
  check(recorded == parts + 1 && int64_t(sharing.parts.size()) <= threads, [&] {
    return describe(parts, threads) + ": recorded are " +
           std::to_string(recorded);
  });
}

/// Another thread may stop a computation that is counted, until it ends.
static void checkStop(int64_t threads) {
  PartCounts counts;
  countParts(&counts);
  bool stopped = compute(64, threads, [&](int64_t, int64_t) { counts.stop(); });
  bool isTold = areCountedStopped();
  countParts(nullptr);
  stopWord() = 0;
  check(stopped && isTold,
        [&] { return std::to_string(threads) + " threads were not stopped"; });
  counts.stop();
  check(!isSet(stopWord()) && !areCountedStopped(),
        [&] { return "what is not counted was stopped"; });
}

/// Each worker takes part if it is given the time.
static void checkMeeting(int64_t threads) {
  std::atomic<int64_t> here = 0;
  compute(threads, threads, [&](int64_t, int64_t) {
    ++here;
    while (here < threads)
      sched_yield();
  });
  check(here == threads, [&] { return describe(threads, threads); });
}

template <typename T>
static int64_t addressOf(T &number) {
  return reinterpret_cast<int64_t>(&number);
}

/// Each part finds what all parts before it have passed on, with any number of
/// threads; a part that is computed alone finds nothing.
static void checkTurns(int64_t parts, int64_t threads) {
  std::vector<int64_t> sums(parts + 1, -1);
  sums.front() = 0;
  std::atomic<bool> areRight = true;
  auto pass = [&](int64_t part, int64_t) {
    int64_t before = awaitTurn(addressOf(sums[part]), addressOf(stopWord()));
    if (before != part * (part - 1) / 2)
      areRight = false;
    passTurn(addressOf(sums[part + 1]), before + part);
  };
  compute(parts, threads, pass);
  check(areRight, [&] { return describe(parts, threads) + " out of turn"; });
  OnlyPart only(parts - 1);
  std::fill(sums.begin(), sums.end(), -1);
  compute(parts, threads, [&](int64_t part, int64_t) {
    areRight = awaitTurn(addressOf(sums[part]), addressOf(stopWord())) == 0;
  });
  check(areRight, [] { return "a part that is alone waits for others"; });
}

/// Nobody waits for parts that were left out since the computation shall stop.
static void checkStoppedTurns() {
  int64_t never = -1;
  bool stopped = compute(8, 2, [&](int64_t, int64_t) {
    stopWord() = 1;
    awaitTurn(addressOf(never), addressOf(stopWord()));
  });
  stopWord() = 0;
  check(stopped, [] { return "turns that are stopped"; });
}

/// A part may have parts.
static void checkNested() {
  std::atomic<int64_t> sum = 0;
  compute(5, 3, [&](int64_t outer, int64_t) {
    compute(7, 2, [&](int64_t inner, int64_t) { sum += 7 * outer + inner; });
  });
  check(sum == 34 * 35 / 2, [&] { return "nested: " + std::to_string(sum); });
}

/// Several threads may compute at the same time: more than there are places.
static void checkCallers() {
  constexpr int64_t callers = 80, parts = 50;
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> threads;
  threads.reserve(callers);
  for (int64_t n = 0; n < callers; ++n)
    threads.emplace_back([&] {
      compute(parts, 3, [&](int64_t part, int64_t) { sum += part; });
    });
  for (std::thread &thread : threads)
    thread.join();
  check(sum == callers * parts * (parts - 1) / 2,
        [&] { return "callers: " + std::to_string(sum); });
}

//===----------------------------------------------------------------------===//
// Threads that the system does not run
//===----------------------------------------------------------------------===//

namespace {
/// Keeps workers from looking for work.
struct Barrier {
  std::atomic<int64_t> waiting{0};
  std::mutex mutex;
  std::condition_variable opened;
  bool isOpen = false;

  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    ++waiting;
    opened.wait(lock, [&] { return isOpen; });
    --waiting;
  }
  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
    opened.notify_all();
  }
};
} // namespace

static Barrier barrier;

/// A worker that does not wake up is not waited for.
static void checkStoppedBefore() {
  checkMeeting(2);
  setWorkerHook([] { barrier.wait(); });
  // Computations wake the only worker, until it is found to be stopped.
  while (barrier.waiting == 0)
    compute(2, 2, [](int64_t, int64_t) { sched_yield(); });
  takeSharing();
  compute(16, 2, [](int64_t, int64_t) {});
  Sharing sharing = takeSharing();
  check(sharing.parts == std::vector<int64_t>{16} && sharing.awaited == 0,
        [] { return "a worker is stopped, and has computed parts"; });
  setWorkerHook(nullptr);
  barrier.open();
  checkMeeting(2);
}

/// A worker that stops in a part costs nothing but that part: the caller
/// computes all others before it waits.
static void checkStoppedInside() {
  // So few that the worker is woken before the first one.
  constexpr int64_t parts = 7;
  std::atomic<bool> isWorkerIn = false;
  std::atomic<int64_t> others = 0;
  takeSharing();
  compute(parts, 2, [&](int64_t, int64_t slot) {
    if (slot == 0) {
      waitFor(isWorkerIn);
      ++others;
      return;
    }
    isWorkerIn = true;
    while (others < parts - 1)
      sched_yield();
  });
  check(takeSharing().parts == std::vector<int64_t>{parts - 1, 1},
        [] { return "a worker stops in a part, and others are left"; });
}

//===----------------------------------------------------------------------===//
// Signals and forks
//===----------------------------------------------------------------------===//

/// All threads see the word of the caller.
static void checkWord() {
  struct Seen {
    const StopWord *expected = &stopWord();
    std::atomic<int64_t> same{0}, begun{0};
  } seen;
  bool stopped = computeParts(
      2, 2,
      [](void *context, int64_t, int64_t, const StopWord *word) {
        auto &seen = *static_cast<Seen *>(context);
        seen.same += word == seen.expected;
        for (++seen.begun; seen.begun < 2;)
          sched_yield();
      },
      &seen);
  check(!stopped && seen.same == 2,
        [] { return "a worker has the word of another thread"; });
  stopWord() = 1;
  stopped = compute(3, 2, [](int64_t, int64_t) {});
  stopWord() = 0;
  check(stopped, [] { return "a signal came, and is not told"; });
}

/// A forked process has workers of its own.
static void checkFork() {
  checkMeeting(2);
  pid_t child = fork();
  if (child == 0) {
    // An alarm ends the process if the worker of the parent is waited for.
    alarm(60);
    checkMeeting(2);
    checkStoppedInside();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  check(status == 0,
        [&] { return "a forked process ends with " + std::to_string(status); });
}

NACHO_SUITE("workers") {
  // It needs that there is one worker.
  checkStoppedBefore();
  checkStoppedInside();
  checkWord();
  checkFork();
  for (int64_t threads : {1, 2, 3, 8})
    for (int64_t parts : {0, 1, 2, 3, 7, 100})
      checkParts(parts, threads);
  for (int64_t threads : {1, 2, 8})
    checkStop(threads);
  for (int64_t threads : {1, 2, 8})
    checkTurns(1000, threads);
  checkStoppedTurns();
  checkMeeting(8);
  checkNested();
  checkCallers();
}
