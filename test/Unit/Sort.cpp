//===- Sort.cpp - Entries that are sorted by their first columns ----------===//

#include "Unit.h"

#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace nacho;
using namespace nacho::unit;

namespace {

/// Entries with three columns, and values that tell them apart.
template <typename Column, typename Value>
struct Entries {
  std::vector<Column> columns[3];
  std::vector<Value> values;

  /// Coordinates are below the extents. By the first `sorted` columns, entries
  /// are in order already.
  Entries(int64_t size, const int64_t (&extents)[3], unsigned sorted) {
    std::mt19937_64 random(size + sorted);
    for (unsigned c = 0; c < 3; ++c) {
      columns[c].resize(size);
      for (Column &each : columns[c])
        each = Column(random() % extents[c]);
      if (c < sorted)
        std::sort(columns[c].begin(), columns[c].end());
    }
    values.resize(size);
    std::iota(values.begin(), values.end(), Value(0));
  }

  std::vector<int64_t> order(unsigned keys) const {
    std::vector<int64_t> found(values.size());
    std::iota(found.begin(), found.end(), 0);
    std::sort(found.begin(), found.end(), [&](int64_t n, int64_t m) {
      for (unsigned c = 0; c < keys; ++c)
        if (columns[c][n] != columns[c][m])
          return columns[c][n] < columns[c][m];
      return n < m;
    });
    return found;
  }

  bool isPermuted(const Entries &from, llvm::ArrayRef<int64_t> order) const {
    for (auto [n, at] : llvm::enumerate(order)) {
      if (values[n] != from.values[at])
        return false;
      for (unsigned c = 0; c < 3; ++c)
        if (columns[c][n] != from.columns[c][at])
          return false;
    }
    return true;
  }
};

} // namespace

template <typename Column, typename Value>
static void checkSort(int64_t size, const int64_t (&extents)[3],
                      unsigned sorted, int64_t threads, int64_t less = 1) {
  for (unsigned keys = 1; keys <= 3; ++keys) {
    Entries<Column, Value> given(size, extents, sorted), made = given;
    int64_t columns[9];
    for (unsigned c = 0; c < 3; ++c) {
      columns[3 * c] = reinterpret_cast<int64_t>(made.columns[c].data());
      columns[3 * c + 1] = sizeof(Column);
      columns[3 * c + 2] = extents[c] / less;
    }
    int32_t status = sortEntries(columns, 3, keys, made.values.data(),
                                 sizeof(Value), size, threads);
    check(status == kSuccess && made.isPermuted(given, given.order(keys)), [&] {
      return std::to_string(size) + " entries of " +
             std::to_string(sizeof(Column)) + " and " +
             std::to_string(sizeof(Value)) + " bytes, by " +
             std::to_string(keys) + " columns, of which " +
             std::to_string(sorted) + " are sorted, on " +
             std::to_string(threads) + " threads";
    });
  }
}

/// Keys of few bits, of up to 64, and of more; runs of any length.
NACHO_SUITE("sort") {
  constexpr int64_t extents[][3] = {{1, 40, 1 << 20},
                                    {3, 2000, 7},
                                    {200, 1 << 12, 1 << 30},
                                    {1 << 30, 1 << 30, 1 << 30},
                                    {5, 1, 300}};
  for (const auto &each : extents)
    for (int64_t size : {0, 1, 2, 255, 257, 3000, 150000})
      for (unsigned sorted : {0, 1, 2})
        for (int64_t threads : {1, 3}) {
          checkSort<uint32_t, uint32_t>(size, each, sorted, threads);
          checkSort<uint64_t, double>(size, each, sorted, threads);
        }
  for (const auto &each : extents) {
    checkSort<uint32_t, uint8_t>(200, each, 1, 1);
    checkSort<uint64_t, uint16_t>(5000, each, 1, 2);
    // Coordinates of which nobody knows that they are below their extents.
    checkSort<uint64_t, uint64_t>(5000, each, 0, 1, /*less=*/30);
  }
}
