//===- Order.cpp - Checks of the order of entries -------------------------===//
//
// Arrays of operands are checked when they are seen for the first time; and
// since they may be edited while a kernel reads them, so are results, which may
// then have entries that are out of order or repeated. This check takes little
// time, since its loops are vectorised: it counts the neighbours that are not
// in order, wherever they are, and then those between fibers, which need not be
// in order. It does not say where the fault is: findFault does.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "Threads.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <type_traits>

using namespace nacho;

/// Fewer entries and fibers are checked by one thread in less time than several
/// threads need to begin.
static constexpr int64_t kWorthThreads = 1 << 15;
/// The number of entries, or fibers, that are checked at a time: their
/// coordinates stay in the first cache.
static constexpr int64_t kBlock = 1 << 10;

/// Inlined into functions for some machines, to use the vectors of these.
#define NACHO_INLINE inline __attribute__((always_inline))

#ifdef __x86_64__
template <typename F>
__attribute__((target("avx2"), noinline)) static void withAvx2(const F &f) {
  f();
}
#endif

/// Calls a function object that is inlined, with the widest vectors that the
/// machine has.
template <typename F>
static void withVectors(const F &f) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2"))
    return withAvx2(f);
#endif
  f();
}

namespace {

/// The coordinates of entries. `Levels` is how many an entry has, and `Stride`
/// is 1 if they lie next to those of its neighbours; or they are 0, if the
/// compiler does not know that.
template <typename Crd, int64_t Levels, int64_t Stride>
class Tuples {
public:
  explicit Tuples(const LevelEntries &of)
      : levels(of.levels), stride(of.stride), extents(of.extents) {
    for (int64_t level = 0; level < std::min(levels, kKept); ++level) {
      kept[level] = static_cast<const Crd *>(of.coordinates[level]);
      most[level] = std::min<uint64_t>(of.extents[level] - 1,
                                       std::numeric_limits<Crd>::max());
    }
    all = reinterpret_cast<const Crd *const *>(of.coordinates);
  }

  /// 0 or 1, as wide as coordinates that are compared in vectors. Numbers
  /// instead of conditions, so that the compiler sees no branches.
  using Flag = std::conditional_t<sizeof(Crd) == 8, int64_t, int32_t>;

  /// Whether an entry is less than the next one.
  NACHO_INLINE Flag isInOrder(int64_t p) const {
    Flag isLess = 0, isSame = 1;
    for (int64_t level = 0; level < numLevels(); ++level) {
      Crd here = at(level, p), next = at(level, p + 1);
      isLess |= isSame & Flag(here < next);
      isSame &= Flag(here == next);
    }
    return isLess;
  }
  /// Whether the coordinates of an entry are in their extents, which are not 0.
  NACHO_INLINE Flag isInside(int64_t p) const {
    Flag inside = 1;
    for (int64_t level = 0; level < numLevels(); ++level) {
      Unsigned here = at(level, p);
      inside &= Levels ? Flag(here <= most[level])
                       : Flag(uint64_t(here) < uint64_t(extents[level]));
    }
    return inside;
  }
  /// The number of entries of a block that are not in order with the next one.
  /// `areInside` becomes false if one is not in the extents. The last entry of
  /// all has no next one, and is in no block.
  NACHO_INLINE int64_t countFaults(int64_t begin, int64_t end,
                                   bool &areInside) const {
    if constexpr (Levels && Stride != 1) {
      // Vectors need coordinates that lie next to each other.
      std::array<std::array<Crd, kBlock + 1>, Levels> copies;
      Tuples<Crd, Levels, 1> copied(*this);
      for (int64_t level = 0; level < Levels; ++level) {
        copied.kept[level] = copies[level].data();
        for (int64_t p = begin; p <= end; ++p)
          copies[level][p - begin] = at(level, p);
      }
      return copied.countFaults(0, end - begin, areInside);
    }
    // Sums, since the compiler vectorises no loop that looks for one entry.
    Flag ordered = 0, inside = 0;
    for (int64_t p = begin; p < end; ++p) {
      ordered += isInOrder(p);
      inside += isInside(p);
    }
    areInside &= inside == end - begin;
    return end - begin - ordered;
  }

private:
  template <typename, int64_t, int64_t>
  friend class Tuples;

  /// Negative coordinates are the largest numbers without a sign.
  using Unsigned = std::make_unsigned_t<Crd>;
  static constexpr int64_t kKept = 3;

  /// The same extents for other coordinates.
  explicit Tuples(const Tuples<Crd, Levels, 0> &like)
      : levels(like.levels), stride(1), extents(like.extents), most(like.most) {
  }

  NACHO_INLINE int64_t numLevels() const { return Levels ? Levels : levels; }
  NACHO_INLINE Crd at(int64_t level, int64_t p) const {
    int64_t place = Stride == 1 ? p : stride * p;
    return Levels ? kept[level][place] : all[level][place];
  }

