//===- LaunchCounter.h - Counts of one launch -----------------------------===//

#ifndef NACHO_LIB_SIMULATOR_LAUNCHCOUNTER_H
#define NACHO_LIB_SIMULATOR_LAUNCHCOUNTER_H

#include "nacho/Simulator/KernelCounts.h"
#include "nacho/Simulator/Simulator.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nacho {

/// The place of a thread in the loops of its kernel: a hash of how often it has
/// begun each step of each loop around it.
class LoopPath {
public:
  void clear() {
    around.clear();
    path = 0;
  }
  void begin() { around.push_back({path, 0}); }
  void next();
  void end() {
    path = around.back().path;
    around.pop_back();
  }
  uint64_t hash() const { return path; }

private:
  struct Loop {
    uint64_t path; ///< The path of the loop itself.
    uint64_t steps;
  };
  std::vector<Loop> around;
  uint64_t path = 0;
};

/// The bytes of the device's memory that a launch has touched.
class TouchedBytes {
public:
  void clear() { pages.clear(); }
  void add(uint64_t address, uint64_t bytes);
  int64_t count() const;

private:
  static constexpr uint64_t kPage = 4096;
  std::unordered_map<uint64_t, std::array<uint64_t, kPage / 64>> pages;
};

/// A cache of an H100: that between the processors and the memory, or what a
/// block has of the one of its processor. The sectors that were accessed last
/// are in it. One that was stored is written to memory once, when others take
/// its place.
class SectorCache {
public:
  explicit SectorCache(int64_t bytes) { resize(bytes); }
  void resize(int64_t bytes) { capacity = bytes / 32; }
  void clear();
  /// Accesses a sector, and returns whether it was there.
  bool access(uint64_t sector, bool stores);
  /// The number of sectors that memory has given, or gets in the end.
  int64_t moved() const { return loaded + stored; }

private:
  struct Sector {
    int64_t last = 0; ///< `entered` when it was accessed last.
    bool isStored = false;
  };
  std::unordered_map<uint64_t, Sector> sectors;
  int64_t capacity;    ///< In sectors.
  int64_t entered = 0; ///< Sectors that were not there.
  int64_t loaded = 0, stored = 0;
};

/// Counts what the warps of a launch do. The lanes of a warp execute an
/// operation together if all of them are in the same step of each loop around
/// it: so they do on a GPU whose lanes go apart at branches and ends of loops,
/// and come together after these.
class LaunchCounter {
public:
  /// Begins a launch.
  void begin(const char *launched, int64_t numBlocks, int64_t numThreads,
             int64_t shared);

  struct Access {
    AccessKind kind;
    bool isShared;
    uint64_t address;
    int64_t bytes, waits;
  };

  /// A thread begins a block of `weight` operations.
  void addBlock(int64_t thread, uint64_t path, int64_t id, int64_t weight);
  void addAccess(int64_t thread, uint64_t path, int64_t id,
                 const Access &access);

  /// All threads of the block have met.
  void meet();
  /// All threads of the block have ended.
  void endBlock();
  /// Adds the launch to what countedKernels() returns, if it was counted.
  void end();

private:
  enum class What : uint8_t { block, read, write, atomic, shared };

  /// An action of a lane. Events of a warp with the same key are those of one
  /// instruction.
  struct Event {
    uint64_t key;
    uint64_t address; ///< Or the weight of a block.
    uint32_t bytes;
    uint8_t lane;
    What what;
    uint8_t waits;
  };
  struct Warp {
    std::vector<Event> events;
    int64_t issued = 0, farWaits = 0, nearWaits = 0;
  };
  using Events = std::vector<Event>::const_iterator;

  void add(int64_t thread, const Event &event);
  void combine(Warp &warp);
  void count(Warp &warp, Events begin, Events end);
  void countGlobal(Warp &warp, Events begin, Events end);
  /// Counts the lines of an instruction, without what is near, and the waits.
  void countLines(Warp &warp, const Event &event);
  void findSectors(Events begin, Events end);
  void countShared(Warp &warp, Events begin, Events end);

  const char *name = nullptr;
  int64_t blocks = 0, threads = 0;
  std::vector<Warp> warps;       ///< Warps of the block that runs.
  std::vector<uint64_t> scratch; ///< Sectors, or words of shared memory.
  TouchedBytes read, written;
  SectorCache cache{int64_t(50) << 20};
  SectorCache near{0};
  KernelCounts counts;
};

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_LAUNCHCOUNTER_H
