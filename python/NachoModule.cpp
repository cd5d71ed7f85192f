//===- NachoModule.cpp - nacho._nacho: compile and call kernels -----------===//
//
// A thin layer: Python does everything symbolic, the compiler everything on IR.
// This file turns arrays into pointers, statuses into exceptions, and buffers
// of results into arrays.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Counts.h"
#include "DeviceArray.h"
#include "Modules.h"
#include "Options.h"
#include "Plans.h"
#include "Programs.h"
#include "RepeatedCall.h"
#include "Signals.h"
#include "TakenCalls.h"
#include "Texts.h"
#include "Validation.h"

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/Description.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/DeviceError.h"
#include "nacho/Runtime/Runtime.h"
#include "nacho/Runtime/Sanitizer.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <deque>

namespace nb = nanobind;
using namespace nacho;

/// Returns what a function of the compiler finds. Throws CompileError.
template <typename Find>
static auto found(const CompileOptions &options, Find find) {
  Unlocked unlocked;
  Failure error;
  auto result = find(options, error);
  if (!result)
    throw CompileError(error);
  return std::move(*result);
}

namespace {
/// A kernel for Python.
class PyKernel {
public:
  PyKernel(const PyModule &given, const std::string &target,
           const nb::dict &options)
      : module(given.module), backend(backendOf(target)) {
    if (std::string refusal = backend.refusal(); !refusal.empty())
      throw DeviceError(refusal);
    Options asked = readOptions(backend, options);
    this->options = asked.compile;
    Failure error;
    {
      Unlocked unlocked;
      kernel = untilDone([&] {
        return makeKernel(module, backend, asked.compile, asked.pins, error);
      });
    }
    if (!kernel)
      throw CompileError(error);
  }
  PyKernel(const std::string &text, const std::string &target,
           const nb::dict &options)
      : PyKernel(PyModule(text), target, options) {}

  /// Compiles the program that most calls with so many threads begin with (0:
  /// as many as there are), so that errors are raised now.
  void prepare(int64_t threads) const {
    Unlocked unlocked;
    Asked asked;
    asked.threads = threads;
    asked.work = INT32_MAX;
    kernel->program(variantFor(asked));
  }

  /// The choices of all variants that calls can come to.
  nb::tuple variants() const { return choicesOf(kernel->chooser.reachable()); }

  /// The choices for a call whose parts run alone, and the number of parts if
  /// nobody asked for one. `sizes` are those of the arguments.
  nb::tuple chosenForLoneParts(const std::vector<int64_t> &sizes,
                               int64_t work) const {
    std::vector<Argument> args;
    args.reserve(sizes.size());
    for (int64_t size : sizes)
      args.push_back({nullptr, size});
    size_t needed = 0;
    for (const TensorLayout &operand : kernel->operands)
      needed += operand.numArguments();
    if (args.size() != needed)
      throw nb::value_error("not as many sizes as arguments");
    Asked asked;
    asked.work = work;
    Facts facts = kernel->chooser.factsOf(kernel->operands, args);
    Choice choice = kernel->chooser.chooseForLoneParts(asked, facts);
    return nb::make_tuple(choicesOf(choice.variant), choice.parts);
  }

  /// The choices of a variant whose parts leave fewer rows whole, if so many
  /// workers would have too unequal shares of these costs of the last step.
  nb::object chosenInstead(const nb::dict &given,
                           const std::vector<int64_t> &costs,
                           int64_t workers) const {
    Choice choice;
    choice.variant = variantWith(given);
    choice.areAlone = true;
    auto program = kernel->program(choice.variant);
    auto refusal = refuseCosts(program->steps.back(), costs, workers);
    if (!refusal)
      return nb::none();
    auto other = kernel->chooser.instead(choice, *refusal);
    if (!other)
      return nb::none();
    return choicesOf(other->variant);
  }

  /// The variant of plans, with other choices where `given` has them.
  PyProgram program(const nb::dict &given) const {
    Variant variant = variantWith(given);
    Unlocked unlocked;
    return PyProgram(kernel->program(variant));
  }

  /// The IR of the same variant after a stage.
  std::string lower(const std::string &stage, const nb::dict &given) const {
    return found(optionsWith(given), [&](auto &asked, Failure &error) {
      return lowerToStage(*module, stage, backend, asked, error);
    });
  }
  /// The names that its lines tell.
  std::vector<std::string> lines(const std::string &stage,
                                 const nb::dict &given) const {
    return found(optionsWith(given), [&](auto &asked, Failure &error) {
      return describeLines(*module, stage, backend, asked, error);
    });
  }

  /// Describes the same variant by one of the functions of Description.h.
  template <auto describe>
  auto described(const nb::dict &given) const {
    return found(optionsWith(given), [&](auto &asked, Failure &error) {
      return describe(*module, backend, asked, error);
    });
  }

