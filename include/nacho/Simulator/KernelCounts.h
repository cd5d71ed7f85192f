//===- KernelCounts.h - Counts of a simulated GPU -------------------------===//

#ifndef NACHO_SIMULATOR_KERNELCOUNTS_H
#define NACHO_SIMULATOR_KERNELCOUNTS_H

#include "nacho/Simulator/Simulator.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nacho {

/// The counts of launches of simulated kernels. What they take on a GPU is
/// predicted by python/nacho/_kernels/gpu_model.py.
struct KernelCounts {
  int64_t launches = 0, warps = 0;
  int64_t blocks = 0;
  int64_t threads = 0; ///< Those of a block, summed over launches.
  /// Sectors of 32 bytes of global memory that instructions of warps touch.
  int64_t sectorsLoaded = 0, sectorsStored = 0;
  /// Sectors that the cache of an H100 exchanges with its memory for these.
  int64_t sectorsMoved = 0;
  /// The bytes that a launch loads and stores, however often.
  int64_t bytesLoaded = 0, bytesStored = 0;
  /// Lines of 128 bytes that instructions touch, without those sectors that
  /// their block has loaded recently: these are near, in its share of the
  /// cache of its processor.
  int64_t lines = 0;
  int64_t sharedAccesses = 0; ///< Instructions of warps.
  /// The turns that conflicts in shared memory add to these.
  int64_t bankConflicts = 0;
  int64_t atomics = 0; ///< Those of threads on global memory.
  /// Instructions, and how many lanes of them do something.
  int64_t issued = 0, useful = 0;
  /// How often warps wait for loads, times kWaitsTogether: for those of such
  /// lines; and for those of what is near, or in shared memory.
  int64_t farWaits = 0, nearWaits = 0;
  /// The most instructions, and waits, of a warp of each launch.
  int64_t longest = 0, longestFarWaits = 0, longestNearWaits = 0;

  /// The number of steps of a loop that wait together.
  static constexpr int64_t kWaitsTogether = 4;

  KernelCounts &operator+=(const KernelCounts &other);
};

/// The counts of all launches of this process so far, by the names of kernels,
/// in the order in which they were launched first.
std::vector<std::pair<std::string, KernelCounts>> countedKernels();

/// Adds the counts of a launch.
void addCounts(const char *kernel, const KernelCounts &launch);

// Functions that threads of counted kernels call; the names by which compiled
// code calls these functions; and numbers of blocks and accesses, which are
// unique in a kernel.

inline constexpr char kCountBlockSymbol[] = "nacho_count_block";
inline constexpr char kCountAccessSymbol[] = "nacho_count_access";
inline constexpr char kBeginLoopSymbol[] = "nacho_begin_loop";
inline constexpr char kNextStepSymbol[] = "nacho_next_step";
inline constexpr char kEndLoopSymbol[] = "nacho_end_loop";

/// The thread executes a block of `weight` instructions.
void countBlock(const SimulatedThread *thread, int64_t id,
                int64_t weight) noexcept;
/// The thread accesses memory, and waits so often for what it loads: less than
/// kWaitsTogether times if several steps of a loop wait together.
void countAccess(const SimulatedThread *thread, int64_t id, AccessKind kind,
                 int64_t isShared, int64_t address, int64_t bytes,
                 int64_t waits) noexcept;
void beginLoop(const SimulatedThread *thread) noexcept;
void nextStep(const SimulatedThread *thread) noexcept;
void endLoop(const SimulatedThread *thread) noexcept;

} // namespace nacho

#endif // NACHO_SIMULATOR_KERNELCOUNTS_H
