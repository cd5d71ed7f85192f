//===- SimulatedBlock.h - The threads of a simulated block ----------------===//

#ifndef NACHO_LIB_SIMULATOR_SIMULATEDBLOCK_H
#define NACHO_LIB_SIMULATOR_SIMULATEDBLOCK_H

#include "Coroutine.h"
#include "GlobalMemory.h"
#include "LaunchCounter.h"
#include "SharedMemory.h"
#include "nacho/Simulator/Simulator.h"

#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <string>

namespace nacho {

class SimulatedBlock;

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

/// One thread of a block that is simulated.
struct Lane : SimulatedThread {
  enum State { ready, atWarp, atBlock, ended };

  SimulatedBlock *owner = nullptr;
  State state = ready;
  const char *site = nullptr; ///< The site at which it waits.
  /// The value that it gives to its warp, the lanes that it waits for, as bits,
  /// and the thread whose value it asks for.
  int64_t value = 0, mask = 0, asked = 0;
  /// The results when the warp meets: that thread's value, a bit of each lane.
  int64_t answer = 0, votes = 0;
  bool isBarrier = false; ///< Whether it waits for what others have written.
  bool isValid = false;   ///< Whether its last shuffle had a lane to ask.
  int64_t metInWarp = 0;
  LoopPath path;
  /// Only threads that wait for each other have a stack of their own.
  std::optional<Coroutine> coroutine;

  static Lane &of(const SimulatedThread *thread) {
    return *static_cast<Lane *>(const_cast<SimulatedThread *>(thread));
  }
};

/// Runs the blocks of launches, one after the other.
class SimulatedBlock {
public:
  /// The one of the calling thread.
  static SimulatedBlock &ofThread();

  struct Launch {
    SimulatedKernel kernel;
    const char *name;
    int64_t blocks, threads, shared;
    bool meets;
    void *frame;
    uint64_t seed; ///< That of the order of threads.
    int64_t window;
  };

  void begin(const Launch &begun);
  /// Runs all threads of a block, unless a signal stops it. Returns whether
  /// nothing was wrong.
  bool run(int64_t block);
  /// Ends a launch of which all blocks have been run.
  void end() { counter.end(); }
  /// The message about what was wrong.
  std::string error() const;

  /// Lets a thread wait for others.
  void wait(Lane &lane, Lane::State state, const char *site);
  /// Notes an access to shared memory, or to that of the device. Returns
  /// whether nothing was wrong.
  bool accessShared(const Lane &lane, const char *site, AccessKind kind,
                    const char *at, int64_t bytes);
  bool accessGlobal(const Lane &lane, const char *site, AccessKind kind,
                    uint64_t address, int64_t bytes, const void *written);
  /// Notes that a thread gets to a fence.
  void fence() { global.fence(number, metInBlock); }
  /// Leaves a thread after something was wrong.
  [[noreturn]] void leave(Lane &lane);

  LaunchCounter counter;

  static constexpr int64_t kMostThreads = 1024;

private:
  bool runTogether();
  void restart(Lane &lane);
  /// Runs the lanes of a warp until all have ended or wait for the block.
  /// Returns whether nothing was wrong.
  bool runWarp(int64_t first, int64_t end, const Order &order);
  /// Lets lanes of a warp go on that wait for each other. Returns whether there
  /// are some, and nothing was wrong.
  bool meetWarp(int64_t first, int64_t end);
  /// Lets lanes go on that wait for each other; or else something is wrong.
  void meetWarp(const Lane &waiting, int64_t first, int64_t end);
  void exchange(int64_t mask, int64_t first, int64_t end);
  void meetBlock();
  /// Notes that a thread waits for another one that is not where it is.
  void diverge(const Lane &waiting, const Lane &missing);
  std::string shown(const Lane &lane) const;

  std::optional<Launch> launch;
  int64_t number = 0;     ///< The block's number.
  std::deque<Lane> lanes; ///< Their stacks are used again.
  SharedMemory shared;
  GlobalMemory global;
  int64_t metInBlock = 0; ///< Meetings in all launches.
  std::string wrong;      ///< Empty if all is right.
};

/// Ends the call of callSimulated() with what is wrong in the block of the
/// calling thread.
[[noreturn]] void failSimulated() noexcept;

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_SIMULATEDBLOCK_H
