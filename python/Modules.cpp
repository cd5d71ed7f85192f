//===- Modules.cpp - Modules as text, for Python --------------------------===//

#include "Modules.h"

#include "nacho/Compiler/Kernel.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nacho;

static std::string orThrow(std::string made, const std::string &error) {
  if (made.empty())
    throw CompileError(error);
  return made;
}

static nb::tuple toTuple(const std::vector<std::string> &texts) {
  nb::list list;
  for (const std::string &text : texts)
    list.append(text);
  return nb::tuple(list);
}

static nb::object pySignature(const std::string &text) {
  std::string error;
  std::optional<Signature> signature = readSignature(text, error);
  if (!signature)
    throw CompileError(error);
  return nb::make_tuple(signature->name, toTuple(signature->arguments),
                        toTuple(signature->types), signature->result);
}

using WidthPairs = std::vector<std::pair<unsigned, unsigned>>;

static std::string pyWithIndexWidths(const std::string &text,
                                     const WidthPairs &pairs) {
  std::vector<IndexWidths> widths;
  for (auto [positions, coordinates] : pairs)
    widths.push_back({positions, coordinates});
  std::string error;
  return orThrow(withIndexWidths(text, widths, error), error);
}

static nb::object pyReadFunction(const std::string &text,
                                 const std::string &entry) {
  std::string error;
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

void addModules(nb::module_ &m) {
  m.def("signature", &pySignature, nb::arg("text"));
  m.def("read_function", &pyReadFunction, nb::arg("text"), nb::arg("entry"));
  m.def("with_index_widths", &pyWithIndexWidths, nb::arg("text"),
        nb::arg("widths"));
}
