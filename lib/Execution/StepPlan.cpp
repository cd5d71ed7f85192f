//===- StepPlan.cpp - One step of a kernel on its operands ----------------===//

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <new>
#include <utility>

using namespace nacho;

std::optional<Refusal> nacho::throwOrRefuse(int32_t status) {
  if (status & kNoMemory)
    allocateFor("sorting entries", throwKept);
  if (status & kCoordinateOutOfRange)
    throw CoordinateOutOfRange("coordinate-out-of-range: a coordinate of an "
                               "operand is outside its extent");
  if (status & kRowTooWide)
    return Refusal{Refusal::splitRows, "a row is too wide for a workspace"};
  if (status & kDraftFull)
    return Refusal{Refusal::counts, "a draft was full"};
  if (status & kOperandsChanged)
    throw OperandsChanged();
  return std::nullopt;
}

/// The pieces of heavy rows are a fraction of what a part has. Workers that
/// take one part after the other need no finer ones than for a part each.
static int64_t partsOf(const Step &step, const Choice &choice) {
  return step.list == Step::List::ofPieces ? choice.workers() : choice.parts;
}

StepPlan::StepPlan(const Step &step, const Choice &choice)
    : step(&step), parts(partsOf(step, choice)), workers(choice.workers()),
      isShared(choice.isShared), acceptsImbalance(choice.acceptsImbalance),
      acceptsOnePart(choice.acceptsOnePart), indices(choice.variant.indices),
      bounds(unwrittenBounds()), order(step.device(), 0),
      offsets(unwrittenOffsets()),
      buckets(step.device(), step.bucketType(), 0) {
  std::vector<WorkspaceLayout> layouts = step.workspaces();
  workspaces.reserve(layouts.size());
  for (const WorkspaceLayout &layout : layouts)
    workspaces.emplace_back(step.device(), layout);
}

/// Room for the offsets, which the scan of the counts writes.
Numbers<int64_t> StepPlan::unwrittenOffsets() const {
  return {step->device(), (parts + 1) * step->countColumns,
          /*isWritten=*/true};
}

/// Room for the cuts, the sizes and the status.
Numbers<int64_t> StepPlan::unwrittenBounds() const {
  return {step->device(), statusAt() + 1, /*isWritten=*/true};
}

/// The workspaces of a call with so many threads.
std::vector<Workspace> StepPlan::prepareWorkspaces(int64_t threads,
                                                   bool hasSums) {
  std::vector<Workspace> prepared;
  for (size_t n = 0; n < workspaces.size(); ++n) {
    bool isSums = n == 0 && step->scattered;
    prepared.push_back(allocateFor("a workspace of each thread", [&] {
      return workspaces[n].prepare(threads, hasSums || !isSums);
    }));
  }
  return prepared;
}

/// Calls again with larger workspaces as long as one was full.
std::optional<Refusal>
StepPlan::callWithWorkspaces(int64_t threads, bool hasSums, StepCall call) {
  while (true) {
    int64_t most = threadsWithWorkspaces(threads);
    std::vector<Workspace> prepared = prepareWorkspaces(most, hasSums);
    int32_t status = untilDone([&] {
      int32_t status = call(prepared, most);
      // Parts that were stopped have left something in their workspaces.
      if (isSet(stopWord()))
        for (WorkspaceMemory &memory : workspaces)
          memory.empty();
      return status;
    });
    if (auto refusal = throwOrRefuse(status))
      return refusal;
    if (!(status & kWorkspaceFull))
      return std::nullopt;
    for (WorkspaceMemory &memory : workspaces)
      memory.grow();
  }
}

Step::Parts StepPlan::allParts() {
  return {parts, bounds.data(), offsets.data(), order.data()};
}

Step::Scratch StepPlan::scratch(const std::vector<Workspace> &prepared) const {
  return {prepared, buckets.data, buckets.size / (2 * parts)};
}

/// Calls the function that cuts the step.
void StepPlan::cut(const std::vector<Argument> &args, int64_t within,
                   int64_t threads) {
  untilDone([&] { step->partition(args, allParts(), within, threads); });
  cutCosts.clear();
  cost = bounds.read(lastAt(), 1)[0];
  checkCost();
}

std::optional<Refusal> StepPlan::partition(const std::vector<Argument> &args,
                                           int64_t within, int64_t threads) {
  if (auto refusal = refuseLengths(args))
    return refusal;
  cut(args, within, threads);
  return within == parts ? refuseImbalance() : std::nullopt;
}

std::optional<Refusal> StepPlan::plan(const std::vector<Argument> &args,
                                      int64_t threads) {
  isPlannedAsKnown = false;
  sizeWorkspaces(args);
  sizeBuckets(args, threads);
  if (isShared)
    adaptParts(args, threads);
  if (auto refusal = refuseOperands(args))
    return refusal;
  if (isRefusedFirst())
    if (auto refusal = partition(args, parts, threads))
      return refusal;
  if (step->hasFixedParts)
    if (auto refusal = fixParts(args, threads))
      return refusal;
  if (auto refusal = callPlan(args, threads))
    return refusal;
  if (isShared)
    if (int64_t most = partsWithRows(); most < parts) {
      divide(most);
      if (auto refusal = callPlan(args, threads))
        return refusal;
    }
  if (step->isDraft())
    if (auto refusal = acceptDraft(args))
      return refusal;
  checkIndexTypes();
  orderParts(threads);
  return std::nullopt;
}

