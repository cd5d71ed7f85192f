//===- Sort.cpp - Sort entries by their coordinates -----------------------===//
//
// Entries are mostly sorted by some of their first coordinates already, since
// loops append them in that order. It remains to sort each run of neighbouring
// entries that agree in these coordinates. Most runs fit into a cache, and are
// sorted by one thread each; all threads together sort a long run. Radix sort
// keeps the sort stable.
//
//===----------------------------------------------------------------------===//

#include "CountingSort.h"
#include "EntryColumn.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/BufferPool.h"
#include "nacho/Runtime/Memory.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <vector>

using namespace nacho;

namespace {

/// Up to this many entries std::sort is faster than radix sort.
constexpr int64_t kShort = 256;
/// From this many entries on all threads may sort a run together.
constexpr int64_t kLong = 1 << 16;
/// Keys of so many bits are counted if there are fewer than entries.
constexpr unsigned kFewBits = 11;

/// Neighbouring columns that fit into 64 bits: the key has the last of them in
/// its lowest bits.
struct KeyGroup {
  unsigned begin, end, bits;
};

/// Neighbouring entries that agree in the columns that are sorted already.
struct Run {
  int64_t begin, end;
};

struct Record {
  uint64_t key;
  int64_t from; ///< The entry's number before sorting.
};

} // namespace

static unsigned bitsOf(uint64_t number) {
  unsigned bits = 0;
  for (; number; number >>= 1)
    ++bits;
  return bits;
}

namespace {

class EntrySorter {
public:
  EntrySorter(const int64_t *columnInfo, int64_t numColumns, unsigned keys,
              void *values, int64_t valueBytes, int64_t entries,
              int64_t threads)
      : bits(numColumns), keys(keys),
        values{static_cast<char *>(values), valueBytes}, entries(entries),
        threads(
            std::max<int64_t>(1, std::min<int64_t>(threads, entries / 4096))) {
    for (int64_t n = 0; n < numColumns; ++n, columnInfo += 3)
      columns.all.push_back(
          {reinterpret_cast<char *>(columnInfo[0]), columnInfo[1]});
  }

  void sort() {
    unsigned done = sortedColumns();
    if (done == keys)
      return;
    findUsedBits(done);
    makeGroups(done);
    BudgetVector<Run> runs = findRuns(done);
    sortLongRuns(runs);
    sortShortRuns(runs);
  }

private:
  /// The number of first columns by which the entries are sorted already.
  unsigned sortedColumns() const {
    std::vector<unsigned> least(threads, keys);
    onThreads(threads, [&](int64_t t) {
      unsigned sorted = keys;
      int64_t last = std::min(beginOf(t + 1), entries - 1);
      inPieces(beginOf(t), last, word, [&](int64_t begin, int64_t end) {
        for (; begin < end && sorted > 1; ++begin)
          sorted = columns.sortedUpTo(begin, sorted);
        if (sorted == 1 && !columns.all.front().isSorted(begin, end + 1))
          sorted = 0;
      });
      least[t] = sorted;
    });
    return *std::min_element(least.begin(), least.end());
  }

  /// The first entry of a thread.
  int64_t beginOf(int64_t t) const { return evenBegin(entries, threads, t); }

  /// Keys may be far below their extents, such as the numbers of pieces: each
  /// bit less is less to sort by. Those of operands that nobody has checked may
  /// be above. So extents are not looked at.
  void findUsedBits(unsigned done) {
    for (unsigned c = done; c < keys; ++c) {
      std::atomic<uint64_t> used = 0;
      onThreads(threads, [&](int64_t t) {
        inPieces(beginOf(t), beginOf(t + 1), word,
                 [&](int64_t begin, int64_t end) {
                   used |= columns.all[c].bitsOf(begin, end);
                 });
      });
      bits[c] = bitsOf(used);
    }
  }

  void makeGroups(unsigned done) {
    unsigned end = keys;
    while (end > done) {
      KeyGroup group{end, end, 0};
      while (group.begin > done && group.bits + bits[group.begin - 1] <= 64)
        group.bits += bits[--group.begin];
      groups.push_back(group);
      end = group.begin;
    }
  }

  /// The runs of entries that agree in the first `done` columns and are not in
  /// order.
  BudgetVector<Run> findRuns(unsigned done) const {
    BudgetAllocator<Run> counted(budget.get());
    if (done == 0)
      return BudgetVector<Run>({{0, entries}}, counted);
    std::vector<BudgetVector<Run>> found(threads, BudgetVector<Run>(counted));
    onThreads(threads, [&](int64_t t) {
      int64_t begin = beginOf(t), end = std::min(beginOf(t + 1), entries - 1);
      // The first run may have begun before.
      while (begin > 0 && begin < end && columns.agree(done, begin - 1, begin))
        --begin;
      for (int64_t n = begin; n < end; ++n) {
        throwIfSet(word);
        if (!columns.agree(done, n, n + 1)) {
          begin = n + 1;
        } else if (columns.sortedUpTo(n, keys) < keys) {
          int64_t after = columns.endOfRun(done, n + 1, entries);
          found[t].push_back({begin, after});
          begin = after;
          n = after - 1;
        }
      }
    });
    BudgetVector<Run> runs(counted);
    for (const BudgetVector<Run> &part : found)
      for (const Run &run : part)
        if (runs.empty() || runs.back().begin < run.begin)
          runs.push_back(run);
    return runs;
  }

