//===- Plan.cpp - One kernel on one set of operands -----------------------===//

#include "nacho/Execution/Plan.h"

#include "Foresight.h"
#include "Overlap.h"
#include "nacho/Execution/Canonical.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <utility>

using namespace nacho;

std::vector<int64_t> nacho::sizesOf(const std::vector<Argument> &args) {
  std::vector<int64_t> sizes;
  sizes.reserve(args.size());
  for (const Argument &arg : args)
    sizes.push_back(arg.size);
  return sizes;
}

int64_t Plan::listBytes(size_t step) const {
  int64_t bytes = 0;
  for (const Buffer &buffer : results[step])
    bytes += buffer.numBytes();
  return bytes;
}

bool nacho::haveSizes(const std::vector<Argument> &args,
                      const std::vector<int64_t> &sizes) {
  return std::equal(
      args.begin(), args.end(), sizes.begin(), sizes.end(),
      [](const Argument &arg, int64_t size) { return arg.size == size; });
}

Plan::Plan(std::shared_ptr<const Kernel> kernel, const Asked &asked)
    : kernel(std::move(kernel)), asked(asked), begins({0}) {
  if (asked.memory)
    budget = std::make_shared<MemoryBudget>(asked.memory);
  for (const TensorLayout &operand : this->kernel->operands)
    begins.push_back(begins.back() + operand.numArguments());
}

/// Chooses how to compute a call with these arguments.
void Plan::begin(const std::vector<Argument> &args) {
  if (asked.work >= kWatchedFrom)
    SignalWatch::begin();
  int64_t available = asked.threads ? 0 : kernel->device.defaultThreads();
  Facts facts = kernel->chooser.factsOf(kernel->operands, args);
  if (kernel->chooser.wantsOverlap(asked, facts))
    facts.overlap = sampleOverlap(kernel->device, kernel->operands, args);
  facts.isCrowded =
      kernel->chooser.wantsCrowd(asked) && kernel->device.isCrowded();
  choice = kernel->chooser.choose(asked, facts, available);
  results.clear();
  startSteps();
}

/// The number of steps with results with which the other program begins, too.
size_t Plan::countSteps(const Program &other) const {
  auto isSame = [](const StepPlan &plan, const Step &step) {
    return plan.step->loopsDigest == step.loopsDigest &&
           plan.step->fill == step.fill;
  };
  size_t most = std::min(results.size(), other.steps.size() - 1), count = 0;
  while (count < most && isSame(steps[count], other.steps[count]))
    ++count;
  return count;
}

/// Starts the program of the choice. Steps that the program before had, too,
/// are not done again.
void Plan::startSteps() {
  std::shared_ptr<const Program> next = kernel->program(choice.variant);
  size_t numDone = countSteps(*next);
  results.resize(numDone);
  choice.adaptParts(*next, kernel->device.entriesPerPart());
  std::vector<StepPlan> started;
  started.reserve(next->steps.size());
  for (size_t n = 0; n < next->steps.size(); ++n) {
    if (n < numDone)
      started.push_back(std::move(steps[n]));
    else
      started.emplace_back(next->steps[n], choice);
    started.back().step = &next->steps[n];
    started.back().indices = choice.variant.indices;
  }
  steps = std::move(started);
  program = std::move(next);
}

/// The division of rows, without pieces of heavy rows if the program has none:
/// what had no effect need not be refused.
static Rows rowsOf(const Choice &choice, const Program &program) {
  bool hasPieces = program.variant.rows >= Rows::pieces;
  return hasPieces ? choice.variant.rows
                   : std::min(choice.variant.rows, Rows::heavyApart);
}

/// Calls `run` until it is not refused, each time with another program. There
/// are few attempts: each refusal turns a choice off.
void Plan::attempt(Attempt run) {
  while (std::optional<Refusal> refusal = run()) {
    choice.variant.rows = rowsOf(choice, *program);
    std::optional<Choice> other = kernel->chooser.instead(choice, *refusal);
    // Programs refuse operands only for what the chooser can turn off, unless
    // the arrays of the operands changed while they were read.
    if (!other)
      throw OperandsChanged();
    choice = std::move(*other);
    startSteps();
  }
}

std::vector<std::string> Plan::describe() const {
  Choice described = choice;
  described.variant.rows = rowsOf(choice, *program);
  for (const StepPlan &step : steps)
    described.heaviest = std::max(described.heaviest, step.heaviest);
  const StepPlan &last = steps.back();
  if (last.step->hasFixedParts && !last.sizes.empty()) {
    described.fixedParts = last.parts;
    described.rowSize = last.rowSize();
  }
  return kernel->chooser.describe(described, *program);
}

