//===- ManyCalls.h - Many calls at once -----------------------------------===//
//
// Programs that have many small problems keep all threads busy best if each
// thread computes problems of its own: no thread waits for another one within a
// problem. A result is the same as if its call were the only one.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_MANYCALLS_H
#define NACHO_EXECUTION_MANYCALLS_H

#include "nacho/Execution/Kernel.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nacho {

/// A call of a kernel of the host.
struct PendingCall {
  std::shared_ptr<const Kernel> kernel;
  Asked asked;
  const std::vector<Argument> *args;
  std::vector<Buffer> result; ///< See Plan::execute().
  bool isDone = false;        ///< False if the kernel refuses the operands.
};

/// Computes calls on so many threads; see Plan::execute() for `isTrusted`.
/// Calls that are worth more than the share of a thread are computed first, one
/// after the other, each by all threads. Each of the others is computed by one
/// thread: whoever is free takes the one that is worth most. A handler of
/// signals may throw: that ends the computation when other threads have
/// computed what they have begun.
void computeMany(std::vector<PendingCall> &calls, int64_t threads,
                 bool isTrusted);

} // namespace nacho

#endif // NACHO_EXECUTION_MANYCALLS_H
