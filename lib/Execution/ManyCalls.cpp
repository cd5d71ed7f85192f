//===- ManyCalls.cpp - Many calls at once ---------------------------------===//

#include "nacho/Execution/ManyCalls.h"

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>

using namespace nacho;

/// Computes one call. What a kernel throws says that it refuses the operands;
/// whatever else is thrown comes from a handler of signals.
static void compute(PendingCall &call, int64_t threads, bool isTrusted) {
  Asked asked = call.asked;
  asked.threads = threads;
  try {
    Plan plan(call.kernel, asked);
    plan.plan(*call.args);
    call.result = plan.execute(*call.args, /*isPlanned=*/true, isTrusted);
    call.isDone = true;
  } catch (const std::runtime_error &) {
  } catch (const std::logic_error &) {
  } catch (const std::bad_alloc &) {
  }
}

namespace {
/// Calls of which each is computed by one thread.
struct Shared {
  std::vector<PendingCall *> calls;
  bool isTrusted;
  std::atomic<bool> isStopped = false;
  std::exception_ptr thrown; ///< What a handler of signals has thrown.

  static void compute(void *context, int64_t number, int64_t /*slot*/,
                      const StopWord *word) {
    auto &shared = *static_cast<Shared *>(context);
    PendingCall &call = *shared.calls[number];
    if (call.isDone || isSet(*word) || shared.isStopped.load())
      return;
    try {
      ::compute(call, /*threads=*/1, shared.isTrusted);
    } catch (...) {
      // Only the thread that watches for signals comes here.
      shared.thrown = std::current_exception();
      shared.isStopped = true;
    }
  }
};
} // namespace

/// What a call is worth; even one without entries takes some time.
static int64_t worthOf(const PendingCall &call) { return call.asked.work + 1; }

void nacho::computeMany(std::vector<PendingCall> &calls, int64_t threads,
                        bool isTrusted) {
  std::vector<PendingCall *> order;
  int64_t total = 0;
  for (PendingCall &call : calls) {
    order.push_back(&call);
    total += worthOf(call);
  }
  std::sort(order.begin(), order.end(),
            [](const PendingCall *one, const PendingCall *other) {
              int64_t difference = worthOf(*one) - worthOf(*other);
              return difference ? difference > 0 : one < other;
            });
  auto next = order.begin();
  for (; next != order.end() && worthOf(**next) > total / threads; ++next)
    compute(**next, threads, isTrusted);
  if (total >= kWatchedFrom)
    SignalWatch::begin();
  Shared shared;
  shared.calls.assign(next, order.end());
  shared.isTrusted = isTrusted;
  untilDone([&] {
    computeParts(int64_t(shared.calls.size()), threads, &Shared::compute,
                 &shared);
    if (shared.thrown)
      std::rethrow_exception(shared.thrown);
  });
}
