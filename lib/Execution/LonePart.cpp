//===- LonePart.cpp - Runs single parts of a step, and joins them ---------===//

#include "nacho/Execution/LonePart.h"
#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <numeric>

using namespace nacho;

LonePart StepPlan::lonePart(int64_t number) const {
  LonePart part;
  part.number = number;
  part.parts = parts;
  part.sizes = sizes;
  auto rowsOf = [&](const Numbers<int64_t> &numbers, int64_t columns) {
    HostView<int64_t> rows = numbers.read(number * columns, 2 * columns);
    return std::vector<int64_t>(rows.begin(), rows.end());
  };
  part.bounds = rowsOf(bounds, step->boundColumns);
  part.offsets = rowsOf(offsets, step->countColumns);
  return part;
}

StepPlan::StepPlan(const Step &step, const std::vector<LonePart> &given)
    : StepPlan(step, choiceOf(given.front().parts)) {
  sizes = given.front().sizes;
  for (const LonePart &part : given) {
    bounds.write(part.number * step.boundColumns, part.bounds.data(),
                 part.bounds.size());
    offsets.write(part.number * step.countColumns, part.offsets.data(),
                  part.offsets.size());
  }
  if (!step.hasUnequalParts())
    return;
  std::vector<int64_t> numbers(parts);
  std::iota(numbers.begin(), numbers.end(), 0);
  order = Numbers<int64_t>(step.device(), parts);
  order.write(0, numbers.data(), parts);
}

Choice StepPlan::choiceOf(int64_t parts) {
  Choice choice;
  choice.parts = parts;
  return choice;
}

/// The rows of sums of a part, where they would be among those of all parts.
static Step::Sums sumsOfAll(const Step &step, int64_t part, Step::Sums sums) {
  int64_t row = step.partialRows * part;
  for (size_t n = 0; n < sums.partials.size(); ++n)
    sums.partials[n] = wholeOf(sums.partials[n], step.partials[n],
                               row * sums.rowSize, /*size=*/0)
                           .data;
  if (sums.visited)
    sums.visited = static_cast<int64_t *>(
        wholeOf(sums.visited, ElementType::i64, row, /*size=*/0).data);
  return sums;
}

std::optional<Refusal>
StepPlan::computePart(int64_t number, const std::vector<Argument> &args,
                      const std::vector<WindowArgument> &results,
                      const Step::Sums &sums) {
  std::vector<Argument> windows, whole;
  for (const WindowArgument &result : results) {
    windows.push_back({result.data, result.window.end - result.window.begin});
    whole.push_back(result.whole());
  }
  if (step->has(Phase::fill))
    step->runFill(args, windows);
  sizeWorkspaces(args);
  if (step->scattered)
    workspaces.front().coverExtent(extents()[*step->scattered]);
  return callWithWorkspaces(
      /*threads=*/1, /*hasSums=*/true, [&](const auto &prepared, int64_t) {
        if (step->has(Phase::clear)) {
          Step::Parts one = {1, bounds.data(), offsets.data(), order.data()};
          step->runPhase(Phase::clear, args, one, whole, sums,
                         scratch(prepared));
        }
        OnlyPart only(number);
        return step->runPhase(Phase::compute, args, allParts(), whole,
                              sumsOfAll(*step, number, sums),
                              scratch(prepared));
      });
}

void StepPlan::combine(const std::vector<Argument> &args,
                       const std::vector<Argument> &results,
                       const Step::Sums &sums) {
  callWithWorkspaces(/*threads=*/1, /*hasSums=*/true,
                     [&](const auto &prepared, int64_t) {
                       return step->runPhase(Phase::combine, args, allParts(),
                                             results, sums, scratch(prepared));
                     });
}
