//===- PrefixSum.cpp - Prefix sums on several threads ---------------------===//

#include "Threads.h"
#include "nacho/Runtime/Runtime.h"

#include <numeric>

using namespace nacho;

/// Fewer values are added up by one thread in less time than several threads
/// need to begin.
static constexpr int64_t kWorthThreads = 1 << 16;

namespace {
template <typename T>
class PrefixSum {
public:
  PrefixSum(T *values, int64_t size) : values(values), size(size) {}

  void onOneThread() { sumUp(0, size); }

  void onThreads(int64_t threads) {
    int64_t shares = sharesFor(threads);
    auto begin = [&](int64_t n) { return evenBegin(size, shares, n); };
    std::vector<T> before(shares);
    nacho::onThreads(shares, threads, [&](int64_t n) {
      inPieces(begin(n), begin(n + 1), word, [&](int64_t first, int64_t end) {
        before[n] = std::accumulate(values + first, values + end, before[n]);
      });
    });
    std::exclusive_scan(before.begin(), before.end(), before.begin(), T());
    nacho::onThreads(shares, threads, [&](int64_t n) {
      if (begin(n) < begin(n + 1))
        values[begin(n)] += before[n];
      sumUp(begin(n), begin(n + 1));
    });
  }

private:
  void sumUp(int64_t begin, int64_t end) {
    inPieces(begin, end, word, [&](int64_t first, int64_t last) {
      if (first > begin)
        values[first] += values[first - 1];
      std::partial_sum(values + first, values + last, values + first);
    });
  }

  T *const values;
  const int64_t size;
  const StopWord &word =
      stopWord(); ///< The word of the thread that all work for.
};
} // namespace

template <typename T>
static void prefixSumOf(T *values, int64_t size, int64_t threads) {
  PrefixSum<T> sum(values, size);
  if (threads < 2 || size < kWorthThreads)
    return sum.onOneThread();
  try {
    sum.onThreads(threads);
  } catch (const std::exception &) {
    // There was no memory for the threads' sums or errors; `values` is
    // unchanged.
    sum.onOneThread();
  }
}

void nacho::prefixSum(void *values, int64_t bytes, int64_t size,
                      int64_t threads) noexcept {
  try {
    // Unsigned integers, which wrap around.
    if (bytes == 4)
      return prefixSumOf(static_cast<uint32_t *>(values), size, threads);
    prefixSumOf(static_cast<uint64_t *>(values), size, threads);
  } catch (const Stopped &) {
    // The sums are incomplete, as the caller finds out from the word.
  }
}
