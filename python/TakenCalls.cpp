//===- TakenCalls.cpp - Calls that are computed together ------------------===//

#include "TakenCalls.h"

#include "Signals.h"
#include "nacho/Execution/ManyCalls.h"

#include <algorithm>

namespace nb = nanobind;
using namespace nacho;

/// Up to so many bytes in each result, results are parts of common arrays.
static constexpr size_t kMostInParts = 4096;

/// Whether all calls have small results of the same types. To be an array of
/// its own would take each of their arrays more memory than its elements do.
static bool haveCommonArrays(const std::vector<PendingCall> &calls) {
  size_t bytes = 0;
  for (const PendingCall &call : calls) {
    const std::vector<Buffer> &first = calls.front().result;
    if (!call.isDone || call.result.size() != first.size())
      return false;
    for (size_t n = 0; n < first.size(); ++n) {
      if (call.result[n].type != first[n].type)
        return false;
      bytes += call.result[n].numBytes();
    }
  }
  return calls.size() > 1 && bytes <= kMostInParts * calls.size();
}

/// Appends array `n` of each result to its list, as a part of one array.
static void appendParts(std::vector<PendingCall> &calls, size_t n,
                        const nb::list &results) {
  int64_t size = 0;
  for (const PendingCall &call : calls)
    size += call.result[n].size;
  ElementType type = calls.front().result[n].type;
  Buffer all(calls.front().kernel->device, type, size);
  char *to = static_cast<char *>(all.data);
  for (const PendingCall &call : calls) {
    const Buffer &part = call.result[n];
    to = std::copy_n(static_cast<const char *>(part.data), part.numBytes(), to);
  }
  nb::object array = toArray(std::move(all));
  Py_ssize_t begin = 0;
  for (size_t call = 0; call < calls.size(); ++call) {
    Py_ssize_t end = begin + calls[call].result[n].size;
    nb::cast<nb::list>(results[call])
        .append(nb::steal(PySequence_GetSlice(array.ptr(), begin, end)));
    begin = end;
  }
}

static nb::list toCommonArrays(std::vector<PendingCall> calls) {
  nb::list results;
  for (size_t call = 0; call < calls.size(); ++call)
    results.append(nb::list());
  for (size_t n = 0; n < calls.front().result.size(); ++n)
    appendParts(calls, n, results);
  return results;
}

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
  if (haveCommonArrays(pending))
    return toCommonArrays(std::move(pending));
  nb::list results;
  for (PendingCall &call : pending)
    results.append(call.isDone ? nb::object(toArrays(std::move(call.result)))
                               : nb::none());
  return results;
}

void addTakenCalls(nb::module_ &m) {
  nb::class_<TakenCall> type(m, "TakenCall");
  m.def("compute_many", &pyComputeMany, nb::arg("calls"), nb::arg("threads"),
        nb::arg("trusted"));
}
