//===- Runtime.h - Functions that run beside kernels ----------------------===//
//
// The functions that compiled kernels call, and checks of operands. This file
// includes nothing of MLIR, so that a kernel from a cache runs without it.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_H
#define NACHO_RUNTIME_H

#include <cstdint>
#include <optional>

namespace nacho {

//===----------------------------------------------------------------------===//
// Sorting and sums
//===----------------------------------------------------------------------===//

/// values[n] += values[n - 1], for n = 1, 2, ..., where each value is an
/// integer of so many bytes, 4 or 8.
void prefixSum(void *values, int64_t bytes, int64_t size,
               int64_t threads) noexcept;

/// Counts one iteration of a loop of a kernel that was compiled with the option
/// `count-steps`.
void countStep() noexcept;
/// The number of iterations that all kernels have counted so far.
int64_t countedSteps() noexcept;

/// Sorts entries, stably, by their coordinates in the first `keys` columns. The
/// other columns and the values are permuted alike. `columns` has three numbers
/// for each column: the address of its array, the bytes of an element, and the
/// extent, which is told but not looked at: coordinates may be above it.
/// Returns the status of a kernel.
int32_t sortEntries(const int64_t *columns, int64_t numColumns, int64_t keys,
                    void *values, int64_t valueBytes, int64_t entries,
                    int64_t threads) noexcept;

//===----------------------------------------------------------------------===//
// Validation. Checks throw Stopped if the word of the thread is set (Stop.h).
//===----------------------------------------------------------------------===//

/// Checks that pos[0] = 0, pos is monotone, and pos[length] = entries. Returns
/// the index of the first violation, or -1 if there is none.
template <typename Index>
int64_t checkPositions(const Index *pos, int64_t length, int64_t entries);

/// The entries of a level, or of levels that have entries in common, as in the
/// coo format.
struct LevelEntries {
  const void *positions;
  int64_t positionBytes, fibers;
  const void *const *coordinates; ///< An array for each level.
  int64_t coordinateBytes, stride, levels, entries;
  const int64_t *extents; ///< One for each level.
  /// No fiber is empty: each is that of an entry, which is only there for it.
  bool areNonempty = false;
};

/// Whether the positions are valid, all coordinates are inside their extents,
/// the entries of each fiber are in order and distinct, and no fiber is empty
/// that must not be. False also if the check was stopped (see Stop.h). Other
/// threads may edit the arrays meanwhile.
bool areInOrder(const LevelEntries &of, int64_t threads);

enum class Violation { positions, range, order, duplicate };

/// An entry with a coordinate outside the extent of its level, or that is not
/// lexicographically greater than the entry before in the same fiber; or
/// positions that are not valid.
struct Fault {
  int64_t entry, level; ///< The level tells.
  Violation violation;
};

/// The first fault of entries, if areInOrder finds that there is one. Fibers
/// may be empty.
std::optional<Fault> findFault(const LevelEntries &of, int64_t threads);

} // namespace nacho

#endif // NACHO_RUNTIME_H
