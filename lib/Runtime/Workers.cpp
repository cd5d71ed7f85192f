//===- Workers.cpp - The parts of a computation, on several threads -------===//
//
// A computation is announced in one of a few fixed places (Place.h).
//
//   caller: open the gate, ring the bell, compute parts, close the gate,
//           wait until nobody is inside
//   worker: look for an open gate, enter, compute parts, leave; if there is
//           none, listen to the bell for a moment, then sleep
//
// Places are never freed, so that a worker that comes late finds a closed gate
// and not the stack of a caller that has left.
//
//===----------------------------------------------------------------------===//

#include "Place.h"
#include "nacho/Runtime/BufferPool.h"
#include "nacho/Runtime/Fork.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <utility>

using namespace nacho;

/// A computation of many parts that one thread does in less time wakes nobody:
/// it takes the caller some of this time to wake a thread, which comes when
/// most of it is over.
static constexpr std::chrono::microseconds kWorthWaking(100);
/// The time for which workers listen before they sleep. A call that has to wake
/// one takes so much longer on a virtual machine: 30 us for the caller, 50
/// until the worker runs, and then it runs slowly for a while.
static constexpr std::chrono::microseconds kListening(200);
/// The number of parts for each thread that counts as many.
static constexpr int64_t kManyParts = 4;

/// More than the stack of a thread takes, with its guard and its own heap.
static constexpr size_t kMostStack = size_t(16) << 20;

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the calling thread away from the processor of whoever wakes it. Linux
/// wakes a thread on the processor of its waker if others seem to be taken, as
/// sleeping ones of virtual machines do: there it would wait for milliseconds.
class Distance {
public:
  void keepFrom(int processor) {
    if (processor < 0 || processor == avoided)
      return;
    cpu_set_t now;
    if (sched_getaffinity(0, sizeof(now), &now))
      return;
    // Others may have changed where this thread may run.
    if (avoided < 0 || !CPU_EQUAL(&now, &set))
      allowed = now;
    set = allowed;
    CPU_CLR(processor, &set);
    if (CPU_COUNT(&set) && sched_setaffinity(0, sizeof(set), &set) == 0)
      avoided = processor;
  }

private:
  int avoided = -1;
  cpu_set_t allowed, set; ///< Processors: all, and all but the avoided one.
};
} // namespace

static std::atomic<void (*)()> workerHook = nullptr;

void nacho::setWorkerHook(void (*hook)()) { workerHook = hook; }

namespace {
/// The workers of this process. They are never ended: they sleep in memory that
/// nobody destroys.
class Workers {
public:
  /// Finds a place for a computation; null if all are taken.
  Place *claim() {
    for (Place &place : places)
      if (place.claim())
        return &place;
    return nullptr;
  }

  /// The number of processors that are idle, or have workers that are.
  int64_t idleProcessors() const {
    int64_t awake = started.load(std::memory_order_relaxed) -
                    int64_t(sleepers.load(std::memory_order_relaxed));
    int64_t others = std::max<int64_t>(countRunning() - 1 - awake, 0);
    return std::max<int64_t>(online - 1 - others, 0);
  }

  /// Begins a computation that as many workers may join. Those that nobody
  /// needed before are started.
  void enlist(int64_t count) {
    // Computations of several callers need more workers, but no more than can
    // run.
    int64_t all = needed.fetch_add(count, std::memory_order_relaxed) + count;
    if (int64_t now = started.load(std::memory_order_relaxed); now < all)
      if (int64_t most = std::max(count, processors); now < most)
        start(std::min(all, most));
  }

  /// Ends such a computation.
  void dismiss(int64_t count) {
    needed.fetch_sub(count, std::memory_order_relaxed);
  }

  /// Tells those workers that are awake of a gate that is open.
  void ring() {
    int here = sched_getcpu();
    if (ringer.load(std::memory_order_relaxed) != here)
      ringer.store(here, std::memory_order_relaxed);
    bell.fetch_add(1);
  }

