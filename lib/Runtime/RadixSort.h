//===- RadixSort.h - Stable sort by some bits of a key --------------------===//

#ifndef NACHO_LIB_RUNTIME_RADIXSORT_H
#define NACHO_LIB_RUNTIME_RADIXSORT_H

#include "Threads.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nacho {

/// Turns counts into the places where each bucket of each worker begins.
/// Returns false if all entries are in one bucket, so that nothing moves.
inline bool startBuckets(std::vector<int64_t> &counts, unsigned buckets,
                         int64_t workers, int64_t size) {
  int64_t sum = 0, most = 0;
  for (unsigned bucket = 0; bucket < buckets; ++bucket) {
    int64_t before = sum;
    for (int64_t w = 0; w < workers; ++w) {
      int64_t count = counts[w * buckets + bucket];
      counts[w * buckets + bucket] = sum;
      sum += count;
    }
    most = std::max(most, sum - before);
  }
  return most < size;
}

/// Sorts by the bits from `shift` to `bits` of the keys.
template <typename T, typename Key>
void radixSort(std::vector<T> &records, std::vector<T> &spare, Key key,
               unsigned shift, unsigned bits, int64_t workers) {
  int64_t size = records.size();
  // Short runs have shorter digits: clearing and scanning the histogram would
  // otherwise take longer than the run. All digits have about as many bits.
  unsigned most = size < 2048 ? 8 : 11;
  unsigned digits = std::max(1u, (bits - shift + most - 1) / most);
  unsigned digit = (bits - shift + digits - 1) / digits;
  unsigned buckets = 1u << digit;
  spare.resize(size);
  thread_local std::vector<int64_t> kept;
  std::vector<int64_t> &counts = kept;
  counts.resize(workers * buckets);
  auto beginOf = [&](int64_t w) { return evenBegin(size, workers, w); };
  for (; shift < bits; shift += digit) {
    auto bucketOf = [&](const T &record) {
      return (key(record) >> shift) & (buckets - 1);
    };
    std::fill(counts.begin(), counts.end(), 0);
    onThreads(workers, [&](int64_t w) {
      int64_t *mine = &counts[w * buckets];
      for (int64_t n = beginOf(w); n < beginOf(w + 1); ++n)
        ++mine[bucketOf(records[n])];
    });
    if (!startBuckets(counts, buckets, workers, size))
      continue;
    onThreads(workers, [&](int64_t w) {
      int64_t *mine = &counts[w * buckets];
      for (int64_t n = beginOf(w); n < beginOf(w + 1); ++n)
        spare[mine[bucketOf(records[n])]++] = records[n];
    });
    records.swap(spare);
  }
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_RADIXSORT_H
