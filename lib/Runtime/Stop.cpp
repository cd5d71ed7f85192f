//===- Stop.cpp - Signals that stop a computation -------------------------===//
//
// For as long as it watches, a thread puts a handler of its own before those of
// the signals that end or interrupt programs. Signals that nobody handles, or
// that are ignored, stay so.
//
//===----------------------------------------------------------------------===//

#include "nacho/Runtime/Stop.h"

#include <array>
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace nacho;

static constexpr std::array kSignals = {SIGINT, SIGALRM, SIGTERM};

static thread_local StopWord wordOfThread = 0;
static thread_local SignalWatch *innermost = nullptr;
/// Whether a signal may wait that came before the watch began: it has not set
/// the word.
static thread_local bool mayWait = false;

/// The word of the thread that watches for signals, or null.
static std::atomic<StopWord *> watched = nullptr;
/// Set while signals do not set that word.
static std::atomic<bool> isMute = false;
/// The earlier handlers of the signals.
static std::array<struct sigaction, kSignals.size()> replaced;

StopWord &nacho::stopWord() noexcept { return wordOfThread; }

/// Sets the word, and does what the program has the signal do.
static void onSignal(int signal, siginfo_t *info, void *context) {
  if (StopWord *word = watched.load(); word && !isMute.load())
    word->store(1, std::memory_order_relaxed);
  for (size_t n = 0; n < kSignals.size(); ++n) {
    if (kSignals[n] != signal)
      continue;
    if (replaced[n].sa_flags & SA_SIGINFO)
      replaced[n].sa_sigaction(signal, info, context);
    else
      replaced[n].sa_handler(signal);
  }
}

static bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == onSignal;
}

static bool hasHandler(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/// Whether the calling thread is the first one of its process.
static bool isFirstThread() { return syscall(SYS_gettid) == getpid(); }

void SignalWatch::beginWithLocks() {
  // In a forked process, another thread may have been watching before.
  if (!innermost || watched.load() == &wordOfThread || !isFirstThread())
    return;
  for (size_t n = 0; n < kSignals.size(); ++n) {
    struct sigaction before;
    if (sigaction(kSignals[n], nullptr, &before) || isOurs(before))
      continue;
    replaced[n] = before;
    if (!hasHandler(before))
      continue;
    before.sa_flags |= SA_SIGINFO;
    before.sa_sigaction = onSignal;
    sigaction(kSignals[n], &before, nullptr);
  }
  isMute = false;
  watched = &wordOfThread;
  mayWait = true;
}

void SignalWatch::begin() {
  beginWithLocks();
  if (std::exchange(mayWait, false))
    innermost->handler();
}

/// Puts the handlers back, but for those that were replaced meanwhile.
static void endWatch() {
  for (size_t n = 0; n < kSignals.size(); ++n) {
    struct sigaction now;
    if (!sigaction(kSignals[n], nullptr, &now) && isOurs(now))
      sigaction(kSignals[n], &replaced[n], nullptr);
  }
  watched = nullptr;
}

void SignalWatch::handle() {
  wordOfThread = 0;
  mayWait = false;
  if (innermost)
    innermost->handler();
}

void SignalWatch::mute(bool isMuted) { isMute = isMuted; }

SignalWatch::SignalWatch(Handler handler)
    : handler(handler), outer(std::exchange(innermost, this)) {}

SignalWatch::~SignalWatch() {
  innermost = outer;
  if (!outer && watched.load() == &wordOfThread)
    endWatch();
  wordOfThread = 0;
  mayWait = false;
}
