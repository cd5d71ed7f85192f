//===- Runtime.h - What runs beside a kernel ------------------------------===//
//
// No MLIR in here: a kernel that comes from a cache needs nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_H
#define NACHO_RUNTIME_H

#include <cstdint>

namespace nacho {

//===----------------------------------------------------------------------===//
// Sorting and sums
//===----------------------------------------------------------------------===//

/// values[n] += values[n - 1], for n = 1, 2, ...
void prefixSum(int64_t *values, int64_t size, int64_t threads) noexcept;

/// Sorts entries by their first `keys` columns of coordinates, stably. For each
/// column three numbers: the address of its array, the bytes of an element, and
/// the extent, which no coordinate of a key reaches. The other columns and the
/// values go along. The status of a kernel.
int32_t sortEntries(const int64_t *columns, int64_t numColumns, int64_t keys,
                    void *values, int64_t valueBytes, int64_t entries,
                    int64_t threads) noexcept;

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

/// The index of the first violation of: pos[0] = 0, pos monotone,
/// pos[length] = entries; -1 if there is none.
template <typename Index>
int64_t checkPositions(const Index *pos, int64_t length, int64_t entries);

enum class Violation { none, range, order, duplicate };

/// The first entry that is not in [0, extent) or does not come after the one
/// before it in its fiber. The positions must be valid, but may be edited
/// meanwhile.
template <typename Pos, typename Crd>
int64_t checkCoordinates(const Pos *pos, int64_t fibers, const Crd *crd,
                         int64_t entries, int64_t extent, Violation &violation);

/// The same for levels whose entries are tuples, as those of coo: the first
/// entry of which a coordinate is not in the extent of its level, or which does
/// not come after the one before it in its fiber, lexicographically. `level` is
/// the number of the level that shows it. The coordinates of a level are
/// `stride` elements apart.
template <typename Pos, typename Crd>
int64_t checkTuples(const Pos *pos, int64_t fibers, const Crd *const *crds,
                    int64_t stride, int64_t entries, const int64_t *extents,
                    int64_t levels, int64_t &level, Violation &violation);

} // namespace nacho

#endif // NACHO_RUNTIME_H
