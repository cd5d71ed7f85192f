//===- Modules.cpp - Modules of MLIR, for Python --------------------------===//

#include "Modules.h"

#include "Options.h"
#include "Signals.h"

#include "nacho/Backends/Backends.h"
#include "nacho/Backends/Export.h"
#include "nacho/Compiler/Description.h"
#include "nacho/Compiler/Kernel.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nacho;

static nb::tuple toTuple(const std::vector<std::string> &texts) {
  nb::list list;
  for (const std::string &text : texts)
    list.append(text);
  return nb::tuple(list);
}

PyModule::PyModule(const std::string &text) {
  Failure error;
  {
    Unlocked unlocked;
    module = untilDone([&] { return readModule(text, error); });
  }
  if (!module)
    throw CompileError(error);
}

static ModuleDescription pyDescribe(const PyModule &module) {
  Unlocked unlocked;
  Failure error;
  std::optional<ModuleDescription> described =
      describeModule(*module.module, error);
  if (!described)
    throw CompileError(error);
  return *described;
}

using WidthPairs = std::vector<std::pair<unsigned, unsigned>>;

static PyModule pyWithIndexWidths(const PyModule &module,
                                  const WidthPairs &pairs) {
  std::vector<IndexWidths> widths;
  for (auto [positions, coordinates] : pairs)
    widths.push_back({positions, coordinates});
  Unlocked unlocked;
  Failure error;
  auto made = withIndexWidths(*module.module, widths, error);
  if (!made)
    throw CompileError(error);
  return PyModule(std::move(made));
}

static std::string pyLower(const std::string &text, const std::string &stage,
                           const std::string &target, const nb::dict &given) {
  const Backend &backend = backendOf(target);
  CompileOptions options = readOptions(backend, given).compile;
  Unlocked unlocked;
  Failure error;
  std::optional<std::string> printed =
      lowerToStage(text, stage, backend, options, error);
  if (!printed)
    throw CompileError(error);
  return *printed;
}

static nb::object pyReadFunction(const std::string &text,
                                 const std::string &entry) {
  Failure error;
  std::optional<FunctionCalls> function = readFunction(text, entry, error);
  if (!function)
    throw CompileError(error);
  nb::list calls;
  for (const FunctionCalls::Call &call : function->calls)
    calls.append(
        nb::make_tuple(call.kernel, nb::tuple(nb::cast(call.operands))));
  return nb::make_tuple(function->text, function->name,
                        toTuple(function->arguments), nb::tuple(calls),
                        nb::tuple(nb::cast(function->results)));
}

static void addDescriptions(nb::module_ &m) {
  nb::class_<TypeDescription>(m, "TypeDescription")
      .def_ro("text", &TypeDescription::text)
      .def_ro("element", &TypeDescription::element)
      .def_ro("shape", &TypeDescription::shape)
      .def_ro("encoding", &TypeDescription::encoding)
      .def_ro("levels", &TypeDescription::levels)
      .def_ro("pos_width", &TypeDescription::posWidth)
      .def_ro("crd_width", &TypeDescription::crdWidth)
      .def_ro("blocks", &TypeDescription::blocks);
  nb::class_<AccessDescription>(m, "AccessDescription")
      .def_ro("argument", &AccessDescription::argument)
      .def_ro("is_slice", &AccessDescription::isSlice)
      .def_ro("indices", &AccessDescription::indices);
  nb::class_<NumberDescription>(m, "NumberDescription")
      .def_ro("is_argument", &NumberDescription::isArgument)
      .def_ro("value", &NumberDescription::value);
  nb::class_<SliceDescription>(m, "SliceDescription")
      .def_ro("argument", &SliceDescription::argument)
      .def_ro("dimensions", &SliceDescription::dimensions);
  nb::class_<ModuleDescription>(m, "ModuleDescription")
      .def_ro("name", &ModuleDescription::name)
      .def_ro("arguments", &ModuleDescription::arguments)
      .def_ro("given", &ModuleDescription::given)
      .def_ro("assigned", &ModuleDescription::assigned)
      .def_ro("is_one_op", &ModuleDescription::isOneOp)
      .def_ro("indices", &ModuleDescription::indices)
      .def_ro("accesses", &ModuleDescription::accesses)
      .def_ro("extents", &ModuleDescription::extents)
      .def_ro("slices", &ModuleDescription::slices);
}

static void addDescriptionsOfKernels(nb::module_ &m) {
  nb::class_<LoopDescription>(m, "LoopDescription")
      .def_ro("index", &LoopDescription::index)
      .def_ro("depth", &LoopDescription::depth)
      .def_ro("operands", &LoopDescription::operands)
      .def_ro("merge", &LoopDescription::merge)
      .def_ro("full", &LoopDescription::full)
      .def_ro("lowest", &LoopDescription::lowest);
  nb::class_<GpuFunctionDescription>(m, "GpuFunctionDescription")
      .def_ro("name", &GpuFunctionDescription::name)
      .def_ro("tile", &GpuFunctionDescription::tile)
      .def_ro("shared", &GpuFunctionDescription::shared)
      .def_ro("lanes", &GpuFunctionDescription::lanes)
      .def_ro("tables", &GpuFunctionDescription::tables);
  nb::class_<GpuDescription>(m, "GpuDescription")
      .def_ro("functions", &GpuDescription::functions)
      .def_ro("threads", &GpuDescription::threads);
}

/// Raises a CompileError, whose class is `payload`.
static void raise(const std::exception_ptr &thrown, void *payload) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CompileError &error) {
    nb::handle type(static_cast<PyObject *>(payload));
    nb::object raised = type(error.what());
    raised.attr("operand") = nb::cast(error.failure.operand);
    raised.attr("is_result") = error.failure.isResult;
    raised.attr("is_unsupported") = error.failure.isUnsupported;
    raised.attr("is_dense") = error.failure.isDense;
    raised.attr("reason") = error.failure.reason;
    PyErr_SetObject(type.ptr(), raised.ptr());
  }
}

void addCompileError(nb::module_ &m) {
  PyObject *type = PyErr_NewException("nacho._nacho.CompileError",
                                      PyExc_RuntimeError, nullptr);
  m.attr("CompileError") = nb::handle(type);
  nb::register_exception_translator(raise, type);
}

/// The object file of a module of the host; see exportKernel().
static nb::bytes pyExport(const std::string &text, const nb::dict &given,
                          const std::string &image,
                          const std::string &description) {
  CompileOptions options = readOptions(cpuBackend(), given).compile;
  std::optional<std::string> object;
  Failure failure;
  {
    Unlocked unlocked;
    object = untilDone([&] {
      return exportKernel(text, options, {image, "nacho_description"},
                          description, failure.text);
    });
  }
  if (!object)
    throw CompileError(failure);
  return nb::bytes(object->data(), object->size());
}

void addModules(nb::module_ &m) {
  addDescriptions(m);
  addDescriptionsOfKernels(m);
  nb::class_<PyModule>(m, "Module")
      .def(nb::init<const std::string &>(), nb::arg("text"))
      .def("describe", &pyDescribe)
      .def("with_index_widths", &pyWithIndexWidths, nb::arg("widths"));
  m.def("lower", &pyLower, nb::arg("text"), nb::arg("stage"),
        nb::arg("target") = "cpu", nb::arg("options") = nb::dict());
  m.def("export_kernel", &pyExport, nb::arg("text"), nb::arg("options"),
        nb::arg("image"), nb::arg("description"));
  m.def("read_function", &pyReadFunction, nb::arg("text"), nb::arg("entry"));
}
