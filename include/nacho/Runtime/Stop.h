//===- Stop.h - Signals that stop a computation ---------------------------===//
//
// While a kernel runs, its caller cannot handle signals, such as that of
// Ctrl-C. So each thread has a word, which a signal sets. The loops of compiled
// code and of the runtime read it now and then, and are left if it is set; what
// they have computed is then incomplete. Whoever has called them handles the
// signal, and calls them again if the computation shall go on: see untilDone().
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_STOP_H
#define NACHO_RUNTIME_STOP_H

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace nacho {

/// A number other than 0 if a computation shall stop.
using StopWord = std::atomic<int32_t>;

/// The word of the calling thread. The threads that it shares a computation
/// with read the same word.
StopWord &stopWord() noexcept;

inline bool isSet(const StopWord &word) {
  return word.load(std::memory_order_relaxed) != 0;
}

/// The exception that leaves loops of the runtime; see throwIfSet().
struct Stopped {};

inline void throwIfSet(const StopWord &word) {
  if (isSet(word))
    throw Stopped();
}

/// While a watch exists, signals can stop what the thread computes that has
/// made it, if this is the first thread of the process: the others are not
/// interrupted by Ctrl-C. Watches may be nested.
class SignalWatch {
public:
  /// Handles signals. It throws unless the computation shall go on.
  using Handler = void (*)();

  explicit SignalWatch(Handler handler);
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;

  /// Begins to watch for signals, if the calling thread has a watch, and
  /// handles those that came before. Until then, none is seen: this takes some
  /// microseconds, as long as a short computation.
  static void begin();
  /// Begins, but lets signals wait that came before: for those who hold locks,
  /// for which a handler might have to wait.
  static void beginWithLocks();

  /// Handles the signal that has set the word of the calling thread.
  static void handle();

  /// From now on, signals do not set the word that is watched, or they do
  /// again.
  static void mute(bool isMuted);

private:
  const Handler handler;
  SignalWatch *const outer;
};

/// Computations that are worth more entries than this are watched from their
/// beginning. Fewer take a millisecond.
inline constexpr int64_t kWatchedFrom = int64_t(1) << 19;

/// Runs `work` until no signal stops it, and returns what it returns. After a
/// signal whose handler lets the computation go on, other signals wait: else a
/// clock that ticks too fast would keep it from ever ending.
template <typename Work>
auto untilDone(Work work) {
  struct Unmute {
    ~Unmute() { SignalWatch::mute(false); }
  };
  auto runAgain = [&] {
    SignalWatch::handle();
    SignalWatch::mute(true);
    Unmute atEnd;
    // Signals that came while the first one was handled wait, too.
    stopWord() = 0;
    return work();
  };
  if constexpr (std::is_void_v<decltype(work())>) {
    work();
    if (isSet(stopWord()))
      runAgain();
  } else {
    auto made = work();
    if (isSet(stopWord()))
      made = runAgain();
    return made;
  }
}

} // namespace nacho

#endif // NACHO_RUNTIME_STOP_H
