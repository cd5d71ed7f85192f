//===- Order.cpp - Checks of the order of entries -------------------------===//
//
// The arrays of operands may be edited while a kernel reads them, and then its
// result may have entries that are out of order or repeated. This check takes
// little time, since its loops are vectorised: it counts the neighbours that
// are not in order, wherever they are, and then those between fibers, which
// need not be in order. Coordinates are read once, block by block.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

using namespace nacho;

/// Fewer entries and fibers are checked by one thread in less time than several
/// threads need to begin.
static constexpr int64_t kWorthThreads = 1 << 15;
/// The number of entries that are checked at a time: their coordinates stay in
/// the first cache.
static constexpr int64_t kBlock = 1 << 11;

/// Inlined into functions for some machines, to use the vectors of these.
#define NACHO_INLINE inline __attribute__((always_inline))

namespace {

/// The coordinates of entries. `Levels` is how many an entry has, next to those
/// of its neighbours, or 0 if the compiler does not know that.
template <typename Crd, int64_t Levels>
class Tuples {
public:
  explicit Tuples(const ResultEntries &of)
      : levels(of.levels), stride(of.stride), extents(of.extents) {
    for (int64_t level = 0; level < std::min(levels, kKept); ++level)
      kept[level] = static_cast<const Crd *>(of.coordinates[level]);
    all = reinterpret_cast<const Crd *const *>(of.coordinates);
  }

  NACHO_INLINE bool isInOrder(int64_t p) const {
    // Numbers instead of conditions, so that the compiler sees no branches.
    int isLess = 0, isSame = 1;
    for (int64_t level = 0; level < numLevels(); ++level) {
      Crd here = at(level, p), next = at(level, p + 1);
      isLess |= isSame & int(here < next);
      isSame &= int(here == next);
    }
    return isLess;
  }
  /// Whether the coordinates of all entries of a block are in their extents.
  NACHO_INLINE bool isInRange(int64_t begin, int64_t end) const {
    // Negative coordinates are the largest numbers without a sign.
    using Unsigned = std::make_unsigned_t<Crd>;
    bool isInside = true;
    for (int64_t level = 0; level < numLevels(); ++level) {
      Unsigned most = 0;
      for (int64_t p = begin; p < end; ++p)
        most = std::max(most, static_cast<Unsigned>(at(level, p)));
      isInside &= begin == end || uint64_t(most) < uint64_t(extents[level]);
    }
    return isInside;
  }
  /// The number of entries of a block that are not in order with the next one.
  NACHO_INLINE int32_t countFaults(int64_t begin, int64_t end) const {
    // Narrow counts leave room for more of them in a vector.
    int32_t count = 0;
    for (int64_t p = begin; p < end; ++p)
      count += !isInOrder(p);
    return count;
  }

private:
  static constexpr int64_t kKept = 3;

  NACHO_INLINE int64_t numLevels() const { return Levels ? Levels : levels; }
  NACHO_INLINE Crd at(int64_t level, int64_t p) const {
    return Levels ? kept[level][p] : all[level][stride * p];
  }

  int64_t levels, stride;
  const int64_t *extents;
  const Crd *kept[kKept] = {};
  const Crd *const *all;
};

/// The result of a thread for its share.
struct Found {
  int64_t faults = 0;   ///< Neighbours in a fiber that are not in order.
  int64_t empty = 0;    ///< Fibers without entries.
  bool isInside = true; ///< All coordinates are in their extents.
};

} // namespace

