//===- Plans.h - Plans for Python -------------------------------*- C++ -*-===//

#ifndef NACHO_PYTHON_PLANS_H
#define NACHO_PYTHON_PLANS_H

#include "Arrays.h"
#include "DeviceArray.h"
#include "LoneParts.h"
#include "Programs.h"
#include "Signals.h"

#include "nacho/Execution/Plan.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// A plan for Python, with accessors for its cuts, sizes and choices.
class PyPlan {
public:
  PyPlan(std::shared_ptr<const nacho::Kernel> kernel, const nacho::Asked &asked)
      : kernel(kernel), plan(std::move(kernel), asked) {}

  /// The arrays of the result: those of the host, or with `onDevice` of the
  /// device. If `into` is an array and not None, a dense result is written to
  /// it, and there are no other arrays.
  nanobind::list execute(const nanobind::list &list, bool isPlanned,
                         bool isTrusted, bool onDevice,
                         const nanobind::object &into) {
    CallArguments call(*kernel, list);
    std::optional<ResultRoom> room;
    if (!into.is_none())
      room.emplace(kernel->device, plan.last().step->result.values, into);
    if (onDevice)
      plan.leaveOnDevice();
    std::vector<nacho::Buffer> buffers;
    {
      Unlocked unlocked;
      buffers = plan.execute(call.args, isPlanned, isTrusted,
                             room ? std::optional(room->memory) : std::nullopt);
    }
    nanobind::list arrays;
    if (room)
      return arrays;
    for (nacho::Buffer &buffer : buffers)
      if (onDevice)
        arrays.append(DeviceArray(kernel->device, std::move(buffer)));
      else
        arrays.append(toArray(std::move(buffer)));
    return arrays;
  }

  nanobind::tuple timeParts(const nanobind::list &list, int64_t repeats) {
    CallArguments call(*kernel, list);
    std::vector<double> times;
    {
      Unlocked unlocked;
      times = plan.timeParts(call.args, repeats);
    }
    return toTuple(times);
  }

  /// The arguments of the last step: `list` and results of steps, as copies.
  nanobind::list lastArguments(const nanobind::list &list) const {
    const nacho::StepPlan &last = plan.last();
    std::vector<size_t> begins = {0};
    for (const nacho::TensorLayout &operand : kernel->operands)
      begins.push_back(begins.back() + operand.numArguments());
    nanobind::list all;
    for (const nacho::StepInput &input : last.step->inputs) {
      if (input.isStep)
        appendResult(input.index, all);
      else
        for (size_t n = begins[input.index]; n < begins[input.index + 1]; ++n)
          all.append(list[n]);
    }
    return all;
  }

  /// See describePart().
  nanobind::tuple describePart(const nanobind::list &list, int64_t number,
                               const std::vector<bool> &areWindows,
                               const std::vector<int64_t> &loops) const {
    CallArguments call(*kernel, list);
    return ::describePart(plan, plan.lastArguments(call.args), number,
                          areWindows, loops);
  }
  nanobind::tuple whole() const { return describeWhole(plan.last()); }

  PyProgram program() const { return PyProgram(plan.current()); }
  nanobind::tuple reasons() const { return toTuple(plan.describe()); }
  std::string workers(bool areProducts) const {
    return kernel->chooser.describeWorkers(plan.chosen(), areProducts);
  }
  int64_t numThreads() const { return plan.chosen().threads; }
  int64_t numParts() const { return plan.last().parts; }
  /// The number of values of the result.
  int64_t numEntries() const { return plan.last().numEntries(); }
  int64_t total() const { return plan.last().total(); }
  nanobind::object costs() const { return cuts(lastStep())[0]; }
  nanobind::object coordinates() const { return cuts(lastStep())[1]; }
  nanobind::object positions() const { return cuts(lastStep())[2]; }
  /// The cuts of a step, as three arrays: the cost before each cut, the
  /// coordinates of each cut, and its positions.
  nanobind::tuple cuts(size_t number) const {
    if (number >= plan.all().size())
      throw nanobind::index_error("no such step");
    const nacho::StepPlan &step = plan.all()[number];
    int64_t depth = step.step->order.size();
    return nanobind::make_tuple(
        columns(step, 0, 1, /*asVector=*/true), columns(step, 1, depth),
        columns(step, 1 + depth, step.step->boundColumns - 1 - depth));
  }
  /// Two tuples: (entries, bytes) of the result of each step but the last, and
  /// the bytes of workspaces per slot of each step.
  nanobind::tuple memory() const {
    nanobind::list lists, workspaces;
    for (size_t n = 0; n < plan.all().size(); ++n) {
      const nacho::StepPlan &step = plan.all()[n];
      workspaces.append(step.workspaceBytes());
      if (n + 1 < plan.all().size())
        lists.append(
            nanobind::make_tuple(step.numEntries(), plan.listBytes(n)));
    }
    return nanobind::make_tuple(nanobind::tuple(lists),
                                nanobind::tuple(workspaces));
  }
  nanobind::object levelSizes() const {
    nanobind::list list;
    const nacho::StepPlan &last = plan.last();
    for (size_t level = 0; level < last.step->result.levels.size(); ++level)
      list.append(last.sizes[level]);
    return nanobind::tuple(list);
  }

private:
  /// Appends a copy of the result of a step, as arguments.
  void appendResult(size_t step, nanobind::list &all) const {
    for (const nacho::Buffer &buffer : plan.resultOf(step)) {
      nacho::Buffer copy(kernel->device, buffer.type, buffer.size);
      kernel->device.copyFromHost(copy.data, buffer.data, buffer.numBytes());
      all.append(toArray(std::move(copy)));
    }
    const nacho::StepPlan &made = plan.all()[step];
    for (size_t level = 0; level < made.step->result.levels.size(); ++level)
      all.append(made.extents()[level]);
  }

  size_t lastStep() const { return plan.all().size() - 1; }

  static nanobind::object columns(const nacho::StepPlan &step, int64_t first,
                                  int64_t count, bool asVector = false) {
    nacho::HostView<int64_t> cuts = step.bounds.read();
    std::vector<int64_t> values;
    for (int64_t row = 0; row <= step.parts; ++row)
      for (int64_t column = first; column < first + count; ++column)
        values.push_back(cuts[row * step.step->boundColumns + column]);
    return copyToArray(std::move(values), step.parts + 1, asVector ? 0 : count);
  }

  std::shared_ptr<const nacho::Kernel> kernel;

public:
  nacho::Plan plan;
};

#endif // NACHO_PYTHON_PLANS_H
