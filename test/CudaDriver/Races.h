//===- Races.h - Who accesses memory of the device in a launch ------------===//
//
// Two threads of a launch may only access the same word if both read it, if
// both access it atomically, or write the same, or if a barrier is between: one
// of their block or, for lanes of a warp, one of the warp. Lanes of a warp may
// also read what others access atomically: each reads a bit that is its own.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_TEST_RACES_H
#define NACHO_TEST_RACES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ptx {

enum class AccessKind { read, write, atomic };

/// When and by whom memory is accessed.
struct Access {
  AccessKind kind;
  int64_t block, thread;
  /// How often the block has met at barriers, and how often the warp has.
  int64_t metInBlock, metInWarp;
  size_t line; ///< Of the text of the kernels.
};

/// Who has accessed which word of memory in the launch that runs.
class Races {
public:
  /// Notes an access to some bytes from an address on, which get `written` if
  /// they are written. Throws Error if another thread's access is in conflict.
  /// What is smaller than a word is not noted: others may access the rest of
  /// it.
  void note(const Access &access, uint64_t address, size_t bytes,
            const void *written);

private:
  /// The accesses of one kind to a word.
  struct Record {
    Access last{};
    bool isSome = false;
    /// Whether there were other threads, too: lanes of the warp since that met
    /// last, other warps since the block did, other blocks.
    bool inWarp = false, inBlock = false, elsewhere = false;

    bool conflictsWith(const Access &access) const;
    void add(const Access &access);
  };
  struct Word {
    Record read, written, atomic;
    uint32_t value = 0; ///< What was written last.
  };

  const Record *conflict(const Word &word, const Access &access,
                         uint32_t value) const;

  std::unordered_map<uint64_t, Word> words;
};

} // namespace ptx

#endif // NACHO_TEST_RACES_H
