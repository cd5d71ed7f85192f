//===- Signals.h - Signals while kernels run --------------------*- C++ -*-===//

#ifndef NACHO_PYTHON_SIGNALS_H
#define NACHO_PYTHON_SIGNALS_H

#include "nacho/Runtime/Stop.h"
#include "nacho/Runtime/Workers.h"

#include <nanobind/nanobind.h>

/// Lets go of the interpreter while a computation runs. Signals, such as that
/// of Ctrl-C, still call their handlers in Python; if one raises an exception,
/// so does the computation. It also does if another thread has stopped it by
/// its PartCounts.
class Unlocked {
public:
  Unlocked() : watch(&callHandlers) {}

private:
  static void callHandlers() {
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals())
      throw nanobind::python_error();
    if (nacho::areCountedStopped()) {
      PyErr_SetString(PyExc_InterruptedError, "the call was stopped");
      throw nanobind::python_error();
    }
  }

  nanobind::gil_scoped_release release;
  nacho::SignalWatch watch;
};

/// Returns what a check of so many entries and positions of arrays returns,
/// while the interpreter is let go. Signals stop it, as they do kernels.
template <typename Check>
auto untilChecked(int64_t size, Check check) {
  if (size >= nacho::kWatchedFrom)
    nacho::SignalWatch::begin();
  return nacho::untilDone([&]() -> decltype(check()) {
    try {
      return check();
    } catch (const nacho::Stopped &) {
      return {};
    }
  });
}

#endif // NACHO_PYTHON_SIGNALS_H
