//===- LoneParts.cpp - Parts of plans that run alone, for Python ----------===//

#include "LoneParts.h"

#include "Arrays.h"
#include "Programs.h"
#include "Signals.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

namespace nb = nanobind;
using namespace nacho;

static nb::tuple toRecord(const LonePart &part) {
  return nb::make_tuple(part.number, part.parts, toTuple(part.bounds),
                        toTuple(part.offsets), toTuple(part.sizes));
}

static LonePart fromRecord(nb::handle record) {
  LonePart part;
  part.number = nb::cast<int64_t>(record[0]);
  part.parts = nb::cast<int64_t>(record[1]);
  part.bounds = nb::cast<std::vector<int64_t>>(record[2]);
  part.offsets = nb::cast<std::vector<int64_t>>(record[3]);
  part.sizes = nb::cast<std::vector<int64_t>>(record[4]);
  return part;
}

static nb::tuple toTuples(const std::vector<Window> &windows) {
  nb::list list;
  for (const Window &window : windows)
    list.append(nb::make_tuple(window.begin, window.end));
  return nb::tuple(list);
}

nb::tuple describePart(const Plan &plan, const std::vector<Argument> &args,
                       int64_t number, const std::vector<bool> &areWindows,
                       const std::vector<int64_t> &loops) {
  const StepPlan &last = plan.last();
  const Step &step = *last.step;
  LonePart part = last.lonePart(number);
  nb::list read;
  for (const ReadWindow &each : windowsRead(step, part, args, areWindows))
    read.append(nb::make_tuple(each.window.begin, each.window.end, each.first,
                               each.size, each.subtracted));
  nb::object written = nb::none();
  if (step.has(Phase::compute))
    if (auto windows = windowsWritten(step, part, loops))
      written = toTuples(*windows);
  return nb::make_tuple(toRecord(part), nb::tuple(read), written);
}

nb::tuple describeWhole(const Plan &plan) {
  const StepPlan &last = plan.last();
  nb::list arrays, sums;
  for (auto [type, length] : last.resultArrays())
    arrays.append(nb::make_tuple(nameOf(type), length));
  int64_t rows = last.step->partialRows;
  for (ElementType type : last.step->partials)
    sums.append(nb::make_tuple(nameOf(type), rows * last.rowSize()));
  if (!last.step->partials.empty())
    sums.append(nb::make_tuple(nameOf(ElementType::i64), rows));
  return nb::make_tuple(nb::tuple(arrays), nb::tuple(sums),
                        last.step->has(Phase::combine));
}

namespace {
/// The arrays of a part or of all parts, which are kept alive.
class PartArrays {
public:
  PartArrays(const Step &step, const nb::list &arguments,
             const nb::list &results, const nb::list &sums)
      : step(step), held(step.device(), nb::len(arguments) + nb::len(results) +
                                            nb::len(sums)) {
    addArguments(arguments);
    addResults(results);
    addSums(sums);
  }

  std::vector<Argument> args;
  std::vector<WindowArgument> windows; ///< Of the result.
  Step::Sums rows;

  std::vector<Argument> wholeResults() const {
    std::vector<Argument> whole;
    for (const WindowArgument &window : windows)
      whole.push_back(window.whole());
    return whole;
  }

private:
  WindowArgument add(nb::handle given, ElementType type) {
    throwIfFaulty(held.addArray(given[0], type), type);
    int64_t begin = nb::cast<int64_t>(given[1]);
    Argument array = held.args.back();
    return {array.data,
            type,
            {begin, begin + array.size},
            nb::cast<int64_t>(given[2])};
  }

  void addArguments(const nb::list &arguments) {
    size_t next = 0;
    for (const TensorLayout &operand : step.operands) {
      for (const TensorLayout::Level &level : operand.levels)
        for (const TensorLayout::Array &array : level.arrays)
          args.push_back(add(arguments[next++], array.type).whole());
      args.push_back(add(arguments[next++], operand.values).whole());
      for (size_t n = 0; n < operand.levels.size(); ++n)
        args.push_back({nullptr, nb::cast<int64_t>(arguments[next++])});
    }
  }

  void addResults(const nb::list &results) {
    size_t next = 0;
    for (const TensorLayout::Level &level : step.result.levels)
      for (const TensorLayout::Array &array : level.arrays)
        windows.push_back(add(results[next++], array.type));
    windows.push_back(add(results[next], step.result.values));
  }

  void addSums(const nb::list &sums) {
    size_t next = 0;
    for (ElementType type : step.partials) {
      throwIfFaulty(held.addArray(sums[next++], type), type);
      rows.partials.push_back(held.args.back().data);
    }
    if (step.partials.empty())
      return;
    throwIfFaulty(held.addArray(sums[next], ElementType::i64),
                  ElementType::i64);
    rows.visited = static_cast<int64_t *>(held.args.back().data);
  }

  const Step &step;
  CallArguments held;
};
} // namespace

static void refuse(const std::optional<Refusal> &refusal) {
  if (refusal)
    throw OperandsChanged();
}

void computePart(const Step &step, const nb::tuple &record,
                 const nb::list &arguments, const nb::list &results,
                 const nb::list &sums) {
  PartArrays arrays(step, arguments, results, sums);
  LonePart part = fromRecord(record);
  Unlocked unlocked;
  StepPlan plan(step, {part});
  arrays.rows.rowSize = plan.rowSize();
  refuse(
      plan.computePart(part.number, arrays.args, arrays.windows, arrays.rows));
}

void combineParts(const Step &step, const nb::list &records,
                  const nb::list &arguments, const nb::list &results,
                  const nb::list &sums) {
  PartArrays arrays(step, arguments, results, sums);
  std::vector<LonePart> parts;
  for (nb::handle record : records)
    parts.push_back(fromRecord(record));
  Unlocked unlocked;
  StepPlan plan(step, parts);
  arrays.rows.rowSize = plan.rowSize();
  plan.combine(arrays.args, arrays.wholeResults(), arrays.rows);
}
