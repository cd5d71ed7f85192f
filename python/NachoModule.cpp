//===- NachoModule.cpp - nacho._nacho: compile and call kernels -----------===//
//
// A thin layer: Python does everything symbolic, the compiler everything on IR.
// This file turns arrays into pointers, statuses into exceptions, and buffers
// of results into arrays.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Execution/Plan.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace nacho;

/// Defined in Validation.cpp.
void addValidation(nb::module_ &m);

namespace {

struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const Backend &backendOf(const std::string &target) {
  const Backend *backend = findBackend(target);
  if (!backend)
    throw CompileError("there is no target '" + target + "'");
  return *backend;
}

/// A plan for Python, with accessors for what it found out.
class PyPlan {
public:
  PyPlan(std::shared_ptr<const Kernel> kernel, int64_t parts, int64_t workers)
      : kernel(kernel), plan(std::move(kernel), parts, workers) {}

  nb::list execute(nb::list list, int64_t threads, bool isPlanned) {
    CallArguments call(*kernel, list);
    std::vector<Buffer> buffers;
    {
      nb::gil_scoped_release release;
      buffers = plan.execute(call.args, isPlanned, threads);
    }
    nb::list arrays;
    for (Buffer &buffer : buffers)
      arrays.append(toArray(std::move(buffer)));
    return arrays;
  }

  int64_t numParts() const { return plan.last().parts; }
  /// The number of values of the result.
  int64_t numEntries() const { return plan.last().numEntries(); }
  int64_t total() const { return plan.last().total(); }
  nb::object costs() const { return cuts(lastStep())[0]; }
  nb::object coordinates() const { return cuts(lastStep())[1]; }
  nb::object positions() const { return cuts(lastStep())[2]; }
  /// The cuts of a step, as three arrays: the cost before each cut, the
  /// coordinates of each cut, and its positions.
  nb::tuple cuts(size_t number) const {
    if (number >= plan.all().size())
      throw nb::index_error("no such step");
    const StepPlan &step = plan.all()[number];
    int64_t depth = step.step->order.size();
    return nb::make_tuple(
        columns(step, 0, 1, /*asVector=*/true), columns(step, 1, depth),
        columns(step, 1 + depth, step.step->boundColumns - 1 - depth));
  }
  /// Two tuples: (entries, bytes) of the result of each step but the last, and
  /// the bytes of workspaces per slot of each step.
  nb::tuple memory() const {
    nb::list lists, workspaces;
    for (size_t n = 0; n < plan.all().size(); ++n) {
      const StepPlan &step = plan.all()[n];
      workspaces.append(step.workspaceBytes());
      if (n + 1 < plan.all().size())
        lists.append(nb::make_tuple(step.numEntries(), plan.listBytes(n)));
    }
    return nb::make_tuple(nb::tuple(lists), nb::tuple(workspaces));
  }
  nb::object levelSizes() const {
    nb::list list;
    for (size_t level = 0; level < kernel->last().result.levels.size(); ++level)
      list.append(plan.last().sizes[level]);
    return nb::tuple(list);
  }

private:
  size_t lastStep() const { return plan.all().size() - 1; }

  static nb::object columns(const StepPlan &step, int64_t first, int64_t count,
                            bool asVector = false) {
    HostView<int64_t> cuts = step.bounds.read();
    std::vector<int64_t> values;
    for (int64_t row = 0; row <= step.parts; ++row)
      for (int64_t column = first; column < first + count; ++column)
        values.push_back(cuts[row * step.step->boundColumns + column]);
    return copyToArray(std::move(values), step.parts + 1, asVector ? 0 : count);
  }

  std::shared_ptr<const Kernel> kernel;

public:
  Plan plan;
};

nb::tuple toTuples(const std::vector<std::vector<int64_t>> &lists) {
  nb::list all;
  for (const std::vector<int64_t> &numbers : lists) {
    nb::list list;
    for (int64_t number : numbers)
      list.append(number);
    all.append(nb::tuple(list));
  }
  return nb::tuple(all);
}

class PyKernel {
public:
  PyKernel(const std::string &text, const std::string &cost, bool remap,
           bool split, bool flatten, const std::string &target) {
    const Backend &backend = backendOf(target);
    CompileOptions options = {cost, remap, split, /*singlePass=*/true};
    options.flatten = flatten;
    std::string error;
    {
      nb::gil_scoped_release release;
      kernel = compileKernel(text, backend, options, error);
    }
    if (!kernel)
      throw CompileError(error);
  }

  /// With `counting` the number of entries of the result is known afterwards,
  /// and the plan can be executed again and again. Work is balanced between the
  /// parts, or, if threads share the parts (`shared`), between the threads.
  std::unique_ptr<PyPlan> plan(nb::list list, int64_t parts, int64_t threads,
                               bool counting, bool shared) {
    CallArguments call(*kernel, list);
    if (parts < 1 || threads < 1)
      throw nb::value_error("parts and threads must be at least 1");
    nb::gil_scoped_release release;
    auto plan = std::make_unique<PyPlan>(counting ? kernel->counting() : kernel,
                                         parts, shared ? threads : parts);
    plan->plan.plan(call.args, threads);
    return plan;
  }

  std::unique_ptr<PyPlan> partition(nb::list list, int64_t parts,
                                    int64_t threads, int64_t inner) {
    CallArguments call(*kernel, list);
    if (inner < 1 || parts < 1 || parts % inner)
      throw nb::value_error("inner must divide parts");
    auto plan = std::make_unique<PyPlan>(kernel, parts, parts);
    nb::gil_scoped_release release;
    plan->plan.partition(call.args, inner, threads);
    return plan;
  }

