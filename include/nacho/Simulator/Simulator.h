//===- Simulator.h - A GPU that is simulated by the host ------------------===//
//
// Memory of the simulated device has two addresses. The host knows one at which
// nothing can be accessed; kernels access the memory at the other one, which is
// so many bytes away that neither can be mistaken for the other. So code of the
// host that accesses memory of a device does not work by chance.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_SIMULATOR_SIMULATOR_H
#define NACHO_SIMULATOR_SIMULATOR_H

#include "nacho/Runtime/DeviceError.h"

#include <cstddef>
#include <cstdint>

namespace nacho {

/// Memory of the simulated device was accessed where, or by whom, it cannot be.
struct DeviceFault : DeviceError {
  using DeviceError::DeviceError;
};

/// Calls compiled code, and throws DeviceFault if the code faults in memory of
/// the device. Such code is left where it is: it must not hold anything.
void callSimulated(void (*function)(const int64_t *words),
                   const int64_t *words);

/// The number of threads of a warp.
inline constexpr int64_t kLanes = 32;

/// The data that a thread of a kernel can ask for. Compiled code reads these
/// fields in this order.
struct SimulatedThread {
  int64_t block, thread;   ///< Its number, and the number of its block.
  int64_t blocks, threads; ///< The numbers of blocks, and of threads in each.
  /// The distance from an address that the host knows to the one of kernels.
  int64_t window;
  char *shared; ///< The shared memory of its block.
};

/// A kernel, which takes the arguments of a launch in a frame.
using SimulatedKernel = void (*)(const SimulatedThread *thread, void *frame);

/// Runs all threads of all blocks, one after the other, in an order that
/// depends on the environment variable NACHO_SIMULATOR_SEED: with 0, the
/// default, in the order of their numbers. If `meets` is not 0, threads may
/// wait for each other. Blocks have `shared` bytes of shared memory.
void simulateLaunch(SimulatedKernel kernel, const char *name, int64_t blocks,
                    int64_t threads, int64_t shared, int64_t meets,
                    void *frame) noexcept;

// Operations of threads with each other, and with memory. A site is the text of
// an operation; each operation has its own. What is wrong ends the call of
// callSimulated() with a DeviceFault that says where it was.

/// A kind of access to memory. Compiled code has these numbers.
enum class AccessKind : int64_t { read, write, atomic };

/// Notes that a thread is about to access shared memory, or memory of the
/// device at an address that the host knows. There, threads may write the same
/// to a word: `written` has the bytes of a write.
void accessShared(const SimulatedThread *thread, const char *site,
                  AccessKind kind, const char *at, int64_t bytes) noexcept;
void accessGlobal(const SimulatedThread *thread, const char *site,
                  AccessKind kind, uint64_t address, int64_t bytes,
                  const void *written) noexcept;

/// Notes that a thread is at a fence: what it tells other blocks atomically
/// from now on, they know after what it knows now.
void fenceDevice(const SimulatedThread *thread) noexcept;

/// Waits until all threads of the block, or those lanes of the warp whose bits
/// are in the mask, are at the same site. What they have written before is seen
/// by all, after a meeting of all lanes at least by those of the warp.
void meetBlock(const SimulatedThread *thread, const char *site) noexcept;
void meetWarp(const SimulatedThread *thread, const char *site,
              int64_t mask) noexcept;

/// The lane whose value a shuffle gives: lane ^ n, lane + n, lane - n, n.
enum class ShuffleMode : int64_t { exclusiveOr, down, up, index };

/// Returns the value that another of the first `width` lanes of the warp gives
/// at the same site. These lanes wait for each other.
int64_t shuffleInWarp(const SimulatedThread *thread, const char *site,
                      ShuffleMode mode, int64_t value, int64_t number,
                      int64_t width) noexcept;
/// Whether there was such a lane for the last shuffle of this thread.
int64_t isShuffled(const SimulatedThread *thread) noexcept;

/// Returns the value that another lane of the warp gives at the same site.
/// Those in the mask wait for each other; both lanes are among them.
int64_t askLane(const SimulatedThread *thread, const char *site, int64_t mask,
                int64_t value, int64_t number) noexcept;

/// Returns the bits of all lanes, by lane.
int64_t voteInWarp(const SimulatedThread *thread, const char *site,
                   int64_t mask, int64_t bit) noexcept;

/// Memory for compiled code. There is none if this is null.
void *takeSimulatedScratch(int64_t bytes) noexcept;
void returnSimulatedScratch(void *data, int64_t bytes) noexcept;

/// Memory of zeros for compiled code. The call ends if there is none.
void *takeSimulatedZeros(int64_t bytes) noexcept;
void returnSimulatedZeros(void *data, int64_t bytes) noexcept;

// The names by which compiled code calls simulateLaunch(), and what threads
// call.

inline constexpr char kLaunchSymbol[] = "nacho_launch";
inline constexpr char kAccessSharedSymbol[] = "nacho_access_shared";
inline constexpr char kMeetBlockSymbol[] = "nacho_meet_block";
inline constexpr char kMeetWarpSymbol[] = "nacho_meet_warp";
inline constexpr char kShuffleSymbol[] = "nacho_shuffle";
inline constexpr char kIsShuffledSymbol[] = "nacho_is_shuffled";
inline constexpr char kAskLaneSymbol[] = "nacho_ask_lane";
inline constexpr char kVoteSymbol[] = "nacho_vote";

/// Memory for kernels. What is beyond its end cannot be accessed. Throws
/// std::bad_alloc.
void *allocateSimulated(size_t bytes);
void releaseSimulated(void *data, size_t bytes) noexcept;

/// The address at which the host can access the memory of the device at `data`.
void *accessSimulated(void *data) noexcept;

} // namespace nacho

#endif // NACHO_SIMULATOR_SIMULATOR_H
