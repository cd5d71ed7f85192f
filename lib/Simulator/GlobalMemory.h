//===- GlobalMemory.h - Accesses to memory that all blocks share ----------===//

#ifndef NACHO_LIB_SIMULATOR_GLOBALMEMORY_H
#define NACHO_LIB_SIMULATOR_GLOBALMEMORY_H

#include "Races.h"

#include <array>
#include <string>
#include <unordered_map>

namespace nacho {

/// The accesses of a launch to the memory of the device, by words. Threads may
/// also write the same to a word, and lanes of a warp may read what others
/// access atomically: each reads a bit that is its own.
class GlobalMemory {
public:
  /// Forgets all accesses: a launch begins.
  void begin() {
    pages.clear();
    fences.begin();
  }
  /// A thread of a block, which has met so often, gets to a fence.
  void fence(int64_t block, int64_t met) { fences.fence(block, met); }

  /// Notes an access to some bytes, which get `written` if that is not null.
  /// Returns what is wrong with it; nothing if it is right. Accesses to less
  /// than a word are not noted: others may access the rest of it.
  std::string note(Access access, uint64_t address, uint64_t bytes,
                   const void *written);

private:
  struct Word : Place {
    uint32_t value = 0; ///< The value that was written last.
  };
  static const AccessRecord *conflict(const Word &word, const Access &access,
                                      uint32_t value);

  /// Threads that run after each other often access neighbouring words.
  static constexpr uint64_t kWordsOfPage = 16;
  std::unordered_map<uint64_t, std::array<Word, kWordsOfPage>> pages;
  Fences fences;
};

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_GLOBALMEMORY_H
