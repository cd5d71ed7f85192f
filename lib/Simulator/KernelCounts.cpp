//===- KernelCounts.cpp - Counts of a simulated GPU -----------------------===//

#include "nacho/Simulator/KernelCounts.h"

#include "nacho/Runtime/Fork.h"

#include <algorithm>
#include <mutex>

using namespace nacho;

//===----------------------------------------------------------------------===//
// An H100
//===----------------------------------------------------------------------===//

static constexpr double kBytesPerSecond = 3.35e12;
static constexpr double kClock = 1.755e9;
/// The bytes that the cache gives in a cycle, as NVIDIA says of an A100's.
static constexpr double kCachedBytesPerCycle = 5120;
static constexpr int64_t kProcessors = 132;
/// Instructions of different warps that a processor issues at a time.
static constexpr double kIssuesPerCycle = 4;
/// The cycles between instructions of a warp that need each other's results.
static constexpr double kCyclesPerInstruction = 4;
static constexpr double kLaunchSeconds = 3e-6;
static constexpr double kSectorBytes = 32;

double nacho::predictedSeconds(const KernelCounts &launch, int64_t blocks) {
  int64_t sectors = launch.sectorsLoaded + launch.sectorsStored;
  double moving = launch.sectorsMoved * kSectorBytes / kBytesPerSecond;
  double caching = sectors * kSectorBytes / (kCachedBytesPerCycle * kClock);
  // Conflicts take turns of an instruction that is issued again.
  int64_t issues = launch.issued + launch.bankConflicts;
  int64_t busy = std::clamp<int64_t>(blocks, 1, kProcessors);
  double issuing = issues / (busy * kIssuesPerCycle * kClock);
  double waiting = launch.longest * kCyclesPerInstruction / kClock;
  return kLaunchSeconds + std::max({moving, caching, issuing, waiting});
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

KernelCounts &KernelCounts::operator+=(const KernelCounts &other) {
  for (auto field :
       {&KernelCounts::launches, &KernelCounts::warps,
        &KernelCounts::sectorsLoaded, &KernelCounts::sectorsStored,
        &KernelCounts::sectorsMoved, &KernelCounts::bytesLoaded,
        &KernelCounts::bytesStored, &KernelCounts::sharedAccesses,
        &KernelCounts::bankConflicts, &KernelCounts::atomics,
        &KernelCounts::issued, &KernelCounts::useful, &KernelCounts::longest})
    this->*field += other.*field;
  predicted += other.predicted;
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
