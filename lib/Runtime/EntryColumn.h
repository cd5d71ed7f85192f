//===- EntryColumn.h - An array of entries that are sorted ------*- C++ -*-===//

#ifndef NACHO_LIB_RUNTIME_ENTRYCOLUMN_H
#define NACHO_LIB_RUNTIME_ENTRYCOLUMN_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace nacho {

/// One array of the entries.
struct EntryColumn {
  char *data;
  int64_t bytes; ///< The size of an element.

  uint64_t at(int64_t n) const {
    if (bytes == 4) {
      uint32_t value;
      std::memcpy(&value, data + 4 * n, 4);
      return value;
    }
    uint64_t value;
    std::memcpy(&value, data + 8 * n, 8);
    return value;
  }
  /// The bits that are set in any element of a range.
  uint64_t bitsOf(int64_t begin, int64_t end) const {
    uint64_t all = 0;
    visit([&](const auto *elements) {
      for (int64_t n = begin; n < end; ++n)
        all |= elements[n];
    });
    return all;
  }
  bool isSorted(int64_t begin, int64_t end) const {
    bool isInverted = false;
    visit([&](const auto *elements) {
      for (int64_t n = begin; n + 1 < end; ++n)
        isInverted |= elements[n] > elements[n + 1];
    });
    return !isInverted;
  }
  /// Calls `f` with the elements.
  template <typename F>
  void visit(F f) const {
    if (bytes == 4)
      return f(reinterpret_cast<uint32_t *>(data));
    f(reinterpret_cast<uint64_t *>(data));
  }
};

/// The arrays of the entries; entries may be in order by the first of them.
struct EntryColumns {
  std::vector<EntryColumn> all;

  /// The number of the first `most` columns by which entry n and the next one
  /// are in order.
  unsigned sortedUpTo(int64_t n, unsigned most) const {
    for (unsigned c = 0; c < most; ++c) {
      uint64_t here = all[c].at(n), next = all[c].at(n + 1);
      if (here != next)
        return here > next ? c : most;
    }
    return most;
  }

  /// Whether two entries agree in the first `done` columns.
  bool agree(unsigned done, int64_t n, int64_t m) const {
    for (unsigned c = done; c-- > 0;)
      if (all[c].at(n) != all[c].at(m))
        return false;
    return true;
  }

  /// Where the entries end that agree with entry n in the first `done` columns,
  /// by which `entries` are in order.
  int64_t endOfRun(unsigned done, int64_t n, int64_t entries) const {
    int64_t step = 1;
    while (n + step < entries && agree(done, n, n + step))
      step *= 2;
    int64_t low = n + step / 2, high = std::min(n + step, entries);
    while (low + 1 < high) {
      int64_t middle = low + (high - low) / 2;
      (agree(done, n, middle) ? low : high) = middle;
    }
    return high;
  }
};

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_ENTRYCOLUMN_H
