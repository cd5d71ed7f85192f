//===- Races.h - Races of threads on memory of a simulated GPU ------------===//
//
// Two threads may only access the same place if both read it, if both access it
// atomically, or if a barrier is between: one of their block or, for lanes of a
// warp, one of the warp. Between those of two blocks, there must be fences.
// What is found does not depend on the order in which threads run: an access is
// compared with the earlier ones of all threads, whichever came first.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_SIMULATOR_RACES_H
#define NACHO_LIB_SIMULATOR_RACES_H

#include "Fences.h"
#include "nacho/Simulator/Simulator.h"

#include <cstdint>
#include <string>

namespace nacho {

/// An access of a thread to memory.
struct Access {
  AccessKind kind;
  const char *site;
  int64_t block, thread;
  /// The number of times that its block has met at barriers so far, in all
  /// launches, and that its warp has.
  int64_t metInBlock, metInWarp;
  const Fences *fences = nullptr; ///< Null for memory that blocks do not share.

  /// Returns whether fences are between this and what another block did when it
  /// had met so often.
  bool isAfter(int64_t other, int64_t met) const {
    return fences && fences->isKnown(block, metInBlock, other, met);
  }
};

/// The accesses of one kind to a place.
class AccessRecord {
public:
  void add(const Access &access);
  bool conflictsWith(const Access &access) const;

  /// Returns whether only lanes of the warp of `access` are recorded.
  bool isOfWarp(const Access &access) const;
  /// Returns whether a block has accessed the place since it met so often.
  bool isSince(int64_t met) const { return metInBlock >= met; }
  /// Describes the last access by another thread than that of `access`.
  std::string shownBeside(const Access &access) const;

private:
  /// A thread, and the site at which it was.
  struct Who {
    const char *site = nullptr;
    int32_t block = 0, thread = 0;
  };
  bool isLast(const Access &access) const;

  int64_t metInBlock = -1, metInWarp = 0; ///< Those of the last access.
  Who last, before; ///< The last thread, and the last one but it.
  /// Set if there were other threads: lanes of the warp since that met last,
  /// other warps since the block did, other blocks.
  bool inWarp = false, inBlock = false, elsewhere = false;
};

/// The accesses to a place, by their kinds.
struct Place {
  AccessRecord read, written, atomic;

  AccessRecord &of(AccessKind kind);
};

/// Describes the thread and the site of an access.
std::string shown(const Access &access);

/// Describes a race on `memory` between an access and earlier ones.
std::string raceOn(const char *memory, const Access &access,
                   const AccessRecord &earlier);

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_RACES_H