  bool isLong(const Run &run) const {
    int64_t size = run.end - run.begin;
    return size >= kLong && size > entries / (2 * threads);
  }

  void sortLongRuns(const BudgetVector<Run> &runs) {
    for (const Run &run : runs)
      if (isLong(run))
        sortRun(run, threads);
  }

  /// Every thread takes the runs that begin among its entries.
  void sortShortRuns(const BudgetVector<Run> &runs) {
    auto firstOf = [&](int64_t t) {
      return std::partition_point(
          runs.begin(), runs.end(),
          [&](const Run &run) { return run.begin < beginOf(t); });
    };
    onThreads(threads, [&](int64_t t) {
      for (auto run = firstOf(t), last = firstOf(t + 1); run != last; ++run) {
        throwIfSet(word);
        if (!isLong(*run))
          sortRun(*run, 1);
      }
    });
  }

  uint64_t keyOf(const KeyGroup &group, int64_t n) const {
    uint64_t key = 0;
    for (unsigned c = group.begin; c < group.end; ++c)
      key = (bits[c] == 64 ? 0 : key << bits[c]) | columns.all[c].at(n);
    return key;
  }

  void sortRun(const Run &run, int64_t workers) {
    int64_t begin = run.begin, size = run.end - run.begin;
    unsigned bitsOfKeys = groups.size() == 1 ? groups.front().bits : 64;
    if (bitsOfKeys <= kFewBits &&
        size > std::max(kShort, int64_t(1) << bitsOfKeys))
      return sortCounted(begin, size, workers);
    if (bitsOfKeys + bitsOf(size - 1) <= 64)
      return sortPacked(begin, size, workers);
    BytesInUse room(budget.get(), 2 * size * int64_t(sizeof(Record)));
    thread_local Scratch<Record> mine, other;
    Record *records = mine.fit(size), *spare = other.fit(size);
    bool isFirst = true;
    for (const KeyGroup &group : groups) {
      shareOut(size, workers, word, [&](int64_t first, int64_t end) {
        for (int64_t n = first; n < end; ++n) {
          int64_t from = isFirst ? begin + n : records[n].from;
          records[n] = {keyOf(group, from), from};
        }
      });
      radixSort(
          records, spare, size, [](const Record &record) { return record.key; },
          0, group.bits, workers, word);
      isFirst = false;
    }
    permuteFrom(
        groups.back().begin, [&](int64_t n) { return records[n].from; }, begin,
        size, workers);
    mine.releaseAbove(kLong);
    other.releaseAbove(kLong);
  }

  void sortCounted(int64_t begin, int64_t size, int64_t workers) {
    const KeyGroup &group = groups.front();
    BytesInUse room(budget.get(), size * int64_t(sizeof(CountingSort::Key)));
    thread_local Scratch<CountingSort::Key> kept;
    CountingSort::Key *keysOf = kept.fit(size);
    CountingSort sort(keysOf, size, group.bits, workers, word);
    if (!sort.count([&](int64_t first, int64_t end) {
          std::fill(keysOf + first, keysOf + end, 0);
          pack(group, /*shift=*/0, begin, keysOf, first, end);
        }))
      return;
    forEachFrom(group.end, [&](auto *elements) {
      using T = std::remove_pointer_t<decltype(elements)>;
      withRoom<T>(size, [&](T *made) { sort.move(elements + begin, made); });
    });
    sort.forKeys([&](unsigned key, int64_t first, int64_t end) {
      unsigned shift = 0;
      for (unsigned c = group.end; c-- > group.begin; shift += bits[c])
        columns.all[c].visit([&](auto *elements) {
          std::fill(elements + begin + first, elements + begin + end,
                    (key >> shift) & ((1u << bits[c]) - 1));
        });
    });
    kept.releaseAbove(kLong);
  }

