//===- DeviceParts.cpp - Parts that a device runs without the others ------===//

#include "nacho/Execution/DeviceParts.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

using namespace nacho;

DeviceParts::DeviceParts(const Step &step, const LonePart &given, int64_t inner)
    : step(step), given(given), inner(inner), front(given.number > 0),
      launched(front + given.count(step) * inner),
      plan(step, StepPlan::choiceOf(launched)),
      bounds(step.device(), (launched + 2) * step.boundColumns,
             /*isWritten=*/true),
      order(step.device(), launched, /*isWritten=*/true),
      offsets(step.device(), (launched + 1) * step.countColumns),
      counts(step.device(), launched * step.countColumns) {
  if (inner > 1 && given.count(step) > 1)
    throw std::logic_error("one part at a time is divided");
  plan.sizes = given.sizes;
  int64_t columns = step.boundColumns;
  std::vector<int64_t> rows(bounds.size());
  auto setRow = [&](int64_t row, int64_t cut) {
    std::copy_n(given.bounds.begin() + cut * columns, columns,
                rows.begin() + row * columns);
  };
  setRow(0, 0);
  for (int64_t cut = 0; cut <= given.count(step); ++cut)
    setRow(front + cut * inner, cut);
  // A copy for each row would take longer than to compute its part.
  bounds.write(0, rows.data(), bounds.size());
  std::vector<int64_t> numbers(launched);
  std::iota(numbers.begin(), numbers.end(), 0);
  order.write(0, numbers.data(), launched);
}

Step::Parts DeviceParts::parts() const {
  return {launched, bounds.data(), offsets.data(), order.data()};
}

/// Finds the cuts inside of the part, if it is divided.
void DeviceParts::divide(const std::vector<Argument> &args) {
  if (inner == 1)
    return;
  // With a row more than the part is divided into, which no search is for, the
  // function takes the first and the last cut as they are.
  Step::Parts within = {inner + 1, bounds.data() + front * step.boundColumns,
                        nullptr, nullptr};
  step.partition(args, within, inner, /*threads=*/launched);
}

std::optional<Refusal>
DeviceParts::countAll(const std::vector<Argument> &args) {
  divide(args);
  plan.sizeWorkspaces(args);
  return plan.callWithWorkspaces(
      /*threads=*/launched, /*hasSums=*/false,
      [&](const auto &prepared, int64_t threads) {
        return step.assemble(args, parts(), counts.data(),
                             plan.scratch(prepared), threads);
      });
}

/// Adds up what the parts that are launched append.
void DeviceParts::scan(const std::vector<Argument> &args) {
  Numbers<int64_t> sizes(step.device(), int64_t(step.numSizes()));
  step.scan(args, parts(), counts.data(), sizes.data(), launched);
}

std::optional<Refusal> DeviceParts::count(const std::vector<Argument> &args,
                                          std::vector<int64_t> &found) {
  if (auto refusal = countAll(args))
    return refusal;
  int64_t columns = step.countColumns, rows = given.count(step);
  if (inner > 1)
    scan(args);
  HostView<int64_t> numbers =
      inner > 1 ? offsets.read(launched * columns, columns)
                : counts.read(front * columns, rows * columns);
  found.assign(numbers.begin(), numbers.end());
  return std::nullopt;
}

/// Finds where each part that is launched appends. Those inside of the given
/// part append behind what the parts before it do: for the scan, the empty part
/// in front of it appends all of that, and then begins where it ends.
std::optional<Refusal> DeviceParts::place(const std::vector<Argument> &args) {
  int64_t columns = step.countColumns;
  if (!columns)
    return std::nullopt;
  if (inner == 1) {
    offsets.write(0, given.offsets.data(), columns);
    offsets.write(front * columns, given.offsets.data(),
                  int64_t(given.offsets.size()));
    return std::nullopt;
  }
  if (auto refusal = countAll(args))
    return refusal;
  if (front)
    counts.write(0, given.offsets.data(), columns);
  scan(args);
  offsets.write(0, given.offsets.data(), columns);
  return std::nullopt;
}

namespace {
/// Windows of a result in the memory of a device.
class DeviceResults {
public:
  DeviceResults(Device &device, const std::vector<WindowArgument> &host)
      : device(device), host(host) {
    for (const WindowArgument &each : host) {
      Buffer &buffer = buffers.emplace_back(
          device, each.type, each.window.end - each.window.begin);
      windows.push_back(buffer.argument());
      whole.push_back(
          wholeOf(buffer.data, each.type, each.window.begin, each.size));
    }
  }