  std::string llvm() const { return kernel->llvm(); }
  std::string assembly() const { return kernel->assembly(); }
  /// Fields of each step, see Step.h: order, loops, loopInputs, delta, inputs,
  /// isSorted, isDraft.
  nb::tuple steps() const {
    nb::list steps;
    for (const Step &step : kernel->steps) {
      nb::list order, inputs;
      for (const std::string &name : step.order)
        order.append(name);
      for (const StepInput &input : step.inputs)
        inputs.append(nb::make_tuple(input.isStep, input.index));
      steps.append(nb::make_tuple(
          nb::tuple(order), toTuples(step.loops), toTuples(step.loopInputs),
          step.delta, nb::tuple(inputs), step.isSorted, step.isDraft));
    }
    return nb::tuple(steps);
  }

private:
  std::shared_ptr<const Kernel> kernel;
};

nb::tuple toTuple(const std::vector<std::string> &items) {
  nb::list list;
  for (const std::string &item : items)
    list.append(item);
  return nb::tuple(list);
}

nb::tuple pyStages(const std::string &target) {
  return toTuple(stageNames(backendOf(target)));
}

nb::object pySignature(const std::string &text) {
  std::string error;
  std::optional<Signature> signature = readSignature(text, error);
  if (!signature)
    throw CompileError(error);
  return nb::make_tuple(signature->name, toTuple(signature->arguments),
                        toTuple(signature->types), signature->result);
}

using WidthPairs = std::vector<std::pair<unsigned, unsigned>>;

std::string pyWithIndexWidths(const std::string &text,
                              const WidthPairs &pairs) {
  std::vector<IndexWidths> widths;
  for (auto [positions, coordinates] : pairs)
    widths.push_back({positions, coordinates});
  std::string error;
  std::string written = withIndexWidths(text, widths, error);
  if (written.empty())
    throw CompileError(error);
  return written;
}

std::string pyLower(const std::string &text, const std::string &stage,
                    const std::string &cost, bool remap, bool split,
                    bool singlePass, bool flatten, const std::string &target) {
  CompileOptions options = {cost, remap, split, singlePass};
  options.flatten = flatten;
  std::string error;
  std::string lowered =
      lowerToStage(text, stage, backendOf(target), options, error);
  if (lowered.empty())
    throw CompileError(error);
  return lowered;
}

} // namespace

NB_MODULE(_nacho, m) {
  nb::exception<CompileError>(m, "CompileError");
  nb::exception<IndexOverflow>(m, "IndexOverflow", PyExc_RuntimeError);
  nb::exception<CoordinateOutOfRange>(m, "CoordinateOutOfRange",
                                      PyExc_RuntimeError);
  nb::exception<RowsTooHeavy>(m, "RowsTooHeavy", PyExc_RuntimeError);
  nb::exception<OperandsChanged>(m, "OperandsChanged", PyExc_RuntimeError);
  nb::list targets;
  for (const Backend *backend : allBackends())
    if (backend->device())
      targets.append(backend->name().str());
  m.attr("TARGETS") = nb::tuple(targets);
  m.def("stages", &pyStages, nb::arg("target"));
  m.def("lower", &pyLower, nb::arg("text"), nb::arg("stage"), nb::arg("cost"),
        nb::arg("remap") = true, nb::arg("split") = true,
        nb::arg("single_pass") = false, nb::arg("flatten") = false,
        nb::arg("target") = "cpu", nb::call_guard<nb::gil_scoped_release>());
  m.def("signature", &pySignature, nb::arg("text"));
  m.def("with_index_widths", &pyWithIndexWidths, nb::arg("text"),
        nb::arg("widths"));
  addValidation(m);
  m.def("pooled_bytes", [] { return cpuBackend().device()->pooledBytes(); });
  m.def("max_pooled_bytes",
        [] { return cpuBackend().device()->maxPooledBytes(); });

  nb::class_<PyKernel>(m, "Kernel", nb::is_weak_referenceable())
      .def(nb::init<const std::string &, const std::string &, bool, bool, bool,
                    const std::string &>(),
           nb::arg("text"), nb::arg("cost"), nb::arg("remap") = true,
           nb::arg("split") = true, nb::arg("flatten") = false,
           nb::arg("target") = "cpu")
      .def_prop_ro("steps", &PyKernel::steps)
      .def("llvm", &PyKernel::llvm)
      .def("asm", &PyKernel::assembly)
      .def("plan", &PyKernel::plan, nb::arg("args"), nb::arg("parts"),
           nb::arg("threads"), nb::arg("counting") = true,
           nb::arg("shared") = false)
      .def("partition", &PyKernel::partition, nb::arg("args"), nb::arg("parts"),
           nb::arg("threads"), nb::arg("inner") = 1);
  nb::class_<PyPlan>(m, "Plan")
      .def_prop_ro("parts", &PyPlan::numParts)
      .def_prop_ro("total", &PyPlan::total)
      .def_prop_ro("bounds", &PyPlan::coordinates)
      .def_prop_ro("positions", &PyPlan::positions)
      .def_prop_ro("costs", &PyPlan::costs)
      .def("cuts", &PyPlan::cuts, nb::arg("step"))
      .def_prop_ro("nnz", &PyPlan::numEntries)
      .def_prop_ro("memory", &PyPlan::memory)
      .def_prop_ro("sizes", &PyPlan::levelSizes)
      .def("execute", &PyPlan::execute, nb::arg("args"), nb::arg("threads"),
           nb::arg("planned") = false);
}
