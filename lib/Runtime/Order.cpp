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

namespace {

/// The coordinates of entries that have one.
template <typename Crd>
class Singles {
public:
  explicit Singles(const ResultEntries &of)
      : crd(static_cast<const Crd *>(of.coordinates[0])),
        most(std::min<int64_t>(of.extents[0] - 1,
                               std::numeric_limits<Crd>::max())) {}

  bool isInOrder(int64_t p) const { return crd[p] < crd[p + 1]; }
  bool isInRange(int64_t begin, int64_t end) const {
    bool isInside = true;
    for (int64_t p = begin; p < end; ++p)
      isInside &= (crd[p] >= 0) & (crd[p] <= most);
    return isInside;
  }

private:
  const Crd *crd;
  Crd most;
};

/// The coordinates of entries that have several.
template <typename Crd>
class Tuples {
public:
  explicit Tuples(const ResultEntries &of) : of(of) {}

  bool isInOrder(int64_t p) const {
    bool isLess = false, isSame = true;
    for (int64_t level = 0; level < of.levels; ++level) {
      Crd here = at(level, p), next = at(level, p + 1);
      isLess |= isSame & (here < next);
      isSame &= here == next;
    }
    return isLess;
  }
  bool isInRange(int64_t begin, int64_t end) const {
    bool isInside = true;
    for (int64_t level = 0; level < of.levels; ++level)
      for (int64_t p = begin; p < end; ++p)
        isInside &= uint64_t(at(level, p)) < uint64_t(of.extents[level]);
    return isInside;
  }

private:
  Crd at(int64_t level, int64_t p) const {
    return static_cast<const Crd *>(of.coordinates[level])[of.stride * p];
  }
  const ResultEntries &of;
};

} // namespace

template <typename Pos, typename Entries>
static bool areOrdered(const ResultEntries &of, const Entries &entries,
                       int64_t threads) {
  auto *pos = static_cast<const Pos *>(of.positions);
  if (pos[0] != 0 || int64_t(pos[of.fibers]) != of.entries)
    return false;
  int64_t pairs = std::max<int64_t>(of.entries - 1, 0);
  if (of.entries + of.fibers < kWorthThreads)
    threads = 1;
  std::atomic<bool> isWrong = false;
  std::atomic<int64_t> falls = 0;
  auto visit = [&](auto f) {
    onThreads(threads, [&](int64_t t) { f(t); });
    return !isWrong;
  };
  // The positions come first: the rest relies on them.
  bool isMonotone = visit([&](int64_t t) {
    bool isFalling = false;
    int64_t end = evenBegin(of.fibers, threads, t + 1);
    for (int64_t f = evenBegin(of.fibers, threads, t); f < end; ++f)
      isFalling |= pos[f] > pos[f + 1];
    if (isFalling)
      isWrong = true;
  });
  if (!isMonotone)
    return false;
  bool isInside = visit([&](int64_t t) {
    int64_t count = 0, end = evenBegin(pairs, threads, t + 1);
    for (int64_t p = evenBegin(pairs, threads, t); p < end; ++p)
      count += !entries.isInOrder(p);
    // Without branches, since nobody can predict which fibers are empty.
    int64_t between = 0;
    end = pairs ? evenBegin(of.fibers, threads, t + 1) : 0;
    for (int64_t f = evenBegin(of.fibers, threads, t); f < end; ++f) {
      int64_t p = pos[f], pair = std::clamp<int64_t>(p - 1, 0, pairs - 1);
      bool hasPair = (p > 0) & (p < int64_t(pos[f + 1]));
      between += hasPair & !entries.isInOrder(pair);
    }
    falls += count - between;
    if (!entries.isInRange(evenBegin(of.entries, threads, t),
                           evenBegin(of.entries, threads, t + 1)))
      isWrong = true;
  });
  return isInside && falls == 0;
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

bool nacho::areInOrder(const ResultEntries &of, int64_t threads) {
  return withNumbers(of.positionBytes, [&](auto *pos) {
    using Pos = std::remove_pointer_t<decltype(pos)>;
    return withNumbers(of.coordinateBytes, [&](auto *crd) {
      using Crd = std::remove_pointer_t<decltype(crd)>;
      if (of.levels == 1 && of.stride == 1)
        return areOrdered<Pos>(of, Singles<Crd>(of), threads);
      return areOrdered<Pos>(of, Tuples<Crd>(of), threads);
    });
  });
}
