//===- TakenCalls.h - Calls that are computed together ----------*- C++ -*-===//

#ifndef NACHO_PYTHON_TAKEN_CALLS_H
#define NACHO_PYTHON_TAKEN_CALLS_H

#include "Arrays.h"
#include "nacho/Execution/Kernel.h"

#include <memory>

/// A call of a kernel of the host whose arguments are known, for
/// `compute_many`. It keeps their arrays alive.
struct TakenCall {
  TakenCall(std::shared_ptr<const nacho::Kernel> kernel,
            const nacho::Asked &asked)
      : kernel(std::move(kernel)), asked(asked), call(*this->kernel) {}
  TakenCall(std::shared_ptr<const nacho::Kernel> kernel,
            const nacho::Asked &asked, const nanobind::list &args)
      : kernel(std::move(kernel)), asked(asked), call(*this->kernel, args) {}

  std::shared_ptr<const nacho::Kernel> kernel;
  nacho::Asked asked;
  CallArguments call;
};

/// Adds the class, and the function that computes many calls.
void addTakenCalls(nanobind::module_ &m);

#endif // NACHO_PYTHON_TAKEN_CALLS_H
