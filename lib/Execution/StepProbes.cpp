//===- StepProbes.cpp - Results that are too large, before all is counted -===//
//
// To count the entries of a result can take as long as to compute them. So if
// memory is limited, and the cost allows for more entries than the limit has
// room for, some small parts are counted first, here and there:
//
//   parts that were counted have more entries than there is room for: refuse
//   all parts, if they are like those that were counted, have room: go on
//   otherwise: count another part
//
// So what is refused is certain, and what is not refused was seldom looked at
// for longer than a sixtieth of the time that it takes to count all of it.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Workers.h"

using namespace nacho;

/// Into so many parts a step is cut that is looked at.
static constexpr int64_t kProbes = 512;
/// So many parts are counted before anything is said of the others.
static constexpr int64_t kFewestProbes = 8;
/// How far the next part is, so that neighbours do not come one after the
/// other: a number that has no factor with the number of parts in common.
static constexpr int64_t kStride = 197;
/// Work that costs less is counted in some milliseconds.
static constexpr int64_t kWorthProbing = int64_t(1) << 24;

/// The bytes that an entry takes at least: those of its value, and of its
/// coordinate in the last level, since entries can share the others.
int64_t StepPlan::leastEntryBytes() const {
  int64_t bytes = sizeOf(step->result.values);
  for (const TensorLayout::Array &array : step->result.levels.back().arrays)
    bytes += array.perEntry * sizeOf(array.type);
  return bytes;
}

void StepPlan::throwIfTooLarge(const std::vector<Argument> &args,
                               int64_t threads) const {
  MemoryBudget *budget = Spending::current().get();
  if (!budget || !step->device().isHost() || !step->countColumns ||
      step->isDraft() || step->buckets || step->result.levels.back().isFull)
    return;
  // Some of what is in use now may be given back until the result is made.
  int64_t bytes = leastEntryBytes(), room = budget->total() / bytes;
  StepPlan probed(*step, choiceOf(kProbes));
  probed.cut(args, kProbes, threads);
  if (probed.total() < kWorthProbing || probed.mostEntries() <= room)
    return;
  probed.sizeWorkspaces(args);
  int64_t columns = step->countColumns, entries = 0;
  std::vector<int64_t> counts(kProbes * columns);
  for (int64_t n = 1; n <= kProbes; ++n) {
    int64_t part = n * kStride % kProbes;
    auto count = [&](const std::vector<Workspace> &prepared, int64_t) {
      OnlyPart only(part);
      return step->assemble(args, probed.allParts(), counts.data(),
                            probed.scratch(prepared), /*threads=*/1);
    };
    if (probed.callWithWorkspaces(/*threads=*/1, /*hasSums=*/false, count))
      return;
    entries += counts[(part + 1) * columns - 1];
    if (entries > room)
      allocateFor("the result", [&] { budget->refuse(entries * bytes); });
    if (n >= kFewestProbes && entries / n * kProbes <= room)
      return;
  }
}
