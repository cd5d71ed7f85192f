//===- Plan.cpp - One kernel on one set of operands -----------------------===//

#include "nacho/Execution/Plan.h"

#include "Foresight.h"

#include <algorithm>
#include <utility>

using namespace nacho;

/// The number of elements of every array, and the extents.
static std::vector<int64_t> sizesOf(const std::vector<Argument> &args) {
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

Plan::Plan(std::shared_ptr<const Kernel> kernel, int64_t parts, int64_t workers)
    : kernel(std::move(kernel)), parts(parts), workers(workers) {
  startSteps();
}

void Plan::startSteps() {
  steps.clear();
  for (const Step &step : kernel->steps)
    steps.emplace_back(step, parts, workers);
}

std::vector<Argument>
Plan::argumentsOf(const Step &step, const std::vector<Argument> &args) const {
  std::vector<size_t> begins = {0};
  for (const TensorLayout &operand : kernel->operands)
    begins.push_back(begins.back() + operand.numArguments());
  std::vector<Argument> found;
  for (const StepInput &input : step.inputs) {
    if (input.isStep) {
      std::vector<Argument> made =
          steps[input.index].arguments(results[input.index]);
      found.insert(found.end(), made.begin(), made.end());
    } else {
      found.insert(found.end(), args.begin() + begins[input.index],
                   args.begin() + begins[input.index + 1]);
    }
  }
  return found;
}

/// Plans and executes all steps but the last, which needs their results.
void Plan::planInner(const std::vector<Argument> &args, int64_t threads) {
  results.clear();
  for (size_t n = 0; n + 1 < steps.size(); ++n) {
    std::vector<Argument> inputs = argumentsOf(*steps[n].step, args);
    steps[n].plan(inputs, threads);
    results.push_back(steps[n].execute(*steps[n].step, inputs, threads));
  }
}

/// Calls `f`. If drafts are too large for these operands, switches to the
/// variant that counts and calls `f` again.
template <typename F>
void Plan::draftOrCount(F f) {
  try {
    f();
  } catch (const DraftTooLarge &) {
    kernel = kernel->counting();
    startSteps();
    f();
  }
}

void Plan::partition(const std::vector<Argument> &args, int64_t inner,
                     int64_t threads) {
  draftOrCount([&] { planInner(args, threads); });
  StepPlan &target = steps.back();
  std::vector<Argument> inputs = argumentsOf(*target.step, args);
  int64_t parts = target.parts, columns = target.step->boundColumns;
  if (inner == 1 || inner == parts)
    return target.partition(inputs, parts, threads);
  StepPlan outer(*target.step, parts / inner, parts / inner);
  outer.partition(inputs, outer.parts, threads);
  HostView<int64_t> cuts = outer.bounds.read();
  for (int64_t row = 0; row <= outer.parts; ++row)
    target.bounds.write(row * inner * columns, &cuts[row * columns], columns);
  target.partition(inputs, inner, threads);
}

void Plan::plan(const std::vector<Argument> &args, int64_t threads) {
  draftOrCount([&] { planSteps(args, threads); });
}

std::vector<Buffer> Plan::execute(const std::vector<Argument> &args,
                                  bool isPlanned, int64_t threads) {
  auto isDraft = [](const Step &step) { return step.isDraft; };
  if (std::any_of(kernel->steps.begin(), kernel->steps.end(), isDraft) &&
      (!isPlanned || isSpent.exchange(true)))
    throw std::logic_error("a plan without counts can be executed once");
  std::vector<Buffer> made;
  bool isAgain = false;
  draftOrCount([&] {
    if (std::exchange(isAgain, true))
      planSteps(args, threads);
    made = executeSteps(args, isPlanned, threads);
  });
  return made;
}

void Plan::planSteps(const std::vector<Argument> &args, int64_t threads) {
  planInner(args, threads);
  std::vector<Argument> inputs = argumentsOf(kernel->last(), args);
  StepPlan &last = steps.back();
  last.plan(inputs, threads);
  planned = sizesOf(args);
  if (last.step->isDraft &&
      !hasFewMatches(*last.step, inputs, last.bounds, last.parts))
    throw DraftTooLarge();
}

std::vector<Buffer> Plan::executeSteps(const std::vector<Argument> &args,
                                       bool isPlanned, int64_t threads) {
  if (sizesOf(args) != planned)
    throw OperandsChanged();
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  if (steps.size() > 1 || !kernel->last().workspaces().empty())
    lock.lock();
  for (size_t n = 0; n < steps.size(); ++n) {
    bool isLast = n + 1 == steps.size();
    if (!isLast && isPlanned)
      continue;
    std::vector<Argument> inputs = argumentsOf(*steps[n].step, args);
    if (!isLast) {
      steps[n].executeAgain(inputs, results[n], threads);
      continue;
    }
    const Kernel &by =
        steps[n].isForeseen ? kernel->branching(steps[n].total()) : *kernel;
    return steps[n].execute(by.steps[n], inputs, threads);
  }
  return {};
}
