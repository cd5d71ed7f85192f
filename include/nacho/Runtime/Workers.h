//===- Workers.h - The parts of a computation, on several threads ---------===//
//
// The thread that calls begins at once and takes one part after the other.
// Workers that wake up meanwhile take the next ones. When no part is left, the
// caller waits for the parts that workers have begun, and for nothing else: a
// worker that the system does not run is not waited for. So a computation takes
// about as long as on one thread at most, whatever else the machine does.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_WORKERS_H
#define NACHO_RUNTIME_WORKERS_H

#include "nacho/Runtime/Stop.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace nacho {

/// Computes one part. `slot` is less than the number of threads; no two threads
/// have the same one at the same time. `word` is that of the calling thread.
using ComputePart = void (*)(void *context, int64_t part, int64_t slot,
                             const StopWord *word);

/// Calls `compute` once for each of the parts 0 to `parts` - 1, on the calling
/// thread and on up to `threads` - 1 workers. Returns whether a signal has set
/// the word of the calling thread: then the parts may be incomplete.
bool computeParts(int64_t parts, int64_t threads, ComputePart compute,
                  void *context) noexcept;

/// The same function for compiled code, which has the addresses as integers and
/// gets 0 or 1.
int32_t computePartsAt(int64_t parts, int64_t threads, int64_t compute,
                       int64_t context) noexcept;

/// Parts of one computation pass numbers on, each to the one after it. A part
/// waits until the number at an address, which was negative before, is there.
/// It is 0 for a part that is computed alone, and if the word at the other
/// address is set: the part before may not have passed any then.
int64_t awaitTurn(int64_t address, int64_t word) noexcept;
void passTurn(int64_t address, int64_t number) noexcept;

/// While one of these exists, computations of its thread compute one part only,
/// on this thread, and leave out the others.
class OnlyPart {
public:
  explicit OnlyPart(int64_t part);
  ~OnlyPart();
  OnlyPart(const OnlyPart &) = delete;
  /// Whether one of the calling thread exists.
  static bool exists();

private:
  std::optional<int64_t> before;
};

/// The number of processors that nothing runs on now, other than the calling
/// thread and workers: a worker finds one of those at once.
int64_t idleProcessors();

/// The activity of threads in computations of the calling thread.
struct Sharing {
  std::vector<int64_t> parts; ///< The number of parts of each thread, by slot.
  double awaited = 0; ///< The seconds that the caller waited for others.
};

/// Returns what was recorded since the last call of this function.
Sharing takeSharing();

/// How many parts a thread's computations have so far, and how many of these
/// are done. Any thread may read it, and stop the computations.
struct PartCounts {
  std::atomic<int64_t> parts{0};
  std::atomic<int64_t> done{0};
  /// Set if the computations shall not go on.
  std::atomic<bool> isStopped{false};
  /// The word of the thread whose computations are counted; null if none are.
  std::atomic<StopWord *> word{nullptr};

  /// Stops what the thread computes, if it is counted. That thread must not end
  /// meanwhile.
  void stop();
};

/// From now on, computations of the calling thread are counted by `counts`;
/// they are not counted if that is null.
void countParts(PartCounts *counts);

/// Whether what the calling thread computes is counted, and shall not go on.
bool areCountedStopped();

/// Each worker calls `hook` before it looks for a computation to join. For
/// tests: a worker that does not return from there is one that the system does
/// not run.
void setWorkerHook(void (*hook)());

} // namespace nacho

#endif // NACHO_RUNTIME_WORKERS_H
