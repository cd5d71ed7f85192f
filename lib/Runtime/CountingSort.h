//===- CountingSort.h - Stable sort by keys of few bits ---------*- C++ -*-===//
//
// Entries are counted by their keys, so that it is known where those with each
// key go. Then the arrays are moved one after the other, each element once.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_RUNTIME_COUNTINGSORT_H
#define NACHO_LIB_RUNTIME_COUNTINGSORT_H

#include "RadixSort.h"

namespace nacho {

/// Throws Stopped if the word is set.
class CountingSort {
public:
  using Key = uint16_t;

  /// `keys` has room for the keys of all entries.
  CountingSort(Key *keys, int64_t size, unsigned bits, int64_t threads,
               const StopWord &word)
      : keys(keys), size(size), buckets(1u << bits), threads(threads),
        places(sharesFor(threads) * buckets), word(word) {}

  /// Calls f(begin, end) to store the keys of some entries, and counts them.
  /// Returns false if all entries have the same key.
  template <typename F>
  bool count(F f) {
    forShares(places, [&](int64_t *counts, int64_t begin, int64_t end) {
      f(begin, end);
      for (int64_t n = begin; n < end; ++n)
        ++counts[keys[n]];
    });
    return startBuckets(places, buckets, sharesFor(threads), size);
  }

  /// Sorts an array, by way of room for as many elements.
  template <typename T>
  void move(T *elements, T *room) const {
    std::vector<int64_t> next = places;
    forShares(next, [&](int64_t *places, int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n)
        room[places[keys[n]]++] = elements[n];
    });
    shareOut(size, threads, word, [&](int64_t begin, int64_t end) {
      std::copy(room + begin, room + end, elements + begin);
    });
  }

  /// Calls f(key, begin, end) for each key, with where its entries are.
  template <typename F>
  void forKeys(F f) const {
    for (unsigned key = 0; key < buckets; ++key)
      f(key, places[key], key + 1 < buckets ? places[key + 1] : size);
  }

private:
  /// Calls f(row, begin, end) for pieces of each share, with its row of
  /// `numbers`.
  template <typename F>
  void forShares(std::vector<int64_t> &numbers, F f) const {
    int64_t shares = sharesFor(threads);
    onThreads(shares, threads, [&](int64_t share) {
      inPieces(evenBegin(size, shares, share),
               evenBegin(size, shares, share + 1), word,
               [&](int64_t begin, int64_t end) {
                 f(&numbers[share * buckets], begin, end);
               });
    });
  }

  Key *keys;
  int64_t size;
  unsigned buckets;
  int64_t threads;
  /// For each share of the entries, the place of the next one with each key.
  std::vector<int64_t> places;
  const StopWord &word;
};

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_COUNTINGSORT_H
