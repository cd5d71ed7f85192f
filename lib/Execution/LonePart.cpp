//===- LonePart.cpp - Cuts, counts and runs parts of a step alone ---------===//

#include "nacho/Execution/LonePart.h"
#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <numeric>

using namespace nacho;

/// More than any coordinate of a tensor.
static constexpr int64_t kNowhere = int64_t(1) << 62;

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
  offsets.clear(0, offsets.size());
  for (const LonePart &part : given) {
    if (!part.bounds.empty())
      bounds.write(part.number * step.boundColumns, part.bounds.data(),
                   part.bounds.size());
    if (!part.offsets.empty())
      offsets.write(part.number * step.countColumns, part.offsets.data(),
                    part.offsets.size());
  }
  if (!given.front().bounds.empty())
    closeCuts(given.front(), given.back());
  if (!step.hasOrder())
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

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

std::vector<int64_t> nacho::limitOf(const Step &step,
                                    const std::vector<Argument> &args) {
  std::vector<int64_t> rows(2 * step.boundColumns);
  Step::Parts one = {1, rows.data(), nullptr, nullptr};
  step.partition(args, one, /*within=*/1, /*threads=*/1);
  requireCost(rows[step.boundColumns]);
  return {rows.begin() + step.boundColumns, rows.end()};
}

std::vector<int64_t> nacho::cutsBetween(const Step &step,
                                        const std::vector<Argument> &args,
                                        const std::vector<int64_t> &lower,
                                        const std::vector<int64_t> &upper,
                                        const std::vector<int64_t> &queries) {
  std::vector<int64_t> cuts, nearest = lower;
  using Row = const std::vector<int64_t> *;
  for (int64_t query : queries) {
    // The row between the first two given ones is for the cut. Nothing is
    // searched for between the last two, which cost the same; but if they were
    // not there, all rows would be cut anew.
    std::vector<int64_t> rows;
    for (Row row : {Row(&nearest), Row(&nearest), &upper, &upper, &upper})
      rows.insert(rows.end(), row->begin(), row->end());
    rows[0] = query;
    rows[2 * step.boundColumns] = rows[4 * step.boundColumns] = query + 1;
    Step::Parts parts = {4, rows.data(), nullptr, nullptr};
    step.partition(args, parts, /*within=*/2, /*threads=*/1);
    auto found = rows.begin() + step.boundColumns;
    nearest.assign(found, found + step.boundColumns);
    cuts.insert(cuts.end(), nearest.begin(), nearest.end());
  }
  return cuts;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

std::optional<Refusal> StepPlan::countParts(const LonePart &given,
                                            const std::vector<Argument> &args,
                                            std::vector<int64_t> &counts) {
  std::vector<int64_t> all(parts * step->countColumns);
  sizeWorkspaces(args);
  auto refusal = callWithWorkspaces(
      /*threads=*/1, /*hasSums=*/false, [&](const auto &prepared, int64_t) {
        int32_t status = 0;
        for (int64_t n = 0; n < given.count(*step); ++n) {
          OnlyPart only(given.number + n);
          status |=
              step->assemble(args, allParts(), all.data(), scratch(prepared),
                             /*threads=*/1);
        }
        return status;
      });
  auto first = all.begin() + given.number * step->countColumns;
  counts.assign(first, first + given.count(*step) * step->countColumns);
  return refusal;
}

std::vector<int64_t> StepPlan::scanCounts(const std::vector<Argument> &args,
                                          std::vector<int64_t> counts) {
  sizes.resize(step->numSizes());
  untilDone([&] {
    step->scan(args, allParts(), counts.data(), sizes.data(), /*threads=*/1);
  });
  HostView<int64_t> found = offsets.read();
  return {found.begin(), found.end()};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

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
StepPlan::computeParts(const LonePart &given, const std::vector<Argument> &args,
                       const std::vector<WindowArgument> &results,
                       const Step::Sums &sums) {
  std::vector<Argument> windows, whole;
  for (const WindowArgument &result : results) {
    windows.push_back({result.data, result.window.end - result.window.begin});
    whole.push_back(result.whole());
  }
  if (step->has(Phase::fill))
    step->runFill(args, windows, /*threads=*/1);
  sizeWorkspaces(args);
  if (step->scattered)
    workspaces.front().coverExtent(extents()[*step->scattered]);
  return callWithWorkspaces(
      /*threads=*/1, /*hasSums=*/true, [&](const auto &prepared, int64_t) {
        if (step->has(Phase::clear)) {
          Step::Parts own = {given.count(*step), bounds.data(), offsets.data(),
                             order.data()};
          step->runPhase(Phase::clear, args, own, whole, sums,
                         scratch(prepared), /*threads=*/1);
        }
        int32_t status = 0;
        for (int64_t n = 0; n < given.count(*step); ++n) {
          OnlyPart only(given.number + n);
          status |= step->runPhase(Phase::compute, args, allParts(), whole,
                                   sumsOfAll(*step, given.number, sums),
                                   scratch(prepared), /*threads=*/1);
        }
        return status;
      });
}

/// Gives all parts that are not given cuts with which they complete no entry:
/// those before them are in one that is not there, those behind them in the one
/// in which the last of them ends.
void StepPlan::closeCuts(const LonePart &first, const LonePart &last) {
  int64_t columns = step->boundColumns, depth = step->order.size();
  std::vector<int64_t> nowhere(columns, 0);
  std::fill_n(nowhere.begin() + 1, depth, kNowhere);
  for (int64_t row = 0; row < first.number; ++row)
    bounds.write(row * columns, nowhere.data(), columns);
  const int64_t *end = last.bounds.data() + last.bounds.size() - columns;
  for (int64_t row = last.number + last.count(*step) + 1; row <= parts; ++row)
    bounds.write(row * columns, end, columns);
}

void StepPlan::combine(const std::vector<Argument> &args,
                       const std::vector<Argument> &results,
                       const Step::Sums &sums) {
  callWithWorkspaces(
      /*threads=*/1, /*hasSums=*/true, [&](const auto &prepared, int64_t) {
        return step->runPhase(Phase::combine, args, allParts(), results, sums,
                              scratch(prepared), /*threads=*/1);
      });
}
