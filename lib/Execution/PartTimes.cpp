//===- PartTimes.cpp - Times of single parts ------------------------------===//
//
// Runs the last step of a plan once more for one part at a time, as if it were
// the only one, into a result that is thrown away. If parts of equal cost take
// equal time, so do the threads that run them.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/Plan.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <stdexcept>

using namespace nacho;

/// The time that this thread has run. Other programs on the same core do not
/// count.
static double secondsOfThread() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::vector<double> StepPlan::timeParts(const std::vector<Argument> &args,
                                        int64_t repeats) {
  if (step->buckets)
    throw std::logic_error("parts that fill buckets cannot be run alone");
  std::vector<Buffer> made = allocate();
  std::vector<Argument> results;
  results.reserve(made.size());
  for (const Buffer &buffer : made)
    results.push_back(buffer.argument());
  std::vector<Buffer> memory;
  Step::Sums sums;
  for (ElementType type : step->partials) {
    memory.emplace_back(step->device(), type,
                        checkedProduct(step->partialRows, rowSize()));
    sums.partials.push_back(memory.back().data);
  }
  const int64_t firstPart = 0;
  Numbers<int64_t> first(step->device(), 1);
  first.write(0, &firstPart, 1);
  Numbers<int64_t> visited(step->device(), step->partialRows + 1);
  sums.visited = visited.data();
  sums.rowSize = rowSize();
  Numbers<int64_t> counts(step->device(), step->countColumns);
  Numbers<int64_t> moved(step->device(), 2 * step->countColumns);
  Numbers<int64_t> sizesOfPart(step->device(), step->numSizes());
  Step::Drafted drafted = {counts.data(), moved.data(), sizesOfPart.data()};
  if (step->scattered)
    workspaces.front().coverExtent(
        sizes[step->result.levels.size() + 1 + *step->scattered]);

  std::vector<double> times(parts, std::numeric_limits<double>::infinity());
  for (int64_t repeat = 0; repeat < repeats; ++repeat)
    for (int64_t part = 0; part < parts; ++part)
      callWithWorkspaces(
          1, /*hasSums=*/true, [&](const auto &prepared, int64_t) {
            double start = secondsOfThread();
            Step::Parts onePart = {
                /*count=*/1, bounds.data() + part * step->boundColumns,
                offsets.data() + part * step->countColumns, first.data()};
            int32_t status =
                step->execute(args, onePart, drafted, results, sums,
                              scratch(prepared), /*threads=*/1);
            times[part] = std::min(times[part], secondsOfThread() - start);
            return status;
          });
  return times;
}

std::vector<double> Plan::timeParts(const std::vector<Argument> &args,
                                    int64_t repeats) {
  if (asked.purpose != Purpose::plan)
    throw std::logic_error(
        "only what was planned with counts has parts that can "
        "be run alone");
  if (!haveSizes(args, planned))
    throw OperandsChanged();
  Spending spending(budget);
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Argument> own;
  return steps.back().timeParts(argumentsOf(program->last(), args, own),
                                repeats);
}
