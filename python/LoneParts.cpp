//===- LoneParts.cpp - Parts of plans that run alone, for Python ----------===//

#include "LoneParts.h"

#include "Arrays.h"
#include "Signals.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "nacho/Backends/Backends.h"
#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/DeviceParts.h"

#include <algorithm>
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

nb::tuple describeWhole(const StepPlan &plan) {
  nb::list arrays, sums;
  for (auto [type, length] : plan.resultArrays())
    arrays.append(nb::make_tuple(nameOf(type), length));
  int64_t rows = plan.step->partialRows;
  for (ElementType type : plan.step->partials)
    sums.append(nb::make_tuple(nameOf(type), rows * plan.rowSize()));
  if (!plan.step->partials.empty())
    sums.append(nb::make_tuple(nameOf(ElementType::i64), rows));
  return nb::make_tuple(nb::tuple(arrays), nb::tuple(sums),
                        plan.step->has(Phase::combine));
}

namespace {
/// The arrays of a part or of all parts, which are kept alive.
class PartArrays {
public:
  /// Those of the operands only.
  PartArrays(const Step &step, const nb::list &arguments)
      : PartArrays(step, nb::len(arguments)) {
    addArguments(arguments);
  }
  PartArrays(const Step &step, const nb::list &arguments,
             const nb::list &results, const nb::list &sums)
      : PartArrays(step,
                   nb::len(arguments) + nb::len(results) + nb::len(sums)) {
    addArguments(arguments);
    addResults(results);
    addSums(sums);
  }

  std::vector<Argument> args;
  std::vector<WindowArgument> windows; ///< Of the result.
  Step::Sums rows;

  std::vector<Argument> wholeResults() const {
    std::vector<Argument> whole;
    whole.reserve(windows.size());
    for (const WindowArgument &window : windows)
      whole.push_back(window.whole());
    return whole;
  }

private:
  /// Without arrays yet.
  PartArrays(const Step &step, size_t most)
      : step(step), held(step.device(), most),
        made(*cpuBackend().device(), most) {}

  static WindowArgument add(CallArguments &to, nb::handle given,
                            ElementType type) {
    throwIfFaulty(to.addArray(given[0], type), type);
    int64_t begin = nb::cast<int64_t>(given[1]);
    Argument array = to.args.back();
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
          args.push_back(add(held, arguments[next++], array.type).whole());
      args.push_back(add(held, arguments[next++], operand.values).whole());
      for (size_t n = 0; n < operand.levels.size(); ++n)
        args.push_back({nullptr, nb::cast<int64_t>(arguments[next++])});
    }
  }

  void addResults(const nb::list &results) {
    size_t next = 0;
    for (const TensorLayout::Level &level : step.result.levels)
      for (const TensorLayout::Array &array : level.arrays)
        windows.push_back(add(made, results[next++], array.type));
    windows.push_back(add(made, results[next], step.result.values));
  }

  void addSums(const nb::list &sums) {
    size_t next = 0;
    for (ElementType type : step.partials) {
      throwIfFaulty(made.addArray(sums[next++], type), type);
      rows.partials.push_back(made.args.back().data);
    }
    if (step.partials.empty())
      return;
    throwIfFaulty(made.addArray(sums[next], ElementType::i64),
                  ElementType::i64);
    rows.visited = static_cast<int64_t *>(made.args.back().data);
  }

  const Step &step;
  CallArguments held; ///< Of the operands, in the memory of the step's device.
  CallArguments made; ///< In that of the host.
};
} // namespace

static void refuse(const std::optional<Refusal> &refusal) {
  if (refusal)
    throw OperandsChanged();
}

/// A step of a program, whose parts run alone.
static const Step &stepOf(const PyProgram &program, size_t number) {
  if (number >= program.steps().size())
    throw nb::index_error("no such step");
  return program.steps()[number];
}

static nb::tuple limit(const PyProgram &program, size_t number,
                       const nb::list &arguments) {
  const Step &step = stepOf(program, number);
  PartArrays arrays(step, arguments);
  std::vector<int64_t> cut;
  {
    Unlocked unlocked;
    cut = limitOf(step, arrays.args);
  }
  return toTuple(cut);
}

static nb::object cut(const PyProgram &program, size_t number,
                      const nb::list &arguments,
                      const std::vector<int64_t> &lower,
                      const std::vector<int64_t> &upper,
                      const std::vector<int64_t> &queries) {
  const Step &step = stepOf(program, number);
  PartArrays arrays(step, arguments);
  std::vector<int64_t> cuts;
  {
    Unlocked unlocked;
    auto find = step.device().isHost() ? &cutsBetween : &cutsOnDevice;
    cuts = find(step, arrays.args, lower, upper, queries);
  }
  return copyToArray(std::move(cuts), queries.size(), step.boundColumns);
}

/// Rows of counts, or an empty array if the step has none.
static nb::object toRows(std::vector<int64_t> counts, const Step &step) {
  if (step.countColumns == 0)
    return copyToArray({}, 0, 0);
  size_t rows = counts.size() / step.countColumns;
  return copyToArray(std::move(counts), rows, step.countColumns);
}