  /// The PTX of the same variant for a GPU.
  std::string ptx(const std::string &chip, const std::string &toolkit,
                  const nb::dict &given) const {
    const Backend &gpu = gpuBackend();
    CompileOptions lowered = optionsWith(given);
    lowered.vectorBits = gpu.vectorBits();
    lowered.wideKeys = gpu.hasWideKeys();
    lowered.gathers = gpu.hasFastGathers();
    lowered.chip = chip;
    lowered.toolkit = toolkit;
    return found(lowered, [&](auto &asked, Failure &error) {
      return lowerToObjects(*module, gpu, asked, error);
    });
  }

  std::vector<std::string> remarks() const {
    Unlocked unlocked;
    return remarksOn(*module, backend, options);
  }

  /// Plans for a purpose: call, count or plan. A number of parts or threads
  /// that is 0 is chosen, by `work` entries that are read and written.
  std::unique_ptr<PyPlan> plan(const nb::list &list, int64_t parts,
                               int64_t threads, int64_t work, int64_t memory,
                               const std::string &purpose) {
    CallArguments call(*kernel, list);
    auto plan = std::make_unique<PyPlan>(
        kernel, readAsked(purpose, parts, threads, work, memory));
    Unlocked unlocked;
    plan->plan.plan(call.args);
    return plan;
  }

  /// Plans and executes a call, and returns the arrays of the result, in the
  /// memory of the device.
  nb::list compute(const nb::list &list, const AskedTuple &asked) {
    CallArguments call(*kernel, list);
    std::vector<Buffer> buffers;
    {
      Unlocked unlocked;
      Plan plan(kernel, readAsked("call", asked));
      if (!call.copiesArrays())
        plan.leaveOnDevice();
      plan.plan(call.args);
      buffers = plan.execute(call.args, /*isPlanned=*/true,
                             /*isTrusted=*/false);
    }
    nb::list arrays;
    for (Buffer &buffer : buffers)
      arrays.append(DeviceArray(kernel->device, std::move(buffer)));
    return arrays;
  }

  std::unique_ptr<PyPlan> partition(const nb::list &list, int64_t parts,
                                    int64_t threads, int64_t work,
                                    int64_t memory, const std::string &purpose,
                                    int64_t inner) {
    CallArguments call(*kernel, list);
    auto plan = std::make_unique<PyPlan>(
        kernel, readAsked(purpose, parts, threads, work, memory));
    if (inner < 1 || (inner > 1 && (parts < 1 || parts % inner)))
      throw nb::value_error("inner must divide parts");
    Unlocked unlocked;
    plan->plan.partition(call.args, inner);
    return plan;
  }

  std::unique_ptr<TakenCall> take(const nb::list &args,
                                  const AskedTuple &asked) const {
    return std::make_unique<TakenCall>(kernel, readAsked("call", asked), args);
  }

  std::unique_ptr<RepeatedCall>
  remember(const std::string &result, const nb::list &given,
           const nb::list &places, const nb::list &list,
           const AskedTuple &asked, const std::vector<size_t> &read,
           int64_t inner, bool decidesOrder) {
    return RepeatedCall::remember(kernel, readAsked("call", asked),
                                  {read, inner, decidesOrder},
                                  elementTypeOf(result), given, places, list);
  }

private:
  Variant variantFor(const Asked &asked) const {
    int64_t available = kernel->device.defaultThreads();
    return kernel->chooser.choose(asked, Facts(), available).variant;
  }

  Variant variantWith(const nb::dict &given) const {
    Pins pins = readOptions(backend, given).pins;
    Asked asked;
    asked.purpose = Purpose::plan;
    return pins.nearest(variantFor(asked));
  }

  CompileOptions optionsWith(const nb::dict &given) const {
    CompileOptions asked = options;
    asked.variant = variantWith(given);
    return asked;
  }

  std::shared_ptr<const AssignedModule> module;
  const Backend &backend;
  CompileOptions options;
  std::shared_ptr<const Kernel> kernel;
};

} // namespace

/// Computes calls: tuples of a kernel, its arguments, and what is asked.
template <typename T>
static void addError(nb::module_ &m, const char *name,
                     PyObject *base = PyExc_RuntimeError) {
  nb::exception<T> made(m, name, base);
}

/// Adds the names of the choices.
static void addNames(nb::module_ &m) {
  std::vector<std::string> choices;
  for (const auto &[name, isOn] : Variant().choices())
    choices.push_back(name);
  m.attr("CHOICES") = toTuple(choices);
}

