//===- Signals.cpp - Signals before and while a computation is watched ----===//

#include "Unit.h"

#include "nacho/Runtime/Stop.h"

#include <csignal>

using namespace nacho;
using namespace nacho::unit;

/// How many signals have come that nobody has handled, as in an interpreter
/// that calls handlers later.
static volatile sig_atomic_t waiting = 0;
static int handled = 0;

static void checkSignal(bool isBefore) {
  handled = 0;
  auto describe = [&](const char *what) {
    return [=] {
      return std::string("a signal ") + (isBefore ? "before" : "after") +
             " the watch begins " + what;
    };
  };
  SignalWatch watch([] {
    handled += waiting;
    waiting = 0;
  });
  if (isBefore)
    raise(SIGINT);
  SignalWatch::begin();
  if (!isBefore)
    raise(SIGINT);
  check(handled == isBefore, describe("is handled at once, if it came before"));
  int runs = 0;
  untilDone([&] { ++runs; });
  check(runs == (isBefore ? 1 : 2), describe("stops what runs"));
  check(handled == 1, describe("is handled once"));
}

/// One that came before waits while locks are held.
static void checkLocks() {
  handled = 0;
  SignalWatch watch([] {
    handled += waiting;
    waiting = 0;
  });
  raise(SIGINT);
  SignalWatch::beginWithLocks();
  check(handled == 0, [] { return "a signal waits while locks are held"; });
  SignalWatch::begin();
  check(handled == 1, [] { return "a signal is handled without locks"; });
  SignalWatch::begin();
  check(handled == 1, [] { return "a signal is handled once"; });
}

/// One that comes while another one is handled does not stop what then runs.
static void checkSignalWhileHandling() {
  SignalWatch watch([] { raise(SIGINT); });
  SignalWatch::begin();
  raise(SIGINT);
  int runs = 0, whole = 0;
  untilDone([&] {
    ++runs;
    whole += !isSet(stopWord());
  });
  check(runs == 2 && whole == 1,
        [] { return "what runs again is stopped by an earlier signal"; });
}

NACHO_SUITE("signals") {
  signal(SIGINT, [](int) { ++waiting; });
  checkSignal(/*isBefore=*/true);
  checkSignal(/*isBefore=*/false);
  checkLocks();
  checkSignalWhileHandling();
  signal(SIGINT, SIG_DFL);
}
