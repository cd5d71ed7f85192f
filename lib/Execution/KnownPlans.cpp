//===- KnownPlans.cpp - Plans that follow from the lengths of arrays ------===//
//
// A dense result has as many elements as its extents say, and if a single
// operand stores coordinates, its arrays are as long as loops over it take
// steps. Then neither the number of parts nor any other size is news from the
// device. What goes wrong there is read later: see Device::readLater().
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/KnownPlans.h"

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>

using namespace nacho;

/// Callers of a kernel seldom alternate between more lengths than this.
static constexpr size_t kMostPlans = 64;

std::optional<KnownPlan> KnownPlans::find(const Key &key) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto known = plans.find(key);
  return known == plans.end() ? std::nullopt : std::optional(known->second);
}

void KnownPlans::add(const Key &key, KnownPlan plan) {
  std::lock_guard<std::mutex> lock(mutex);
  if (plans.size() >= kMostPlans)
    plans.clear();
  plans[key] = std::move(plan);
}

void KnownPlans::forget(const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  plans.erase(key);
}

//===----------------------------------------------------------------------===//
// Steps whose plans are known
//===----------------------------------------------------------------------===//

static bool storesCoordinates(const TensorLayout &layout) {
  return std::any_of(
      layout.levels.begin(), layout.levels.end(),
      [](const TensorLayout::Level &level) { return !level.isFull; });
}

/// Whether each level has as many positions as its arrays say that have an
/// element for each of them.
static bool haveLengthsOfPositions(const TensorLayout &layout) {
  for (const TensorLayout::Level &level : layout.levels)
    for (const TensorLayout::Array &array : level.arrays)
      if (array.wordSize || (array.holdsPositions && array.extra != 1))
        return false;
  return true;
}

/// Whether all loops that visit what is stored follow one access to one tensor.
static bool followOneAccess(const Step &step) {
  std::optional<int64_t> followed;
  for (const std::vector<int64_t> &accesses : step.loops)
    for (int64_t access : accesses)
      if (followed.value_or(access) != access)
        return false;
      else
        followed = access;
  for (size_t loop = 0; loop < step.loops.size(); ++loop)
    if (!step.fullLoops[loop] && step.loops[loop].empty())
      return false;
  return true;
}

bool Step::dependsOnLengthsAlone() const {
  if (countColumns || isDraft() || list != List::none || hasUnequalParts() ||
      buckets || !workspaces().empty() || !followOneAccess(*this))
    return false;
  int64_t numStored = 0;
  for (size_t n = 0; n < operands.size(); ++n) {
    if (inputs[n].isStep || !haveLengthsOfPositions(operands[n]))
      return false;
    numStored += storesCoordinates(operands[n]);
  }
  return numStored <= 1;
}

bool StepPlan::findKnown(const std::vector<Argument> &args, int64_t threads) {
  KnownPlans::Key key = sizesOf(args);
  key.insert(key.end(), {threads, parts, workers, isShared, acceptsOnePart});
  std::optional<KnownPlan> known = step->known->find(key);
  foreseen = std::move(key);
  if (!known)
    return false;
  divide(known->parts);
  cost = known->cost;
  sizes = std::move(known->sizes);
  return true;
}

void StepPlan::keepPlan() const {
  if (!foreseen.empty())
    step->known->add(foreseen, {parts, cost, sizes});
}

void StepPlan::planAsKnown(const std::vector<Argument> &args, int64_t threads) {
  isPlannedAsKnown = true;
  bounds.clear(statusAt(), 1);
  if (!step->has(Phase::run))
    cutAsKnown(args, threads);
}

/// Finds the cuts. A step that has a function for both does that when it fills
/// the result.
void StepPlan::cutAsKnown(const std::vector<Argument> &args, int64_t threads) {
  int64_t *record = bounds.data();
  Step::Planned planned = {nullptr, record + sizesAt(), statusWord()};
  untilDone(
      [&] { step->plan(args, allParts(), planned, scratch({}), threads); });
}

/// Others are executed again, or by another program, where a status says so.
/// Workspaces that had room for all that was counted have room for it again.
void StepPlan::allowLateStatus() {
  hasLateStatus = (workspaces.empty() || step->countColumns) &&
                  !step->isDraft() && !step->buckets &&
                  step->list == Step::List::none;
}

/// Whether the number of parts, and with it the place of the record, may change
/// before the step is planned, or the step may be refused before.
bool StepPlan::changesFirst() const {
  bool mayMerge = std::any_of(
      step->tables.begin(), step->tables.end(),
      [](const Step::OperandLevel &table) { return table.level == 0; });
  return mayMerge || step->hasFixedParts || step->buckets || isRefusedFirst();
}

/// The next step may begin before anybody knows that its operands are right: of
/// a tensor, it only reads what is there, and what a list may lead it to, it
/// reads if no status is set.
void StepPlan::reportTo(StepPlan &next) {
  bool isSafe =
      step->list == Step::List::none ||
      (step->list == Step::List::inOrder && next.step->guardsCounts());
  bool isCalledOnce = workspaces.empty() || step->countColumns;
  if (step->device().isHost() || step->isDraft() || step->buckets || !isSafe ||
      !isCalledOnce || next.changesFirst())
    return;
  next.bounds.clear(next.statusAt(), 1);
  next.expectsReport = true;
  reportsTo = &next;
}

void StepPlan::awaitRecord() {
  size_t length = bounds.size() - lastAt(), status = statusAt() - lastAt();
  auto check = [=, plans = step->known, key = foreseen,
                expected = cost](const void *read) {
    const auto *record = static_cast<const int64_t *>(read);
    auto found = int32_t(record[status]);
    if (found || record[0] != expected)
      plans->forget(key);
    if (throwOrRefuse(found) || (found & kWorkspaceFull))
      throw OperandsChanged();
  };
  if (waitsForStatus)
    return check(bounds.read(lastAt(), length).data());
  step->device().readLater(bounds.data() + lastAt(), length * sizeof(int64_t),
                           check);
}

/// Fills a result of which nobody waits for the status. Parts that a signal
/// stops leave something in their workspaces, and report what is not so.
void StepPlan::fillLater(const Step &by, const std::vector<Argument> &args,
                         const std::vector<Argument> &results,
                         const Step::Sums &sums, int64_t threads) {
  StepPlan *next = std::exchange(reportsTo, nullptr);
  StepPlan &reader = next ? *next : *this;
  int64_t most = threadsWithWorkspaces(threads);
  std::vector<Workspace> prepared = prepareWorkspaces(most, /*hasSums=*/true);
  bool cutsHere = isPlannedAsKnown && by.has(Phase::run), wasStopped = false;
  untilDone([&] {
    if (std::exchange(wasStopped, false)) {
      reader.bounds.clear(reader.statusAt(), 1);
      // What the search has reported has not been read, either.
      if (isPlannedAsKnown && !cutsHere)
        cutAsKnown(args, threads);
    }
    int32_t *status = next ? next->earlierWord() : statusWord();
    if (cutsHere)
      by.runLater(args, allParts(), /*counts=*/nullptr, results, sums,
                  scratch(prepared), bounds.data() + sizesAt(), status, most);
    else
      by.executeLater(args, allParts(), results, sums, scratch(prepared),
                      status, most);
    if (!isSet(stopWord()))
      return;
    wasStopped = true;
    for (WorkspaceMemory &memory : workspaces)
      memory.empty();
  });
  if (!next)
    awaitRecord();
}