template <typename Pos, typename Entries>
static NACHO_INLINE Found checkShare(const ResultEntries &of,
                                     const Entries &entries, int64_t t,
                                     int64_t threads, const StopWord &word) {
  auto *pos = static_cast<const Pos *>(of.positions);
  Found found;
  int64_t pairs = std::max<int64_t>(of.entries - 1, 0);
  int64_t last = evenBegin(of.entries, threads, t + 1);
  for (int64_t p = evenBegin(of.entries, threads, t); p < last; p += kBlock) {
    throwIfSet(word);
    int64_t end = std::min(last, p + kBlock);
    found.faults += entries.countFaults(p, std::min(end, pairs));
    found.isInside &= entries.isInRange(p, end);
  }
  // Without branches, since nobody can predict which fibers are empty.
  int64_t between = 0, end = pairs ? evenBegin(of.fibers, threads, t + 1) : 0;
  for (int64_t f = evenBegin(of.fibers, threads, t); f < end; ++f) {
    int64_t p = pos[f], pair = std::clamp<int64_t>(p - 1, 0, pairs - 1);
    int hasPair = int(p > 0) & int(p < int64_t(pos[f + 1]));
    between += hasPair & int(!entries.isInOrder(pair));
    found.empty += int(p == int64_t(pos[f + 1]));
  }
  found.faults -= between;
  return found;
}

#ifdef __x86_64__
/// The same with wider vectors, for machines that have them.
template <typename Pos, typename Entries>
__attribute__((target("avx2"))) static Found
checkShareInVectors(const ResultEntries &of, const Entries &entries, int64_t t,
                    int64_t threads, const StopWord &word) {
  return checkShare<Pos>(of, entries, t, threads, word);
}
#endif

template <typename Pos, typename Entries>
static Found checkBestShare(const ResultEntries &of, const Entries &entries,
                            int64_t t, int64_t threads, const StopWord &word) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2"))
    return checkShareInVectors<Pos>(of, entries, t, threads, word);
#endif
  return checkShare<Pos>(of, entries, t, threads, word);
}

template <typename Pos, typename Entries>
static bool areOrdered(const ResultEntries &of, const Entries &entries,
                       int64_t threads) {
  // The positions come first: the rest relies on them.
  if (checkPositions(static_cast<const Pos *>(of.positions), of.fibers,
                     of.entries) >= 0 ||
      (of.areNonempty && of.fibers > of.entries))
    return false;
  if (of.entries + of.fibers < kWorthThreads)
    threads = 1;
  std::atomic<bool> isInside = true;
  std::atomic<int64_t> faults = 0;
  const StopWord &word = stopWord();
  onThreads(threads, [&](int64_t t) {
    Found found = checkBestShare<Pos>(of, entries, t, threads, word);
    faults += found.faults + (of.areNonempty ? found.empty : 0);
    if (!found.isInside)
      isInside = false;
  });
  return isInside && faults == 0;
}

/// Calls `f` with a null pointer to numbers of so many bytes. Narrow numbers
/// have no sign; wide ones are compared faster with one, and never need it.
template <typename F>
static bool withNumbers(int64_t bytes, F f) {
  switch (bytes) {
  case 1:
    return f(static_cast<uint8_t *>(nullptr));
  case 2:
    return f(static_cast<uint16_t *>(nullptr));
  case 4:
    return f(static_cast<int32_t *>(nullptr));
  default:
    return f(static_cast<int64_t *>(nullptr));
  }
}

static bool checkOrder(const ResultEntries &of, int64_t threads) {
  return withNumbers(of.positionBytes, [&](auto *pos) {
    using Pos = std::remove_pointer_t<decltype(pos)>;
    return withNumbers(of.coordinateBytes, [&](auto *crd) {
      using Crd = std::remove_pointer_t<decltype(crd)>;
      switch (of.stride == 1 ? of.levels : 0) {
      case 1:
        return areOrdered<Pos>(of, Tuples<Crd, 1>(of), threads);
      case 2:
        return areOrdered<Pos>(of, Tuples<Crd, 2>(of), threads);
      case 3:
        return areOrdered<Pos>(of, Tuples<Crd, 3>(of), threads);
      default:
        return areOrdered<Pos>(of, Tuples<Crd, 0>(of), threads);
      }
    });
  });
}

bool nacho::areInOrder(const ResultEntries &of, int64_t threads) {
  try {
    return checkOrder(of, threads);
  } catch (const Stopped &) {
    return false;
  }
}