  /// Wakes workers that sleep. Two are enough: they wake the next ones.
  void wakeSome() {
    if (sleepers.load())
      wake(bell, 2);
  }

private:
  void start(int64_t count) {
    std::lock_guard<std::mutex> lock(starting);
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    auto run = [](void *self) -> void * {
      static_cast<Workers *>(self)->work();
      return nullptr;
    };
    // Where a thread cannot be had, the others compute its parts.
    pthread_t thread;
    while (started.load(std::memory_order_relaxed) < count &&
           isAddressSpaceFree(kMostStack) &&
           pthread_create(&thread, &detached, run, this) == 0)
      started.fetch_add(1, std::memory_order_relaxed);
    pthread_attr_destroy(&detached);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void work() {
    Distance distance;
    for (;;) {
      uint32_t heard = bell.load();
      if (void (*hook)() = workerHook.load(std::memory_order_relaxed))
        hook();
      // The processor that a worker listens on may be the one that the caller
      // needs.
      if (joinAny() || becomesTrue([&] { return bell.load() != heard; },
                                   [] { sched_yield(); }, kListening))
        continue;
      distance.keepFrom(ringer.load(std::memory_order_relaxed));
      ++sleepers;
      sleepOn(bell, heard);
      --sleepers;
      if (std::any_of(places.begin(), places.end(),
                      [](const Place &place) { return place.hasSeats(); }))
        wakeSome();
    }
  }

  bool joinAny() {
    bool joined = false;
    for (Place &place : places)
      joined |= place.join();
    return joined;
  }

  std::array<Place, 64> places;
  std::atomic<uint32_t> bell{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<int64_t> started{0};
  std::atomic<int64_t> needed{0};
  std::atomic<int> ringer{-1}; ///< The processor of the last caller.
  std::mutex starting;
  const int64_t processors = countProcessors();
  const int64_t online =
      sysconf(_SC_NPROCESSORS_ONLN); ///< The machine has these.
};
} // namespace

/// The workers; a forked process has none of its parent's, and gets its own.
static Workers &workers() {
  static std::atomic<Workers *> instance{nullptr};
  static std::atomic<int> forks{-1};
  static std::mutex &making = []() -> std::mutex & {
    auto *made = new std::mutex;
    holdAtFork(*made);
    return *made;
  }();
  int now = timesForked();
  if (forks.load(std::memory_order_acquire) != now) {
    std::lock_guard<std::mutex> lock(making);
    if (forks.load(std::memory_order_relaxed) != now) {
      instance.store(new Workers, std::memory_order_relaxed);
      forks.store(now, std::memory_order_release);
    }
  }
  return *instance.load(std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Times that decide who is woken
//===----------------------------------------------------------------------===//

namespace {
/// The history of computations, by the function that they call: of two that
/// share a place here, the last one.
class History {
public:
  static History &of(ComputePart compute) {
    static std::array<History, 256> all;
    // Functions begin at multiples of 16.
    return all[reinterpret_cast<uintptr_t>(compute) / 16 % all.size()];
  }

  /// Whether it pays to wake others at `now`: unless the computation is known
  /// to take little time, or if it is repeated so soon that whoever has been
  /// woken stays awake.
  bool isWorthWaking(ComputePart compute, Clock::time_point now) const {
    return last.load(std::memory_order_relaxed) != compute ||
           isLong.load(std::memory_order_relaxed) ||
           now - end.load(std::memory_order_relaxed) < kListening;
  }

  /// Remembers when a computation ended that takes one thread so much time.
  void remember(ComputePart compute, Clock::duration time,
                Clock::time_point now) {
    last.store(compute, std::memory_order_relaxed);
    isLong.store(time > kWorthWaking, std::memory_order_relaxed);
    end.store(now, std::memory_order_relaxed);
  }

private:
  std::atomic<ComputePart> last{nullptr};
  std::atomic<bool> isLong{false};
  std::atomic<Clock::time_point> end{Clock::time_point()};
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static thread_local Sharing sharing;

Sharing nacho::takeSharing() { return std::exchange(sharing, Sharing()); }

/// Adds to the parts of a slot, unless there is no memory for the number.
static void record(int64_t slot, int64_t parts) {
  try {
    if (slot >= int64_t(sharing.parts.size()))
      sharing.parts.resize(slot + 1);
    sharing.parts[slot] += parts;
  } catch (const std::bad_alloc &) {
  }
}

static thread_local std::optional<int64_t> onlyPart;

OnlyPart::OnlyPart(int64_t part) : before(std::exchange(onlyPart, part)) {}
OnlyPart::~OnlyPart() { onlyPart = before; }
bool OnlyPart::exists() { return onlyPart.has_value(); }

static void computeAlone(int64_t parts, ComputePart compute, void *context) {
  const StopWord &word = stopWord();
  for (int64_t part = 0; part < parts; ++part)
    compute(context, part, /*slot=*/0, &word);
  record(/*slot=*/0, parts);
}

static void computeTogether(Place &place, int64_t parts, int64_t threads,
                            ComputePart compute, void *context) {
  workers().enlist(threads - 1);
  place.open(parts, threads, compute, context);
  workers().ring();
  History &history = History::of(compute);
  Clock::time_point begin = Clock::now();
  bool wakes =
      parts < kManyParts * threads || history.isWorthWaking(compute, begin);
  bool isWoken = false;
  int64_t own = place.computeAsCaller([&] {
    if (isWoken || !(wakes || Clock::now() - begin > kWorthWaking))
      return;
    isWoken = true;
    workers().wakeSome();
  });
  Clock::time_point end = Clock::now();
  history.remember(compute, (end - begin) * parts / std::max<int64_t>(own, 1),
                   end);
  sharing.awaited += place.close();
  workers().dismiss(threads - 1);
  place.forThreads(record);
  place.release();
}

static thread_local PartCounts *countsOfThread = nullptr;

void PartCounts::stop() {
  isStopped = true;
  if (StopWord *of = word.load())
    of->store(1, std::memory_order_relaxed);
}

void nacho::countParts(PartCounts *counts) {
  if (countsOfThread)
    countsOfThread->word = nullptr;
  countsOfThread = counts;
  if (counts)
    counts->word = &stopWord();
}

bool nacho::areCountedStopped() {
  return countsOfThread && countsOfThread->isStopped.load();
}

namespace {
/// A computation whose parts are counted when they are done.
struct Counted {
  static void computePart(void *self, int64_t part, int64_t slot,
                          const StopWord *word) {
    const auto &counted = *static_cast<const Counted *>(self);
    counted.compute(counted.context, part, slot, word);
    counted.counts->done.fetch_add(1, std::memory_order_relaxed);
  }

  ComputePart compute;
  void *context;
  PartCounts *counts;
};
} // namespace

/// A place for a computation; null if all are taken, or there is no memory.
static Place *claimPlace() {
  try {
    return workers().claim();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

int64_t nacho::idleProcessors() { return workers().idleProcessors(); }

bool nacho::computeParts(int64_t parts, int64_t threads, ComputePart compute,
                         void *context) noexcept {
  if (onlyPart) {
    if (*onlyPart < parts)
      compute(context, *onlyPart, /*slot=*/0, &stopWord());
    return isSet(stopWord());
  }
  Counted counted = {compute, context, countsOfThread};
  if (counted.counts) {
    counted.counts->parts.fetch_add(parts, std::memory_order_relaxed);
    compute = &Counted::computePart;
    context = &counted;
  }
  threads = std::min({threads, parts, kMostThreads});
  if (Place *place = threads > 1 ? claimPlace() : nullptr)
    computeTogether(*place, parts, threads, compute, context);
  else
    computeAlone(parts, compute, context);
  return isSet(stopWord());
}

int32_t nacho::computePartsAt(int64_t parts, int64_t threads, int64_t compute,
                              int64_t context) noexcept {
  return computeParts(parts, threads, reinterpret_cast<ComputePart>(compute),
                      reinterpret_cast<void *>(context));
}
