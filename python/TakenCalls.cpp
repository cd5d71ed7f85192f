//===- TakenCalls.cpp - Calls that are computed together ------------------===//

#include "TakenCalls.h"

#include "Signals.h"
#include "nacho/Execution/ManyCalls.h"

namespace nb = nanobind;
using namespace nacho;

/// Returns the arrays of each result, or None if the kernel refuses the
/// arguments.
static nb::list pyComputeMany(const nb::list &calls, int64_t threads,
                              bool isTrusted) {
  std::vector<PendingCall> pending;
  for (nb::handle each : calls) {
    const auto &taken = nb::cast<const TakenCall &>(each);
    pending.push_back(
        {taken.kernel, taken.asked, &taken.call.args, /*result=*/{}});
    threads = threads ? threads : taken.kernel->device.defaultThreads();
  }
  {
    Unlocked unlocked;
    computeMany(pending, threads, isTrusted);
  }
  nb::list results;
  for (PendingCall &call : pending)
    results.append(call.isDone ? nb::object(toArrays(std::move(call.result)))
                               : nb::none());
  return results;
}

void addTakenCalls(nb::module_ &m) {
  nb::class_<TakenCall>(m, "TakenCall");
  m.def("compute_many", &pyComputeMany, nb::arg("calls"), nb::arg("threads"),
        nb::arg("trusted"));
}
