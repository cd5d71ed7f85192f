//===- KernelCounts.cpp - Counts of a simulated GPU -----------------------===//

#include "nacho/Simulator/KernelCounts.h"

#include "nacho/Runtime/Fork.h"

#include <algorithm>
#include <mutex>

using namespace nacho;

KernelCounts &KernelCounts::operator+=(const KernelCounts &other) {
  for (auto field :
       {&KernelCounts::launches,        &KernelCounts::warps,
        &KernelCounts::blocks,          &KernelCounts::threads,
        &KernelCounts::sectorsLoaded,   &KernelCounts::sectorsStored,
        &KernelCounts::sectorsMoved,    &KernelCounts::lines,
        &KernelCounts::bytesLoaded,     &KernelCounts::bytesStored,
        &KernelCounts::sharedAccesses,  &KernelCounts::bankConflicts,
        &KernelCounts::atomics,         &KernelCounts::issued,
        &KernelCounts::useful,          &KernelCounts::farWaits,
        &KernelCounts::nearWaits,       &KernelCounts::longest,
        &KernelCounts::longestFarWaits, &KernelCounts::longestNearWaits})
    this->*field += other.*field;
  return *this;
}

namespace {
struct Totals {
  Totals() { holdAtFork(mutex); }

  std::mutex mutex;
  std::vector<std::pair<std::string, KernelCounts>> kernels;
};
} // namespace

static Totals &totals() {
  static auto *instance = new Totals;
  return *instance;
}

void nacho::addCounts(const char *kernel, const KernelCounts &launch) {
  Totals &all = totals();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto known =
      std::find_if(all.kernels.begin(), all.kernels.end(),
                   [&](const auto &each) { return each.first == kernel; });
  if (known == all.kernels.end())
    known = all.kernels.insert(known, {kernel, {}});
  known->second += launch;
}

std::vector<std::pair<std::string, KernelCounts>> nacho::countedKernels() {
  Totals &all = totals();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.kernels;
}