/// Fixes the number of parts. The cuts of a single part tell the cost of the
/// step; where parts add to rows of sums, its plan tells their size, and takes
/// little time, since nothing is counted.
std::optional<Refusal> StepPlan::fixParts(const std::vector<Argument> &args,
                                          int64_t threads) {
  divide(1);
  if (step->partials.empty()) {
    cut(args, parts, threads);
    divide(Chooser::fixedParts(mostEntries(), /*rowSize=*/0));
    return std::nullopt;
  }
  if (auto refusal = callPlan(args, threads))
    return refusal;
  if (auto refusal = refuseOnePart(threads))
    return refusal;
  divide(Chooser::fixedParts(mostEntries(), rowSize()));
  return std::nullopt;
}

/// Calls the function that plans the step, and reads the sizes that it finds.
std::optional<Refusal> StepPlan::callPlan(const std::vector<Argument> &args,
                                          int64_t threads) {
  std::optional<Numbers<int64_t>> counts;
  if (step->countColumns && !step->isDraft())
    counts.emplace(step->device(), parts * step->countColumns,
                   /*isWritten=*/true);
  int64_t *record = bounds.data();
  Step::Planned planned = {counts ? counts->data() : nullptr,
                           record + sizesAt(),
                           statusWord(),
                           {excess(), earlierWord()}};
  int32_t status = 0;
  auto call = [&](const std::vector<Workspace> &prepared, int64_t threads) {
    if (!std::exchange(expectsReport, false))
      bounds.clear(statusAt(), 1);
    step->plan(args, allParts(), planned, scratch(prepared), threads);
    return status = readPlanned();
  };
  if (auto refusal = callWithWorkspaces(threads, /*hasSums=*/false, call))
    return refusal;
  checkCost();
  if (auto refusal = refuseResult())
    return refusal;
  if (!step->guardsCounts())
    return std::nullopt;
  std::optional<Refusal> refusal = refuseImbalance();
  // What was not counted must not be taken for empty.
  if ((status & kPartTooHeavy) && !refusal)
    throw OperandsChanged();
  return refusal;
}

/// Changes the number of parts that Nacho chose: to fewer, if their tables are
/// worth no more, or if one thread fills a draft, in which one part leaves no
/// gaps; to more, if threads have drafts of a part.
void StepPlan::adaptParts(const std::vector<Argument> &args, int64_t threads) {
  bool isOne = threads == 1 && step->isDraft();
  int64_t most = isOne ? 1 : partsWithTables(args);
  if (most < parts)
    divide(most);
  else if (!isOne && step->movesInTurn())
    refineParts(args);
}

/// Refuses a draft that is too large, or whose parts are too unequal.
std::optional<Refusal>
StepPlan::acceptDraft(const std::vector<Argument> &args) {
  if (step->movesInTurn())
    boundByLengths(args);
  std::optional<Refusal> refusal = refuseImbalance();
  return refusal ? refusal : refuseDraft();
}

/// Changes the number of parts. There are no cuts until the step is planned.
void StepPlan::divide(int64_t intoParts) {
  parts = intoParts;
  cutCosts.clear();
  bounds = unwrittenBounds();
  offsets = unwrittenOffsets();
}

/// Decides in which order threads start the parts, if parts may be unequal.
void StepPlan::orderParts(int64_t threads) {
  if (!step->hasOrder())
    return;
  std::vector<int64_t> numbers = Chooser::startOrder(partCosts(), threads);
  order = Numbers<int64_t>(step->device(), parts);
  order.write(0, numbers.data(), parts);
}

/// Throws if an earlier step has reported that its operands were wrong: it has
/// been counted, so that no program can do more with them.
static void throwIfReported(int32_t earlier) {
  bool isWrong = earlier & ~kPartTooHeavy;
  if (!isWrong)
    return;
  throwOrRefuse(earlier);
  throw OperandsChanged();
}

/// Reads back, at once, the cost before the last cut, which is that of all
/// parts, the sizes and the status, which it returns; and the status of earlier
/// steps. If parts are refused by their costs, it reads these, too.
int32_t StepPlan::readPlanned() {
  int64_t first = step->guardsCounts() ? 0 : lastAt();
  HostView<int64_t> record = bounds.read(first, bounds.size() - first);
  cutCosts.clear();
  for (int64_t at = first; at <= lastAt(); at += step->boundColumns)
    cutCosts.push_back(record[at - first]);
  cost = cutCosts.back();
  const int64_t *found = &record[sizesAt() - first];
  sizes.assign(found, found + step->numSizes());
  int64_t status = record[statusAt() - first];
  auto earlier = int32_t(status >> 32);
  throwIfReported(earlier);
  return int32_t(status) | earlier;
}