static void addKernel(nb::module_ &m) {
  auto choices = nb::arg("choices") = nb::dict();
  nb::class_<PyKernel>(m, "Kernel")
      .def(nb::init<const PyModule &, const std::string &, const nb::dict &>(),
           nb::arg("module"), nb::arg("target") = "cpu",
           nb::arg("options") = nb::dict())
      .def(nb::init<const std::string &, const std::string &,
                    const nb::dict &>(),
           nb::arg("text"), nb::arg("target") = "cpu",
           nb::arg("options") = nb::dict())
      .def("prepare", &PyKernel::prepare, nb::arg("threads") = 0)
      .def("variants", &PyKernel::variants)
      .def("program", &PyKernel::program, choices)
      .def("chosen_for_lone_parts", &PyKernel::chosenForLoneParts,
           nb::arg("sizes"), nb::arg("work"))
      .def("chosen_instead", &PyKernel::chosenInstead, nb::arg("choices"),
           nb::arg("costs"), nb::arg("workers"))
      .def("lower", &PyKernel::lower, nb::arg("stage"), choices)
      .def("ptx", &PyKernel::ptx, nb::arg("chip"), nb::arg("toolkit"), choices)
      .def("lines", &PyKernel::lines, nb::arg("stage"), choices)
      .def("loops", &PyKernel::described<&describeLoops>, choices)
      .def("functions", &PyKernel::described<&describeFunctions>, choices)
      .def("gpu", &PyKernel::described<&describeGpu>, choices)
      .def("remarks", &PyKernel::remarks)
      .def("plan", &PyKernel::plan, nb::arg("args"), nb::arg("parts") = 0,
           nb::arg("threads") = 0, nb::arg("work") = 0, nb::arg("memory") = 0,
           nb::arg("purpose") = "plan")
      .def("compute", &PyKernel::compute, nb::arg("args"), nb::arg("asked"))
      .def("partition", &PyKernel::partition, nb::arg("args"),
           nb::arg("parts") = 0, nb::arg("threads") = 0, nb::arg("work") = 0,
           nb::arg("memory") = 0, nb::arg("purpose") = "plan",
           nb::arg("inner") = 1)
      .def("remember", &PyKernel::remember)
      .def("take", &PyKernel::take, nb::arg("args"), nb::arg("asked"));
}

NB_MODULE(_nacho, m) {
  if (!importNumPy())
    throw nb::python_error();
  addCompileError(m);
  addError<IndexOverflow>(m, "IndexOverflow");
  addError<CostOverflow>(m, "CostOverflow");
  addError<CoordinateOutOfRange>(m, "CoordinateOutOfRange");
  addError<OperandsChanged>(m, "OperandsChanged");
  addError<LateError>(m, "LateError");
  addError<DeviceError>(m, "DeviceError");
  addError<OutOfMemory>(m, "OutOfMemory", PyExc_MemoryError);
  addNames(m);
  m.attr("SANITIZER") = kSanitizer;
  addModules(m);
  addValidation(m);
  addDeviceArray(m);
  addCounts(m);
  addTexts(m);
  addTargets(m);
  nb::class_<PyProgram> program(m, "Program");
  program
      .def("__eq__", [](const PyProgram &one,
                        const PyProgram &other) { return one == other; })
      .def_prop_ro("choices", &PyProgram::choices)
      .def_prop_ro("steps", &PyProgram::describeSteps)
      .def("llvm", &PyProgram::llvm)
      .def("asm", &PyProgram::assembly);
  addLoneParts(program);
  addKernel(m);
  nb::class_<RepeatedCall>(m, "RepeatedCall")
      .def(
          "compute",
          [](const RepeatedCall &call, const nb::tuple &given,
             const nb::object &into, PyPlan *plan) {
            return call.compute(given, into, plan ? &plan->plan : nullptr);
          },
          nb::arg("given"), nb::arg("into") = nb::none(),
          nb::arg("plan") = nb::none())
      .def("take", &RepeatedCall::take, nb::arg("given"));
  addTakenCalls(m);
  m.def("roughly", &roughly, nb::arg("size"));
  m.attr("SMALL_OPERAND") = kSmallOperand;
  nb::class_<PyPlan>(m, "Plan")
      .def_prop_ro("program", &PyPlan::program)
      .def_prop_ro("reasons", &PyPlan::reasons)
      .def("workers", &PyPlan::workers, nb::arg("are_products"))
      .def_prop_ro("threads", &PyPlan::numThreads)
      .def_prop_ro("parts", &PyPlan::numParts)
      .def_prop_ro("total", &PyPlan::total)
      .def_prop_ro("bounds", &PyPlan::coordinates)
      .def_prop_ro("positions", &PyPlan::positions)
      .def_prop_ro("costs", &PyPlan::costs)
      .def("cuts", &PyPlan::cuts, nb::arg("step"))
      .def_prop_ro("nnz", &PyPlan::numEntries)
      .def("time_parts", &PyPlan::timeParts, nb::arg("args"),
           nb::arg("repeats"))
      .def("last_arguments", &PyPlan::lastArguments, nb::arg("args"))
      .def("part", &PyPlan::describePart, nb::arg("args"), nb::arg("number"),
           nb::arg("are_windows"), nb::arg("loops"))
      .def_prop_ro("whole", &PyPlan::whole)
      .def_prop_ro("memory", &PyPlan::memory)
      .def_prop_ro("sizes", &PyPlan::levelSizes)
      .def("execute", &PyPlan::execute, nb::arg("args"),
           nb::arg("planned") = false, nb::arg("trusted") = false,
           nb::arg("on_device") = false, nb::arg("into") = nb::none());
}
