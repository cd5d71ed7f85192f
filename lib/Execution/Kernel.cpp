//===- Kernel.cpp - When other variants of a kernel are made --------------===//

#include "nacho/Execution/Kernel.h"

#include "Foresight.h"

#include <algorithm>
#include <stdexcept>

using namespace nacho;

Executable::~Executable() = default;
Kernel::~Kernel() = default;

/// Merging this many entries with branches instead of selects saves about the
/// time that it takes to compile the variant.
static constexpr int64_t kWorthBranches = 1 << 24;

const Kernel &Kernel::branching(int64_t entries) const {
  if ((merged += entries) < kWorthBranches && !alwaysBranches())
    return *this;
  std::call_once(withBranches.once, [&] {
    std::string error;
    withBranches.kernel = compile(Variant::branching, error);
  });
  return withBranches.kernel ? *withBranches.kernel : *this;
}

std::shared_ptr<const Kernel> Kernel::counting() const {
  auto isDraft = [](const Step &step) { return step.isDraft; };
  if (std::none_of(steps.begin(), steps.end(), isDraft))
    return shared_from_this();
  std::call_once(withCounts.once, [&] {
    std::string error;
    withCounts.kernel = compile(Variant::counting, error);
    if (!withCounts.kernel)
      throw std::runtime_error(error);
  });
  return withCounts.kernel;
}