std::vector<Argument> nacho::argumentsOf(const std::vector<Buffer> &buffers) {
  std::vector<Argument> args;
  args.reserve(buffers.size());
  for (const Buffer &buffer : buffers)
    args.push_back(buffer.argument());
  return args;
}

std::optional<Refusal> StepPlan::execute(const Step &by,
                                         const std::vector<Argument> &args,
                                         std::vector<Buffer> &made,
                                         int64_t threads,
                                         const std::optional<Argument> &room) {
  if (!ready.empty()) {
    made = std::exchange(ready, {});
    return std::nullopt;
  }
  if (!step->isDraft()) {
    made = room ? arrayIn(*room) : allocate();
    return fill(by, args, argumentsOf(made), {}, threads);
  }
  if (step->movesInTurn())
    return executeInTurn(by, args, made, threads);
  if (auto refusal = allocateDraft(made))
    return refusal;
  Numbers<int64_t> counts(step->device(), parts * step->countColumns);
  Numbers<int64_t> moved(step->device(), (parts + 1) * step->countColumns);
  Numbers<int64_t> found(step->device(), step->numSizes());
  Step::Drafted drafted = {counts.data(), moved.data(), found.data()};
  if (auto refusal = fill(by, args, argumentsOf(made), drafted, threads))
    return refusal;
  HostView<int64_t> numbers = found.read();
  sizes.assign(numbers.begin(), numbers.end());
  // A single part leaves no gaps in the draft: it is the result, if it is not
  // to be sorted. A list is soon released.
  if (parts > 1 || step->isSorted())
    return compact(by, args, made, moved.data(), threads);
  if (step->list == Step::List::inOrder)
    shrink(made);
  else
    fit(made);
  return std::nullopt;
}

/// Moves the entries of the draft `made` to arrays of their own.
std::optional<Refusal> StepPlan::compact(const Step &by,
                                         const std::vector<Argument> &args,
                                         std::vector<Buffer> &made,
                                         int64_t *moved, int64_t threads) {
  std::vector<Buffer> compacted = allocate();
  int32_t status = untilDone([&] {
    return by.compact(args, allParts(), moved, argumentsOf(made),
                      argumentsOf(compacted), threads);
  });
  made = std::move(compacted);
  return throwOrRefuse(status);
}

std::optional<Refusal>
StepPlan::executeAgain(const std::vector<Argument> &args,
                       const std::vector<Buffer> &results, int64_t threads) {
  return fill(*step, args, argumentsOf(results), {}, threads);
}

/// Whether the only row of sums can be the result itself.
bool StepPlan::addsToResult() const {
  return parts == 1 && step->partialRows == 1 && !step->countColumns &&
         step->partials == std::vector{step->result.values};
}

std::optional<Refusal> StepPlan::fill(const Step &by,
                                      const std::vector<Argument> &args,
                                      const std::vector<Argument> &results,
                                      Step::Drafted drafted, int64_t threads) {
  // A dense result without entries needs neither work nor workspaces.
  if (!step->countColumns && !numEntries())
    return std::nullopt;
  int64_t rows = step->partials.empty() ? 0 : step->partialRows * parts;
  std::vector<Buffer> memory;
  Step::Sums sums;
  sums.rowSize = rowSize();
  if (addsToResult())
    sums.partials.push_back(results.back().data);
  else
    for (ElementType type : step->partials) {
      memory.push_back(allocateFor("the sums of each part", [&] {
        return Buffer(step->device(), type, checkedProduct(rows, rowSize()));
      }));
      sums.partials.push_back(memory.back().data);
    }
  std::optional<Numbers<int64_t>> visited;
  if (!sums.partials.empty()) {
    visited.emplace(step->device(), std::max<int64_t>(rows, 1),
                    /*isWritten=*/true);
    sums.visited = visited->data();
  }
  if (step->scattered)
    workspaces.front().coverExtent(extents()[*step->scattered]);
  if (reportsTo || hasLateStatus) {
    fillLater(by, args, results, sums, threads);
    return std::nullopt;
  }
  return callWithWorkspaces(
      threads, /*hasSums=*/true,
      [&](const std::vector<Workspace> &prepared, int64_t threads) {
        return by.execute(args, allParts(), drafted, results, sums,
                          scratch(prepared), threads);
      });
}

std::vector<int64_t> StepPlan::partCosts() const {
  int64_t columns = step->boundColumns;
  std::vector<int64_t> costs(parts);
  if (int64_t(cutCosts.size()) == parts + 1) {
    for (int64_t part = 0; part < parts; ++part)
      costs[part] = cutCosts[part + 1] - cutCosts[part];
    return costs;
  }
  HostView<int64_t> cuts = bounds.read();
  for (int64_t part = 0; part < parts; ++part)
    costs[part] = cuts[(part + 1) * columns] - cuts[part * columns];
  return costs;
}

int64_t StepPlan::mostEntries() const {
  return total() / step->entryCost + (total() % step->entryCost != 0);
}