static nb::object count(const PyProgram &program, size_t number,
                        const nb::tuple &record, const nb::list &arguments,
                        int64_t inner) {
  const Step &step = stepOf(program, number);
  if (!step.has(Phase::assemble))
    throw nb::value_error("no part of this step is counted alone");
  PartArrays arrays(step, arguments);
  LonePart part = fromRecord(record);
  std::vector<int64_t> counts;
  {
    Unlocked unlocked;
    if (step.device().isHost()) {
      StepPlan plan(step, {part});
      refuse(plan.countParts(part, arrays.args, counts));
    } else {
      refuse(DeviceParts(step, part, inner).count(arrays.args, counts));
    }
  }
  return toRows(std::move(counts), step);
}

static nb::tuple scan(const PyProgram &program, size_t number, int64_t parts,
                      const nb::list &arguments,
                      const std::vector<int64_t> &counts) {
  const Step &step = stepOf(program, number);
  PartArrays arrays(step, arguments);
  LonePart none;
  none.parts = parts;
  StepPlan plan(step, {none});
  std::vector<int64_t> offsets = plan.scanCounts(arrays.args, counts);
  return nb::make_tuple(toRows(std::move(offsets), step), toTuple(plan.sizes),
                        describeWhole(plan));
}

static nb::object written(const PyProgram &program, size_t number,
                          const nb::tuple &record,
                          const std::vector<int64_t> &loops) {
  const Step &step = stepOf(program, number);
  auto windows = windowsWritten(step, fromRecord(record), loops);
  return windows ? nb::object(toTuples(*windows)) : nb::none();
}

static void compute(const PyProgram &program, size_t number,
                    const nb::tuple &record, const nb::list &arguments,
                    const nb::list &results, const nb::list &sums,
                    int64_t inner) {
  const Step &step = stepOf(program, number);
  PartArrays arrays(step, arguments, results, sums);
  LonePart part = fromRecord(record);
  Unlocked unlocked;
  if (!step.device().isHost()) {
    arrays.rows.rowSize = part.sizes[step.rowSizeAt()];
    refuse(DeviceParts(step, part, inner)
               .compute(arrays.args, arrays.windows, arrays.rows));
    return;
  }
  StepPlan plan(step, {part});
  arrays.rows.rowSize = plan.rowSize();
  refuse(plan.computeParts(part, arrays.args, arrays.windows, arrays.rows));
}

static void combine(const PyProgram &program, size_t number,
                    const nb::list &records, const nb::list &arguments,
                    const nb::list &results, const nb::list &sums) {
  const Step &step = stepOf(program, number);
  PartArrays arrays(step, arguments, results, sums);
  std::vector<LonePart> parts;
  for (nb::handle record : records)
    parts.push_back(fromRecord(record));
  Unlocked unlocked;
  StepPlan plan(step, parts);
  arrays.rows.rowSize = plan.rowSize();
  plan.combine(arrays.args, arrays.wholeResults(), arrays.rows);
}

/// The number of parts of a step: that which its sums depend on, else that
/// which was `asked` for, if any, else `chosen`, but for rows of sums that
/// would take too long to add up.
static int64_t numParts(const PyProgram &program, size_t number, int64_t asked,
                        int64_t chosen, int64_t total, int64_t rowSize) {
  const Step &step = stepOf(program, number);
  int64_t entries = total / step.entryCost + (total % step.entryCost != 0);
  bool addsRows = !step.partials.empty();
  if (step.hasFixedParts)
    return Chooser::fixedParts(entries, addsRows ? rowSize : 0);
  if (asked || !addsRows)
    return asked ? asked : chosen;
  return std::min(chosen,
                  Chooser::partsWithRows(entries, step.partialRows * rowSize));
}

void addLoneParts(nb::class_<PyProgram> &program) {
  program.def("limit", &limit, nb::arg("step"), nb::arg("arguments"))
      .def("cut", &cut, nb::arg("step"), nb::arg("arguments"), nb::arg("lower"),
           nb::arg("upper"), nb::arg("queries"))
      .def("count", &count, nb::arg("step"), nb::arg("record"),
           nb::arg("arguments"), nb::arg("inner") = 1)
      .def("scan", &scan, nb::arg("step"), nb::arg("parts"),
           nb::arg("arguments"), nb::arg("counts"))
      .def("written", &written, nb::arg("step"), nb::arg("record"),
           nb::arg("loops"))
      .def("compute", &compute, nb::arg("step"), nb::arg("record"),
           nb::arg("arguments"), nb::arg("results"), nb::arg("sums"),
           nb::arg("inner") = 1)
      .def("combine", &combine, nb::arg("step"), nb::arg("records"),
           nb::arg("arguments"), nb::arg("results"), nb::arg("sums"))
      .def("num_parts", &numParts, nb::arg("step"), nb::arg("asked"),
           nb::arg("chosen"), nb::arg("total"), nb::arg("row_size"));
}
