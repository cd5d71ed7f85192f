//===- Threads.h - Work on several threads --------------------------------===//

#ifndef NACHO_LIB_RUNTIME_THREADS_H
#define NACHO_LIB_RUNTIME_THREADS_H

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace nacho {

/// Runs f(0) to f(count - 1) on a thread each; what one throws, this throws.
template <typename F>
void onThreads(int64_t count, F f) {
  if (count == 1)
    return f(0);
  std::vector<std::exception_ptr> errors(count);
  auto guarded = [&](int64_t t) {
    try {
      f(t);
    } catch (...) {
      errors[t] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  int64_t started = 0;
  try {
    for (; started + 1 < count; ++started)
      threads.emplace_back(guarded, started);
  } catch (const std::exception &) {
    // No more threads than these.
  }
  for (int64_t t = started; t < count; ++t)
    guarded(t);
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &error : errors)
    if (error)
      std::rethrow_exception(error);
}

/// Where the share of worker w of so many begins.
inline int64_t shareOf(int64_t size, int64_t workers, int64_t w) {
  return size / workers * w + std::min(w, size % workers);
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_THREADS_H
