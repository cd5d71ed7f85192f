//===- Validate.cpp - Validation of the arrays of a tensor ----------------===//

#include "Threads.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <type_traits>
#include <utility>

using namespace nacho;

template <typename Index>
int64_t nacho::checkPositions(const Index *pos, int64_t length,
                              int64_t entries) {
  if (pos[0] != 0)
    return 0;
  bool ordered = true;
  inPieces(0, length, stopWord(), [&](int64_t i, int64_t end) {
    // The compiler vectorises this loop since it has no early exit.
    for (; i < end; ++i)
      ordered &= pos[i] <= pos[i + 1];
  });
  if (!ordered)
    for (int64_t i = 0; i < length; ++i)
      if (pos[i] > pos[i + 1])
        return i + 1;
  return pos[length] == entries ? -1 : length;
}

/// The begin and the end of a fiber, clamped to the entries, since other
/// threads may edit positions that have been checked.
template <typename Pos>
static std::pair<int64_t, int64_t> rangeOf(const Pos *pos, int64_t fiber,
                                           int64_t entries) {
  // Each position is read only once, so that the value clamped is the one used.
  int64_t begin = __atomic_load_n(&pos[fiber], __ATOMIC_RELAXED);
  int64_t end = __atomic_load_n(&pos[fiber + 1], __ATOMIC_RELAXED);
  begin = std::clamp<int64_t>(begin, 0, entries);
  return {begin, std::clamp(end, begin, entries)};
}

/// The entries of a long fiber that are checked at a time; a power of two.
static constexpr int64_t kPauses = 1 << 16;

namespace {
/// Lets a check be stopped every few milliseconds.
class Pauses {
public:
  /// Counts entries, or fibers, that come next. Throws Stopped.
  void before(int64_t count) {
    if ((left -= count) >= 0)
      return;
    throwIfSet(word);
    left = kPiece;
  }

private:
  const StopWord &word = stopWord();
  int64_t left = kPiece;
};
} // namespace

template <typename Pos, typename Crd>
int64_t nacho::checkCoordinates(const Pos *pos, int64_t fibers, const Crd *crd,
                                int64_t entries, int64_t extent,
                                Violation &violation) {
  violation = Violation::none;
  Pauses pauses;
  for (int64_t fiber = 0; fiber < fibers; ++fiber) {
    auto [begin, end] = rangeOf(pos, fiber, entries);
    pauses.before(1);
    int64_t last = -1;
    for (int64_t p = begin; p < end; ++p) {
      if ((p - begin) % kPauses == 0)
        pauses.before(std::min(end - p, kPauses));
      int64_t coordinate = crd[p];
      if (coordinate > last && coordinate < extent) {
        last = coordinate;
        continue;
      }
      violation = coordinate < 0 || coordinate >= extent ? Violation::range
                  : coordinate == last                   ? Violation::duplicate
                                                         : Violation::order;
      return p;
    }
  }
  return -1;
}

/// Whether the coordinates at index `p` of every array lie in the extents of
/// their levels. If not, `level` is the first one that does not.
template <typename Crd>
static bool isInRange(const Crd *const *crds, const int64_t *extents,
                      int64_t levels, int64_t p, int64_t &level) {
  for (level = 0; level < levels; ++level)
    if (crds[level][p] < 0 || crds[level][p] >= extents[level])
      return false;
  return true;
}

/// The violation of the order by the tuple at `p`, given the tuple at `before`.
/// `level` becomes the level that tells.
template <typename Crd>
static Violation compareWithLast(const Crd *const *crds, int64_t levels,
                                 int64_t before, int64_t p, int64_t &level) {
  for (level = 0; level < levels; ++level) {
    Crd last = crds[level][before], coordinate = crds[level][p];
    if (coordinate != last)
      return coordinate > last ? Violation::none : Violation::order;
  }
  level = levels - 1;
  return Violation::duplicate;
}

/// `stride` is an int64_t, or an integral_constant so that the compiler knows
/// it.
template <typename Pos, typename Crd, typename Stride>
static int64_t
checkTuplesApart(const Pos *pos, int64_t fibers, const Crd *const *crds,
                 Stride stride, int64_t entries, const int64_t *extents,
                 int64_t levels, int64_t &level, Violation &violation) {
  Pauses pauses;
  for (int64_t fiber = 0; fiber < fibers; ++fiber) {
    auto [begin, end] = rangeOf(pos, fiber, entries);
    pauses.before(1);
    for (int64_t p = begin; p < end; ++p) {
      if ((p - begin) % kPauses == 0)
        pauses.before(std::min(end - p, kPauses));
      violation = Violation::range;
      if (!isInRange(crds, extents, levels, stride * p, level))
        return p;
      if (p == begin)
        continue;
      violation =
          compareWithLast(crds, levels, stride * (p - 1), stride * p, level);
      if (violation != Violation::none)
        return p;
    }
  }
  violation = Violation::none;
  level = -1;
  return -1;
}

template <typename Pos, typename Crd>
int64_t
nacho::checkTuples(const Pos *pos, int64_t fibers, const Crd *const *crds,
                   int64_t stride, int64_t entries, const int64_t *extents,
                   int64_t levels, int64_t &level, Violation &violation) {
  if (stride == 1)
    return checkTuplesApart(pos, fibers, crds,
                            std::integral_constant<int64_t, 1>(), entries,
                            extents, levels, level, violation);
  return checkTuplesApart(pos, fibers, crds, stride, entries, extents, levels,
                          level, violation);
}

namespace nacho {
template int64_t checkPositions(const uint8_t *, int64_t, int64_t);
template int64_t checkPositions(const uint16_t *, int64_t, int64_t);
template int64_t checkPositions(const int32_t *, int64_t, int64_t);
template int64_t checkPositions(const int64_t *, int64_t, int64_t);
template int64_t checkCoordinates(const int32_t *, int64_t, const int32_t *,
                                  int64_t, int64_t, Violation &);
template int64_t checkCoordinates(const int32_t *, int64_t, const int64_t *,
                                  int64_t, int64_t, Violation &);
template int64_t checkCoordinates(const int64_t *, int64_t, const int32_t *,
                                  int64_t, int64_t, Violation &);
template int64_t checkCoordinates(const int64_t *, int64_t, const int64_t *,
                                  int64_t, int64_t, Violation &);
template int64_t checkTuples(const int32_t *, int64_t, const int32_t *const *,
                             int64_t, int64_t, const int64_t *, int64_t,
                             int64_t &, Violation &);
template int64_t checkTuples(const int32_t *, int64_t, const int64_t *const *,
                             int64_t, int64_t, const int64_t *, int64_t,
                             int64_t &, Violation &);
template int64_t checkTuples(const int64_t *, int64_t, const int32_t *const *,
                             int64_t, int64_t, const int64_t *, int64_t,
                             int64_t &, Violation &);
template int64_t checkTuples(const int64_t *, int64_t, const int64_t *const *,
                             int64_t, int64_t, const int64_t *, int64_t,
                             int64_t &, Violation &);
} // namespace nacho
