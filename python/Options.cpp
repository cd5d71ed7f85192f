//===- Options.cpp - The options of calls and of the compiler -------------===//

#include "Options.h"

#include "Programs.h"

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/Kernel.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nacho;

const Backend &backendOf(const std::string &target) {
  const Backend *backend = findBackend(target);
  if (!backend) {
    Failure failure;
    failure.text = "there is no target '" + target + "'";
    throw CompileError(failure);
  }
  return *backend;
}

static std::string expectedOptions() {
  std::string names;
#define NACHO_VALUE(type, field, value, word, name, summary)                   \
  names += ", '" name "'";
#define NACHO_OPTION(type, field, name, initial, summary)                      \
  names += ", '" name "'";
#include "nacho/Execution/CompileOptions.def"
  return names.substr(2);
}

/// Sets the option `asked`. Returns false if there is no such option.
static bool setOption(Options &options, const std::string &asked,
                      nb::handle given) {
#define NACHO_VALUE(type, field, value, word, name, summary)                   \
  if (asked == name) {                                                         \
    options.pins.field.narrow(type::value, nb::cast<bool>(given));             \
    return true;                                                               \
  }
#define NACHO_OPTION(type, field, name, initial, summary)                      \
  if (asked == name) {                                                         \
    options.compile.field = nb::cast<type>(given);                             \
    return true;                                                               \
  }
#include "nacho/Execution/CompileOptions.def"
  return false;
}

Options readOptions(const Backend &backend, const nb::dict &given) {
  Options options = {defaultOptions(backend), {}};
  for (auto [key, value] : given) {
    auto asked = nb::cast<std::string>(key);
    if (!setOption(options, asked, value))
      throw nb::key_error(
          ("'" + asked + "': expected " + expectedOptions()).c_str());
  }
  options.compile.variant = options.pins.nearest(Variant());
  return options;
}

void addTargets(nb::module_ &m) {
  m.def(
      "stages",
      [](const std::string &target) {
        return toTuple(stageNames(backendOf(target)));
      },
      nb::arg("target"));
  m.def(
      "cache_refusal",
      [](const std::string &target) {
        return backendOf(target).cacheRefusal();
      },
      nb::arg("target"));
  m.def("cache_directory", [] { return cpuBackend().cacheDirectory(); });
  m.def("cpu_name", [] { return llvm::sys::getHostCPUName().str(); });
  m.attr("LLVM_VERSION") = LLVM_VERSION_STRING;
  m.def(
      "pooled_bytes",
      [](const std::string &target) {
        return backendOf(target).device()->pooledBytes();
      },
      nb::arg("target") = "cpu");
  m.def(
      "max_pooled_bytes",
      [](const std::string &target) {
        return backendOf(target).device()->maxPooledBytes();
      },
      nb::arg("target") = "cpu");
}

static Purpose purposeOf(const std::string &name) {
  if (name == "call")
    return Purpose::call;
  if (name == "count")
    return Purpose::count;
  if (name == "plan")
    return Purpose::plan;
  throw nb::value_error("expected the purpose call, count or plan");
}

Asked readAsked(const std::string &purpose, int64_t parts, int64_t threads,
                int64_t work, int64_t memory) {
  if (parts < 0 || threads < 0 || memory < 0)
    throw nb::value_error("parts, threads and memory cannot be negative");
  return {purposeOf(purpose), threads, parts, work, memory};
}

Asked readAsked(const std::string &purpose, const AskedTuple &asked) {
  auto [parts, threads, work, memory] = asked;
  return readAsked(purpose, parts, threads, work, memory);
}