  /// Sorts words that hold the key and, in the low bits, the number of the
  /// entry, so that entries with equal keys stay in order.
  void sortPacked(int64_t begin, int64_t size, int64_t workers) {
    BytesInUse room(budget.get(), 2 * size * int64_t(sizeof(uint64_t)));
    thread_local Scratch<uint64_t> mine, other;
    uint64_t *words = mine.fit(size), *spare = other.fit(size);
    const KeyGroup &group = groups.front();
    unsigned shift = bitsOf(size - 1);
    shareOut(size, workers, word, [&](int64_t first, int64_t end) {
      std::iota(words + first, words + end, first);
      pack(group, shift, begin, words, first, end);
    });
    if (size <= kShort)
      std::sort(words, words + size);
    else
      radixSort(
          words, spare, size, [](uint64_t word) { return word; }, shift,
          shift + group.bits, workers, word);
    uint64_t mask = (uint64_t(1) << shift) - 1;
    auto from = [=](int64_t n) { return begin + int64_t(words[n] & mask); };
    for (unsigned c = group.end; c-- > group.begin; shift += bits[c])
      shareOut(size, workers, word, [&](int64_t first, int64_t end) {
        unpack(c, words, shift, begin, first, end);
      });
    permuteFrom(group.end, from, begin, size, workers);
    mine.releaseAbove(kLong);
    other.releaseAbove(kLong);
  }

  /// Adds the keys of the entries from `first` to `end` of a run to their
  /// words, one column after the other: such loops are vectorised.
  template <typename Word>
  void pack(const KeyGroup &group, unsigned shift, int64_t begin, Word *words,
            int64_t first, int64_t end) const {
    for (unsigned c = group.end; c-- > group.begin; shift += bits[c]) {
      if (!bits[c])
        continue;
      columns.all[c].visit([&](auto *elements) {
        for (int64_t n = first; n < end; ++n)
          words[n] |= Word(elements[begin + n]) << shift;
      });
    }
  }

  /// Stores a column of the keys in sorted words, which have it from the bit
  /// `shift` on: reading it there is faster than gathering its elements.
  void unpack(unsigned c, const uint64_t *words, unsigned shift, int64_t begin,
              int64_t first, int64_t end) const {
    // All elements of a column without bits are 0.
    if (!bits[c])
      return;
    uint64_t mask = (uint64_t(1) << bits[c]) - 1;
    columns.all[c].visit([&](auto *elements) {
      for (int64_t n = first; n < end; ++n)
        elements[begin + n] = (words[n] >> shift) & mask;
    });
  }

  /// Moves the elements of the columns from `first` on, and the values.
  template <typename From>
  void permuteFrom(unsigned first, From from, int64_t begin, int64_t size,
                   int64_t workers) {
    forEachFrom(first, [&](auto *elements) {
      using T = std::remove_pointer_t<decltype(elements)>;
      withRoom<T>(size, [&](T *made) {
        shareOut(size, workers, word, [&](int64_t first, int64_t end) {
          for (int64_t n = first; n < end; ++n)
            made[n] = elements[from(n)];
        });
        shareOut(size, workers, word, [&](int64_t first, int64_t end) {
          std::copy(made + first, made + end, elements + begin + first);
        });
      });
    });
  }

  /// Calls `f` with the elements of each column from `first` on, and with the
  /// values.
  template <typename F>
  void forEachFrom(unsigned first, F f) const {
    struct Wide {
      uint64_t words[2];
    };
    auto visit = [&](const EntryColumn &column) {
      switch (column.bytes) {
      case 1:
        return f(reinterpret_cast<uint8_t *>(column.data));
      case 2:
        return f(reinterpret_cast<uint16_t *>(column.data));
      case 4:
        return f(reinterpret_cast<uint32_t *>(column.data));
      case 8:
        return f(reinterpret_cast<uint64_t *>(column.data));
      default:
        return f(reinterpret_cast<Wide *>(column.data));
      }
    };
    for (unsigned c = first; c < columns.all.size(); ++c)
      visit(columns.all[c]);
    visit(values);
  }

  /// Calls `f` with room for so many elements.
  template <typename T, typename F>
  void withRoom(int64_t size, F f) const {
    BytesInUse room(budget.get(), size * int64_t(sizeof(T)));
    thread_local Scratch<T> kept;
    f(kept.fit(size));
    kept.releaseAbove(kLong);
  }

  EntryColumns columns;
  std::vector<unsigned> bits;
  unsigned keys; ///< The number of columns to sort by.
  EntryColumn values;
  int64_t entries, threads;
  const StopWord &word =
      stopWord(); ///< The word of the thread that sorts with others.
  /// The budget of the same thread; null if there is none.
  const std::shared_ptr<MemoryBudget> budget = Spending::current();
  std::vector<KeyGroup>
      groups; ///< Groups from the least significant to the most.
};

} // namespace

int32_t nacho::sortEntries(const int64_t *columns, int64_t numColumns,
                           int64_t keys, void *values, int64_t valueBytes,
                           int64_t entries, int64_t threads) noexcept {
  try {
    EntrySorter(columns, numColumns, keys, values, valueBytes, entries, threads)
        .sort();
    return kSuccess;
  } catch (const Stopped &) {
    // The entries are incomplete, as the caller finds out from the word.
    return kSuccess;
  } catch (const std::exception &) {
    keepException();
    return kNoMemory;
  }
}
