//===- Order.cpp - Are the entries of a result in order? ------------------===//
//
// The arrays of operands may be edited while a kernel reads them, and then its
// result may have entries that are out of order or repeated. This check takes
// little time, since its loops are vectorised: it counts the neighbours that
// are not in order, wherever they are, and then those between fibers, which
// need not be in order.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <atomic>
#include <limits>

using namespace nacho;

/// Fewer entries and fibers are checked by one thread in less time than several
/// threads need to begin.
static constexpr int64_t kWorthThreads = 1 << 15;
static constexpr int64_t kBlock = 1 << 16;

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

  bool isInOrder(int64_t p) const {
    // Numbers instead of conditions, so that the compiler sees no branches.
    int isLess = 0, isSame = 1;
    for (int64_t level = 0; level < numLevels(); ++level) {
      Crd here = at(level, p), next = at(level, p + 1);
      isLess |= isSame & int(here < next);
      isSame &= int(here == next);
    }
    return isLess;
  }
  bool isInRange(int64_t begin, int64_t end) const {
    int isOutside = 0;
    for (int64_t level = 0; level < numLevels(); ++level) {
      auto most = static_cast<Crd>(std::min<int64_t>(
          extents[level] - 1, std::numeric_limits<Crd>::max()));
      for (int64_t p = begin; p < end; ++p)
        isOutside |= int(at(level, p) < 0) | int(at(level, p) > most);
    }
    return !isOutside;
  }

private:
  static constexpr int64_t kKept = 3;

  int64_t numLevels() const { return Levels ? Levels : levels; }
  Crd at(int64_t level, int64_t p) const {
    return Levels ? kept[level][p] : all[level][stride * p];
  }

  int64_t levels, stride;
  const int64_t *extents;
  const Crd *kept[kKept] = {};
  const Crd *const *all;
};

} // namespace

template <typename Pos, typename Entries>
static bool areOrdered(const ResultEntries &of, const Entries &entries,
                       int64_t threads) {
  auto *pos = static_cast<const Pos *>(of.positions);
  // The positions come first: the rest relies on them.
  if (checkPositions(pos, of.fibers, of.entries) >= 0 ||
      (of.areNonempty && of.fibers > of.entries))
    return false;
  int64_t pairs = std::max<int64_t>(of.entries - 1, 0);
  if (of.entries + of.fibers < kWorthThreads)
    threads = 1;
  std::atomic<bool> isInside = true;
  std::atomic<int64_t> faults = 0;
  const StopWord &word = stopWord();
  onThreads(threads, [&](int64_t t) {
    int64_t count = 0, end = evenBegin(pairs, threads, t + 1);
    for (int64_t p = evenBegin(pairs, threads, t); p < end;) {
      throwIfSet(word);
      // Narrow counts leave room for more of them in a vector.
      int32_t some = 0;
      for (int64_t to = std::min(end, p + kBlock); p < to; ++p)
        some += !entries.isInOrder(p);
      count += some;
    }
    // Without branches, since nobody can predict which fibers are empty.
    int64_t between = 0, empty = 0;
    end = pairs ? evenBegin(of.fibers, threads, t + 1) : 0;
    for (int64_t f = evenBegin(of.fibers, threads, t); f < end; ++f) {
      int64_t p = pos[f], pair = std::clamp<int64_t>(p - 1, 0, pairs - 1);
      int hasPair = int(p > 0) & int(p < int64_t(pos[f + 1]));
      between += hasPair & int(!entries.isInOrder(pair));
      empty += int(p == int64_t(pos[f + 1]));
    }
    faults += count - between + (of.areNonempty ? empty : 0);
    inPieces(evenBegin(of.entries, threads, t),
             evenBegin(of.entries, threads, t + 1), word,
             [&](int64_t first, int64_t last) {
               if (!entries.isInRange(first, last))
                 isInside = false;
             });
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
