//===- Threads.h - Work on several threads --------------------------------===//

#ifndef NACHO_LIB_RUNTIME_THREADS_H
#define NACHO_LIB_RUNTIME_THREADS_H

#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

namespace nacho {

/// Runs f(0) to f(count - 1), on as many threads as there are, and rethrows
/// what a call throws.
template <typename F>
void onThreads(int64_t count, int64_t threads, F f) {
  if (count == 1)
    return f(0);
  struct Calls {
    F &f;
    std::vector<std::exception_ptr> errors;
  } calls{f, std::vector<std::exception_ptr>(count)};
  auto call = [](void *context, int64_t t, int64_t, const StopWord *) {
    auto &calls = *static_cast<Calls *>(context);
    try {
      calls.f(t);
    } catch (...) {
      calls.errors[t] = std::current_exception();
    }
  };
  computeParts(count, threads, call, &calls);
  for (const std::exception_ptr &error : calls.errors)
    if (error)
      std::rethrow_exception(error);
}

template <typename F>
void onThreads(int64_t count, F f) {
  onThreads(count, count, f);
}

/// Into so many shares work is cut for each of several threads: one that comes
/// late, or is slow, leaves some to the others.
inline constexpr int64_t kSharesPerThread = 4;

inline int64_t sharesFor(int64_t threads) {
  return threads > 1 ? kSharesPerThread * threads : 1;
}

/// The first of the elements in share `n` when `size` elements are split evenly
/// into shares.
inline int64_t evenBegin(int64_t size, int64_t shares, int64_t n) {
  return size / shares * n + std::min(n, size % shares);
}

/// The number of elements that take a few milliseconds.
inline constexpr int64_t kPiece = 1 << 20;

/// Calls f(begin, end) for one piece of a range after the other. `word` is that
/// of the computation; throws Stopped if it is set.
template <typename F>
void inPieces(int64_t begin, int64_t end, const StopWord &word, F f) {
  for (int64_t piece = begin; piece < end; piece += kPiece) {
    throwIfSet(word);
    f(piece, std::min(end, piece + kPiece));
  }
}

/// Works on `size` elements, piece by piece.
template <typename F>
void shareOut(int64_t size, int64_t threads, const StopWord &word, F f) {
  int64_t shares = sharesFor(threads);
  onThreads(shares, threads, [&](int64_t n) {
    inPieces(evenBegin(size, shares, n), evenBegin(size, shares, n + 1), word,
             f);
  });
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_THREADS_H
