//===- Fences.h - What blocks of a launch know of each other ----*- C++ -*-===//
//
// What a thread has written, and what others have before a barrier, is known to
// those who read atomically what it writes atomically after a fence: after a
// fence of their own, and a barrier. They pass on what they know. Blocks run
// one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_SIMULATOR_FENCES_H
#define NACHO_LIB_SIMULATOR_FENCES_H

#include <cstdint>
#include <unordered_map>

namespace nacho {

/// Whether the accesses of other blocks lie before those of the one that runs.
/// Times are how often blocks have met at barriers, in all launches.
class Fences {
public:
  /// Forgets everything: a launch begins.
  void begin();
  /// A thread of the block gets to a fence.
  void fence(int64_t block, int64_t met);
  /// A thread of the block accesses a word atomically.
  void update(int64_t block, uint64_t word);

  /// Returns whether what another block did at a time is known to the block,
  /// which has met so often.
  bool isKnown(int64_t block, int64_t met, int64_t other,
               int64_t metOfOther) const;

private:
  /// The times, by block, before which everything is known.
  using Times = std::unordered_map<int64_t, int64_t>;
  static void merge(Times &times, const Times &more);
  static bool isBefore(const Times &times, int64_t block, int64_t met);
  void goOn(int64_t block);

  std::unordered_map<uint64_t, Times> told; ///< By words.
  // Members for the block that runs: `read` from words, `fenced` at its last
  // fence, and `known` after a barrier.
  int64_t running = -1, fencedAt = -1;
  Times read, fenced, known;
};

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_FENCES_H