/// The arguments of a step: those of the plan, if the step takes all of them as
/// they are, else what is `made`.
const std::vector<Argument> &
Plan::argumentsOf(const Step &step, const std::vector<Argument> &args,
                  std::vector<Argument> &made) const {
  size_t first = 0;
  while (first < step.inputs.size() && !step.inputs[first].isStep &&
         step.inputs[first].index == first)
    ++first;
  if (first == step.inputs.size() && first + 1 == begins.size())
    return args;
  made.reserve(args.size());
  for (const StepInput &input : step.inputs) {
    if (input.isStep) {
      std::vector<Argument> result =
          steps[input.index].arguments(results[input.index]);
      made.insert(made.end(), result.begin(), result.end());
    } else {
      made.insert(made.end(), args.begin() + begins[input.index],
                  args.begin() + begins[input.index + 1]);
    }
  }
  return made;
}

/// Plans and executes all steps but the last, which needs their results, and
/// which the caller then plans, or only cuts.
std::optional<Refusal> Plan::planInner(const std::vector<Argument> &args,
                                       bool countsLast) {
  for (size_t n = results.size(); n + 1 < steps.size(); ++n) {
    const Step &step = *steps[n].step;
    std::vector<Argument> own;
    const std::vector<Argument> &inputs = argumentsOf(step, args, own);
    if (auto refusal = steps[n].plan(inputs, choice.threads))
      return refusal;
    if (countsLast || n + 2 < steps.size())
      steps[n].reportTo(steps[n + 1]);
    std::vector<Buffer> made;
    if (auto refusal = steps[n].execute(step, inputs, made, choice.threads))
      return refusal;
    results.push_back(std::move(made));
  }
  return std::nullopt;
}

void Plan::partition(const std::vector<Argument> &args, int64_t inner) {
  Spending spending(budget);
  begin(args);
  attempt([&]() -> std::optional<Refusal> {
    if (auto refusal = planInner(args, /*countsLast=*/false))
      return refusal;
    return cutLast(args, inner);
  });
}

/// Cuts the last step: see partition().
std::optional<Refusal> Plan::cutLast(const std::vector<Argument> &args,
                                     int64_t inner) {
  StepPlan &target = steps.back();
  std::vector<Argument> own;
  const std::vector<Argument> &inputs = argumentsOf(*target.step, args, own);
  int64_t parts = target.parts, columns = target.step->boundColumns;
  if (inner == 1 || inner == parts)
    return target.partition(inputs, parts, choice.threads);
  Choice coarse = choice;
  coarse.parts = parts / inner;
  coarse.isShared = false;
  StepPlan outer(*target.step, coarse);
  if (auto refusal = outer.partition(inputs, outer.parts, choice.threads))
    return refusal;
  HostView<int64_t> cuts = outer.bounds.read();
  for (int64_t row = 0; row <= outer.parts; ++row)
    target.bounds.write(row * inner * columns, &cuts[row * columns], columns);
  return target.partition(inputs, inner, choice.threads);
}

void Plan::plan(const std::vector<Argument> &args) {
  Spending spending(budget);
  begin(args);
  attempt([&] { return planSteps(args); });
}

void Plan::planAgain(const std::vector<Argument> &args) {
  Spending spending(budget);
  results.clear();
  isSpent = false;
  attempt([&] { return planSteps(args); });
}

/// Whether the lengths of the operands may tell all that the last step's plan
/// finds out. Of what the host computes itself, it knows as much at once.
bool Plan::isPlannedByLengths() const {
  return asked.purpose == Purpose::call && !kernel->device.isHost() &&
         steps.size() == 1 && program->last().dependsOnLengthsAlone();
}

std::optional<Refusal> Plan::planSteps(const std::vector<Argument> &args) {
  if (auto refusal = planInner(args, /*countsLast=*/true))
    return refusal;
  std::vector<Argument> own;
  const std::vector<Argument> &inputs = argumentsOf(program->last(), args, own);
  if (!haveSizes(args, planned))
    planned = sizesOf(args);
  StepPlan &last = steps.back();
  if (asked.purpose == Purpose::call && !kernel->device.isHost())
    last.allowLateStatus();
  if (isPlannedByLengths() && last.findKnown(inputs, choice.threads)) {
    last.planAsKnown(inputs, choice.threads);
    return std::nullopt;
  }
  if (asked.purpose == Purpose::call && !kernel->device.isHost() &&
      last.runAtOnce(inputs, choice.threads))
    return std::nullopt;
  if (asked.purpose == Purpose::call)
    last.throwIfTooLarge(inputs, choice.threads);
  if (auto refusal = last.plan(inputs, choice.threads))
    return refusal;
  last.keepPlan();
  kernel->chooser.shareCost(choice, last.total(),
                            kernel->device.defaultThreads());
  takeSample(inputs);
  return std::nullopt;
}

