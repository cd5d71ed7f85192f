//===- Threads.h - Work on several threads --------------------------------===//

#ifndef NACHO_LIB_RUNTIME_THREADS_H
#define NACHO_LIB_RUNTIME_THREADS_H

#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

namespace nacho {

/// Runs f(0) to f(count - 1) on a thread each, and rethrows what a call throws.
/// Uses the OpenMP threads of the kernels: these keep the cores busy while they
/// wait for the next parallel loop, so other threads would have to share cores.
template <typename F>
void onThreads(int64_t count, F f) {
  if (count == 1)
    return f(0);
  std::vector<std::exception_ptr> errors(count);
#pragma omp parallel for num_threads(static_cast<int>(count))                  \
    schedule(static, 1)
  for (int64_t t = 0; t < count; ++t) {
    try {
      f(t);
    } catch (...) {
      errors[t] = std::current_exception();
    }
  }
  for (const std::exception_ptr &error : errors)
    if (error)
      std::rethrow_exception(error);
}

/// The first of the elements that worker `w` gets when `size` elements are
/// split evenly among all workers.
inline int64_t evenBegin(int64_t size, int64_t workers, int64_t w) {
  return size / workers * w + std::min(w, size % workers);
}

/// So many elements are worked on in a few milliseconds.
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

/// Gives each worker its share of `size` elements, piece by piece.
template <typename F>
void shareOut(int64_t size, int64_t workers, const StopWord &word, F f) {
  onThreads(workers, [&](int64_t w) {
    inPieces(evenBegin(size, workers, w), evenBegin(size, workers, w + 1), word,
             f);
  });
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_THREADS_H