  void copyToHost() const {
    for (size_t n = 0; n < host.size(); ++n)
      device.copyToHost(host[n].data, buffers[n].data, buffers[n].numBytes());
  }

  std::vector<Argument> windows, whole;

private:
  Device &device;
  const std::vector<WindowArgument> &host;
  std::vector<Buffer> buffers;
};

/// The rows of sums of the parts that are launched, in the memory of a device.
class DeviceSums {
public:
  DeviceSums(const Step &step, int64_t parts, int64_t rowSize)
      : step(step), rows(parts * step.partialRows) {
    sums.rowSize = rowSize;
    for (ElementType type : step.partials)
      buffers.emplace_back(step.device(), type, checkedProduct(rows, rowSize));
    if (!step.partials.empty())
      buffers.emplace_back(step.device(), ElementType::i64, rows);
    for (size_t n = 0; n < step.partials.size(); ++n)
      sums.partials.push_back(buffers[n].data);
    if (!step.partials.empty())
      sums.visited = static_cast<int64_t *>(buffers.back().data);
  }

  /// Copies what the parts from `first` on have.
  void copyToHost(const Step::Sums &host, int64_t first) const {
    int64_t skipped = first * step.partialRows;
    for (size_t n = 0; n < buffers.size(); ++n) {
      bool isVisited = n == step.partials.size();
      int64_t length = isVisited ? 1 : sums.rowSize;
      size_t each = length * sizeOf(buffers[n].type);
      step.device().copyToHost(isVisited ? host.visited : host.partials[n],
                               static_cast<const char *>(buffers[n].data) +
                                   skipped * each,
                               (rows - skipped) * each);
    }
  }

  Step::Sums sums;

private:
  const Step &step;
  int64_t rows;
  std::vector<Buffer> buffers;
};
} // namespace

std::optional<Refusal>
DeviceParts::compute(const std::vector<Argument> &args,
                     const std::vector<WindowArgument> &results,
                     const Step::Sums &sums) {
  if (step.countColumns == 0)
    divide(args);
  if (auto refusal = place(args))
    return refusal;
  DeviceResults made(step.device(), results);
  DeviceSums own(step, launched, sums.rowSize);
  if (step.has(Phase::fill))
    step.runFill(args, made.windows, launched);
  plan.sizeWorkspaces(args);
  if (step.scattered)
    plan.workspaces.front().coverExtent(plan.extents()[*step.scattered]);
  auto refusal = plan.callWithWorkspaces(
      /*threads=*/launched, /*hasSums=*/true,
      [&](const auto &prepared, int64_t threads) {
        Step::Scratch scratch = plan.scratch(prepared);
        if (step.has(Phase::clear))
          step.runPhase(Phase::clear, args, parts(), made.whole, own.sums,
                        scratch, threads);
        return step.runPhase(Phase::compute, args, parts(), made.whole,
                             own.sums, scratch, threads);
      });
  if (refusal)
    return refusal;
  made.copyToHost();
  own.copyToHost(sums, front);
  return std::nullopt;
}

std::vector<int64_t> nacho::cutsOnDevice(const Step &step,
                                         const std::vector<Argument> &args,
                                         const std::vector<int64_t> &lower,
                                         const std::vector<int64_t> &upper,
                                         const std::vector<int64_t> &queries) {
  // For each query, from the last to the first, there is a row for its cut
  // between the given ones. These cost as much as the query and one more, and
  // what follows, at last a row of zeros, costs less: so nothing is searched
  // for between the intervals.
  constexpr int64_t kRows = 4;
  int64_t columns = step.boundColumns, count = int64_t(queries.size());
  std::vector<int64_t> rows;
  for (auto query = queries.rbegin(); query != queries.rend(); ++query)
    for (bool isUpper : {false, false, true, true}) {
      const std::vector<int64_t> &cut = isUpper ? upper : lower;
      rows.push_back(*query + isUpper);
      rows.insert(rows.end(), cut.begin() + 1, cut.end());
    }
  rows.resize(rows.size() + columns);
  Numbers<int64_t> bounds(step.device(), int64_t(rows.size()),
                          /*isWritten=*/true);
  bounds.write(0, rows.data(), int64_t(rows.size()));
  Step::Parts parts = {kRows * count, bounds.data(), nullptr, nullptr};
  step.partition(args, parts, /*within=*/2, /*threads=*/kRows * count);
  HostView<int64_t> found = bounds.read();
  std::vector<int64_t> cuts;
  for (int64_t query = count; query-- > 0;) {
    const int64_t *row = &found[(kRows * query + 1) * columns];
    cuts.insert(cuts.end(), row, row + columns);
  }
  return cuts;
}
