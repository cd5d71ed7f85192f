//===- Coroutine.h - Coroutines -------------------------------------------===//

#ifndef NACHO_LIB_SIMULATOR_COROUTINE_H
#define NACHO_LIB_SIMULATOR_COROUTINE_H

#include <cstddef>

namespace nacho {

/// A function with a stack of its own. It can wait, that is, return to its
/// caller for a while, and goes on when it is resumed. A function that is never
/// resumed must not hold anything.
class Coroutine {
public:
  Coroutine();
  ~Coroutine();
  Coroutine(const Coroutine &) = delete;
  Coroutine &operator=(const Coroutine &) = delete;

  /// Makes the next resume() call a function. What was called before is left
  /// where it is.
  void start(void (*function)(void *), void *argument);

  /// Runs the function until it waits, or ends. Must not be called after that.
  void resume();

  /// The function calls this to return to whoever has resumed it.
  void wait();

private:
  static void run(void *coroutine);

  char *stack;         ///< Its lowest page cannot be accessed.
  void *own = nullptr; ///< The place to go on at.
  void *caller = nullptr;
  void (*function)(void *) = nullptr;
  void *argument = nullptr;

  /// The marks by which sanitizers know this stack and the caller's.
  [[maybe_unused]] void *ownMark = nullptr, *callerMark = nullptr;
  [[maybe_unused]] const void *callerStack = nullptr;
  [[maybe_unused]] size_t callerSize = 0;
};

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_COROUTINE_H