  int64_t levels, stride;
  const int64_t *extents;
  std::array<const Crd *, kKept> kept = {};
  std::array<Unsigned, kKept> most = {}; ///< The largest coordinates.
  const Crd *const *all = nullptr;
};

/// What a thread finds in its share.
struct Found {
  int64_t faults = 0;   ///< Neighbours that are not in order.
  int64_t between = 0;  ///< Those of them that are in different fibers.
  int64_t empty = 0;    ///< Fibers without entries.
  bool isInside = true; ///< All coordinates are in their extents.
};

} // namespace

/// Counts the neighbours out of order where fibers begin, and empty fibers.
template <typename Pos, typename Entries>
static NACHO_INLINE void checkFibers(const Pos *pos, int64_t begin, int64_t end,
                                     int64_t pairs, const Entries &entries,
                                     Found &found) {
  // Other threads may edit the positions meanwhile: none is read again after
  // the fence, so that what is used as an index is what was compared.
  std::array<Pos, kBlock + 1> copies;
  std::copy(pos + begin, pos + end + 1, copies.begin());
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // Without branches, since nobody can predict which fibers are empty.
  int64_t between = 0, empty = 0;
  for (int64_t n = 0; n < end - begin; ++n) {
    int64_t p = copies[n], next = copies[n + 1];
    int64_t pair = std::clamp<int64_t>(p - 1, 0, pairs - 1);
    int hasPair = int(p > 0) & int(p < next);
    between += hasPair & int(!entries.isInOrder(pair));
    empty += int(p == next);
  }
  found.between += between;
  found.empty += empty;
}

/// Checks share `t` of the entries, each of them against the next one, and of
/// the fibers. Fibers are checked as soon as their entries were, which are then
/// still in a cache.
template <typename Pos, typename Entries>
static Found checkShare(const LevelEntries &of, const Entries &entries,
                        int64_t t, int64_t threads, const StopWord &word) {
  auto *pos = static_cast<const Pos *>(of.positions);
  Found found;
  int64_t pairs = of.entries - 1;
  int64_t p = evenBegin(pairs, threads, t);
  auto checkBefore = [&](int64_t end) {
    for (int64_t last; p < end; p = last) {
      throwIfSet(word);
      last = std::min(end, p + kBlock);
      withVectors([&]() __attribute__((always_inline)) {
        found.faults += entries.countFaults(p, last, found.isInside);
      });
    }
  };
  int64_t lastPair = evenBegin(pairs, threads, t + 1);
  int64_t end = pairs ? evenBegin(of.fibers, threads, t + 1) : 0;
  for (int64_t f = evenBegin(of.fibers, threads, t); f < end; f += kBlock) {
    throwIfSet(word);
    int64_t last = std::min(end, f + kBlock);
    checkBefore(std::min<int64_t>(lastPair, pos[last]));
    withVectors([&]() __attribute__((always_inline)) {
      checkFibers(pos, f, last, pairs, entries, found);
    });
  }
  checkBefore(lastPair);
  return found;
}

template <typename Pos, typename Entries>
static bool areOrdered(const LevelEntries &of, const Entries &entries,
                       int64_t threads) {
  // The positions come first: the rest relies on them.
  if (checkPositions(static_cast<const Pos *>(of.positions), of.fibers,
                     of.entries) >= 0 ||
      (of.areNonempty && of.fibers > of.entries))
    return false;
  if (!of.entries)
    return true;
  if (std::any_of(of.extents, of.extents + of.levels,
                  [](int64_t extent) { return extent <= 0; }) ||
      !entries.isInside(of.entries - 1))
    return false;
  if (of.entries + of.fibers < kWorthThreads)
    threads = 1;
  std::atomic<bool> isInside = true;
  std::atomic<int64_t> faults = 0;
  const StopWord &word = stopWord();
  onThreads(threads, [&](int64_t t) {
    Found found = checkShare<Pos>(of, entries, t, threads, word);
    faults += found.faults - found.between + (of.areNonempty ? found.empty : 0);
    if (!found.isInside)
      isInside = false;
  });
  return isInside && faults == 0;
}

static bool checkOrder(const LevelEntries &of, int64_t threads) {
  return withNumbers(of.positionBytes, [&](auto *pos) {
    using Pos = std::remove_pointer_t<decltype(pos)>;
    auto check = [&](const auto &entries) {
      return areOrdered<Pos>(of, entries, threads);
    };
    return withNumbers(of.coordinateBytes, [&](auto *crd) {
      using Crd = std::remove_pointer_t<decltype(crd)>;
      bool isNext = of.stride == 1;
      if (of.levels == 1 && isNext)
        return check(Tuples<Crd, 1, 1>(of));
      if (of.levels == 2)
        return isNext ? check(Tuples<Crd, 2, 1>(of))
                      : check(Tuples<Crd, 2, 0>(of));
      if (of.levels == 3)
        return isNext ? check(Tuples<Crd, 3, 1>(of))
                      : check(Tuples<Crd, 3, 0>(of));
      return check(Tuples<Crd, 0, 0>(of));
    });
  });
}

bool nacho::areInOrder(const LevelEntries &of, int64_t threads) {
  try {
    return checkOrder(of, threads);
  } catch (const Stopped &) {
    return false;
  }
}
