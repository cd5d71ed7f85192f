//===- RadixSort.h - Stable sort by some bits of a key --------------------===//

#ifndef NACHO_LIB_RUNTIME_RADIXSORT_H
#define NACHO_LIB_RUNTIME_RADIXSORT_H

#include "Threads.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace nacho {

/// Turns counts into the places where each bucket of each share begins.
/// Returns false if all entries are in one bucket, so that nothing moves.
inline bool startBuckets(std::vector<int64_t> &counts, unsigned buckets,
                         int64_t shares, int64_t size) {
  int64_t sum = 0, most = 0;
  for (unsigned bucket = 0; bucket < buckets; ++bucket) {
    int64_t before = sum;
    for (int64_t n = 0; n < shares; ++n) {
      int64_t count = counts[n * buckets + bucket];
      counts[n * buckets + bucket] = sum;
      sum += count;
    }
    most = std::max(most, sum - before);
  }
  return most < size;
}

/// Sorts records by the bits from `shift` to `bits` of the keys, with the help
/// of as much spare room. The two pointers are swapped if the sorted records
/// are in that room. Throws Stopped if the word is set.
template <typename T, typename Key>
void radixSort(T *&records, T *&spare, int64_t size, Key key, unsigned shift,
               unsigned bits, int64_t threads, const StopWord &word) {
  // Short runs have shorter digits: clearing and scanning the histogram would
  // otherwise take longer than the run. All digits have about as many bits.
  unsigned most = size < 2048 ? 8 : 11;
  unsigned digits = std::max(1u, (bits - shift + most - 1) / most);
  unsigned digit = (bits - shift + digits - 1) / digits;
  unsigned buckets = 1u << digit;
  thread_local std::vector<int64_t> kept;
  std::vector<int64_t> &counts = kept;
  int64_t shares = sharesFor(threads);
  counts.resize(shares * buckets);
  auto beginOf = [&](int64_t n) { return evenBegin(size, shares, n); };
  for (; shift < bits; shift += digit) {
    auto bucketOf = [&](const T &record) {
      return (key(record) >> shift) & (buckets - 1);
    };
    std::fill(counts.begin(), counts.end(), 0);
    onThreads(shares, threads, [&, from = records](int64_t share) {
      int64_t *mine = &counts[share * buckets];
      inPieces(beginOf(share), beginOf(share + 1), word,
               [&](int64_t n, int64_t end) {
                 for (; n < end; ++n)
                   ++mine[bucketOf(from[n])];
               });
    });
    if (!startBuckets(counts, buckets, shares, size))
      continue;
    onThreads(shares, threads, [&, from = records, to = spare](int64_t share) {
      int64_t *mine = &counts[share * buckets];
      inPieces(beginOf(share), beginOf(share + 1), word,
               [&](int64_t n, int64_t end) {
                 for (; n < end; ++n)
                   to[mine[bucketOf(from[n])]++] = from[n];
               });
    });
    std::swap(records, spare);
  }
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_RADIXSORT_H
