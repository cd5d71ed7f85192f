//===- Options.h - The options of calls and of the compiler -----*- C++ -*-===//

#ifndef NACHO_PYTHON_OPTIONS_H
#define NACHO_PYTHON_OPTIONS_H

#include "nacho/Compiler/Backend.h"
#include "nacho/Execution/Chooser.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

/// The request of a caller of the compiler.
struct Options {
  nacho::CompileOptions compile;
  nacho::Pins pins;
};

/// The backend for a target. Throws CompileError if there is none.
const nacho::Backend &backendOf(const std::string &target);

/// Adds what there is to say of targets and their memory, of the machine, and
/// of compiled code on its disk.
void addTargets(nanobind::module_ &m);

/// Reads options by their names in CompileOptions.def. Those that are not given
/// are the default of the backend. Throws KeyError for an unknown name.
Options readOptions(const nacho::Backend &backend, const nanobind::dict &given);

/// The parts and the threads that are asked for, the work, and the most bytes.
using AskedTuple = std::tuple<int64_t, int64_t, int64_t, int64_t>;
/// Reads a caller's request to plan. The purpose is call, count or plan.
nacho::Asked readAsked(const std::string &purpose, const AskedTuple &asked);
nacho::Asked readAsked(const std::string &purpose, int64_t parts,
                       int64_t threads, int64_t work, int64_t memory);

#endif // NACHO_PYTHON_OPTIONS_H
