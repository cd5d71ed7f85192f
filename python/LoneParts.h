//===- LoneParts.h - Parts of plans that run alone, for Python --*- C++ -*-===//

#ifndef NACHO_PYTHON_LONEPARTS_H
#define NACHO_PYTHON_LONEPARTS_H

#include "Programs.h"

#include "nacho/Execution/Plan.h"

#include <nanobind/nanobind.h>

#include <vector>

/// Describes a part of the last step of a plan, for other processes: its
/// record, and the windows that it reads (of the arguments) and writes (of the
/// arrays of the result); see LonePart.h. None instead of the latter if the
/// part cannot run alone.
nanobind::tuple describePart(const nacho::Plan &plan,
                             const std::vector<nacho::Argument> &args,
                             int64_t number,
                             const std::vector<bool> &areWindows,
                             const std::vector<int64_t> &loops);

/// Describes what the parts of a step make together: the arrays of its result
/// and of the sums of a part, each by type and length, and whether sums are
/// combined at last. The sizes of the step must be known.
nanobind::tuple describeWhole(const nacho::StepPlan &plan);

/// Adds to programs what cuts, counts and computes parts of a step alone. An
/// array comes as (array, the index of its first element for the step, the size
/// for the step), an extent as an integer.
void addLoneParts(nanobind::class_<PyProgram> &program);

#endif // NACHO_PYTHON_LONEPARTS_H