/// Takes a sample of the innermost loop if a choice depends on one.
void Plan::takeSample(const std::vector<Argument> &inputs) {
  const StepPlan &last = steps.back();
  const Step &step = *last.step;
  choice.sample.reset();
  if (!step.merged || !step.merged->isUnion ||
      !kernel->chooser.wantsSample(last.mostEntries()))
    return;
  choice.sample = last.parts < choice.parts
                      ? sampleParts(step, inputs)
                      : sampleMerge(step, inputs, last.bounds, last.parts);
}

/// Takes a sample at the cuts of as many parts as were chosen, though the step
/// has fewer.
Sample Plan::sampleParts(const Step &step,
                         const std::vector<Argument> &inputs) const {
  StepPlan cut(step, choice);
  cut.partition(inputs, cut.parts, choice.threads);
  return sampleMerge(step, inputs, cut.bounds, cut.parts);
}

std::vector<Buffer> Plan::execute(const std::vector<Argument> &args,
                                  bool isPlanned, bool isTrusted,
                                  const std::optional<Argument> &room) {
  Spending spending(budget);
  std::vector<Buffer> made = compute(args, isPlanned, room);
  const StepPlan &last = steps.back();
  const TensorLayout &result = last.step->result;
  auto check = [&] {
    std::vector<StoredArray> arrays;
    arrays.reserve(made.size());
    for (const Buffer &buffer : made)
      arrays.push_back({buffer.type, buffer.size, buffer.data});
    return isCanonical(result, arrays, last.extents(), choice.threads);
  };
  if (!isTrusted && kernel->device.isHost() && !untilDone(check))
    throw OperandsChanged();
  return made;
}

std::vector<Buffer> Plan::compute(const std::vector<Argument> &args,
                                  bool isPlanned,
                                  const std::optional<Argument> &room) {
  if (steps.back().total() >= kWatchedFrom)
    SignalWatch::begin();
  if (program->makesDrafts() && (!isPlanned || isSpent.exchange(true)))
    throw std::logic_error("a plan without counts can be executed once");
  std::vector<Buffer> made;
  // The cuts and counts of a plan are what its owner has seen: they stay.
  if (asked.purpose == Purpose::plan) {
    if (executeSteps(args, isPlanned, made, room))
      throw OperandsChanged();
    return made;
  }
  bool isAgain = false;
  attempt([&]() -> std::optional<Refusal> {
    if (std::exchange(isAgain, true))
      if (auto refusal = planSteps(args))
        return refusal;
    return executeSteps(args, isPlanned, made, room);
  });
  return made;
}

/// The program that runs the last step with branches; null if that of the
/// choice does.
std::shared_ptr<const Program> Plan::programWithBranches() const {
  const StepPlan &last = steps.back();
  const std::optional<Step::Merge> &merged = last.step->merged;
  if (!merged || !merged->isUnion || !choice.sample ||
      !Chooser::isForeseen(*choice.sample))
    return nullptr;
  if (!Chooser::wantsBranches(choice, kernel->addMerged(last.mostEntries())))
    return nullptr;
  Variant branching = choice.variant;
  branching.branching = Branching::branches;
  try {
    return kernel->program(branching);
  } catch (const OutOfMemory &) {
    return nullptr;
  }
}

std::optional<Refusal> Plan::executeSteps(const std::vector<Argument> &args,
                                          bool isPlanned,
                                          std::vector<Buffer> &made,
                                          const std::optional<Argument> &room) {
  if (!haveSizes(args, planned))
    throw OperandsChanged();
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  if (steps.size() > 1 || program->last().buckets ||
      !program->last().workspaces().empty())
    lock.lock();
  for (size_t n = 0; n + 1 < steps.size() && !isPlanned; ++n) {
    std::vector<Argument> own;
    if (auto refusal =
            steps[n].executeAgain(argumentsOf(*steps[n].step, args, own),
                                  results[n], choice.threads)) {
      results.resize(n);
      return refusal;
    }
  }
  std::vector<Argument> own;
  const std::vector<Argument> &inputs = argumentsOf(program->last(), args, own);
  if (!isPlanned)
    steps.back().dropReady();
  std::shared_ptr<const Program> branching = programWithBranches();
  const Step &by = branching ? branching->last() : program->last();
  steps.back().waitsForStatus = !leavesOnDevice;
  return steps.back().execute(by, inputs, made, choice.threads, room);
}
