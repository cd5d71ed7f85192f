//===- PrefixSum.cpp - Prefix sums on several threads ---------------------===//

#include "Threads.h"
#include "nacho/Runtime/Runtime.h"

#include <numeric>

using namespace nacho;

/// Fewer values are added up by one thread in less time than several threads
/// need to begin.
static constexpr int64_t kWorthThreads = 1 << 16;

template <typename T>
static void prefixSumOf(T *values, int64_t size, int64_t threads) noexcept {
  auto sumUp = [&](int64_t begin, int64_t end) {
    std::partial_sum(values + begin, values + end, values + begin);
  };
  if (threads < 2 || size < kWorthThreads)
    return sumUp(0, size);
  try {
    auto begin = [&](int64_t t) { return evenBegin(size, threads, t); };
    std::vector<T> before(threads);
    onThreads(threads, [&](int64_t t) {
      before[t] =
          std::accumulate(values + begin(t), values + begin(t + 1), T());
    });
    std::exclusive_scan(before.begin(), before.end(), before.begin(), T());
    onThreads(threads, [&](int64_t t) {
      if (begin(t) < begin(t + 1))
        values[begin(t)] += before[t];
      sumUp(begin(t), begin(t + 1));
    });
  } catch (const std::exception &) {
    // There was no memory for `before` or the threads' errors; `values` is
    // unchanged.
    sumUp(0, size);
  }
}

void nacho::prefixSum(void *values, int64_t bytes, int64_t size,
                      int64_t threads) noexcept {
  // Unsigned integers, which wrap around.
  if (bytes == 4)
    return prefixSumOf(static_cast<uint32_t *>(values), size, threads);
  prefixSumOf(static_cast<uint64_t *>(values), size, threads);
}
