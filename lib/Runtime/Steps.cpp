//===- Steps.cpp - Iteration counts of loops ------------------------------===//

#include "nacho/Runtime/Runtime.h"

#include <atomic>

static std::atomic<int64_t> steps = 0;

void nacho::countStep() noexcept {
  steps.fetch_add(1, std::memory_order_relaxed);
}

int64_t nacho::countedSteps() noexcept { return steps; }
