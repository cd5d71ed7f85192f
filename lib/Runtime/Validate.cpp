//===- Validate.cpp - Validation of the arrays of a tensor ----------------===//

#include "Numbers.h"
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

/// The first coordinate of an entry that is not in the extent of its level.
template <typename Crd>
static std::optional<Fault> outside(const LevelEntries &of,
                                    const Crd *const *crds, int64_t p) {
  for (int64_t level = 0; level < of.levels; ++level) {
    int64_t coordinate = crds[level][of.stride * p];
    if (coordinate < 0 || coordinate >= of.extents[level])
      return Fault{p, level, Violation::range};
  }
  return std::nullopt;
}

/// The fault of an entry that is not greater than the one before it, and the
/// level that tells.
template <typename Crd>
static std::optional<Fault> outOfOrder(const LevelEntries &of,
                                       const Crd *const *crds, int64_t p) {
  for (int64_t level = 0; level < of.levels; ++level) {
    Crd last = crds[level][of.stride * (p - 1)];
    Crd coordinate = crds[level][of.stride * p];
    if (coordinate < last)
      return Fault{p, level, Violation::order};
    if (coordinate > last)
      return std::nullopt;
  }
  return Fault{p, of.levels - 1, Violation::duplicate};
}

template <typename Pos, typename Crd>
static std::optional<Fault> firstFault(const LevelEntries &of) {
  auto *pos = static_cast<const Pos *>(of.positions);
  auto *crds = reinterpret_cast<const Crd *const *>(of.coordinates);
  if (checkPositions(pos, of.fibers, of.entries) >= 0)
    return Fault{-1, -1, Violation::positions};
  Pauses pauses;
  for (int64_t fiber = 0; fiber < of.fibers; ++fiber) {
    auto [begin, end] = rangeOf(pos, fiber, of.entries);
    pauses.before(1);
    for (int64_t p = begin; p < end; ++p) {
      if ((p - begin) % kPauses == 0)
        pauses.before(std::min(end - p, kPauses));
      std::optional<Fault> fault = outside(of, crds, p);
      if (!fault && p > begin)
        fault = outOfOrder(of, crds, p);
      if (fault)
        return fault;
    }
  }
  return std::nullopt;
}

/// Fewer entries and fibers are checked in less time than it takes to wake
/// threads that sleep, as they do before a call.
static constexpr int64_t kWorthWaking = 1 << 20;

std::optional<Fault> nacho::findFault(const LevelEntries &of, int64_t threads) {
  if (of.entries + of.fibers < kWorthWaking)
    threads = 1;
  if (areInOrder(of, threads))
    return std::nullopt;
  throwIfSet(stopWord());
  return withNumbers(of.positionBytes, [&](auto *pos) {
    return withNumbers(of.coordinateBytes, [&](auto *crd) {
      return firstFault<std::remove_pointer_t<decltype(pos)>,
                        std::remove_pointer_t<decltype(crd)>>(of);
    });
  });
}

namespace nacho {
template int64_t checkPositions(const uint8_t *, int64_t, int64_t);
template int64_t checkPositions(const uint16_t *, int64_t, int64_t);
template int64_t checkPositions(const int32_t *, int64_t, int64_t);
template int64_t checkPositions(const int64_t *, int64_t, int64_t);
} // namespace nacho
