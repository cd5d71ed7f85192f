//===- LoneParts.h - Parts of plans that run alone, for Python --*- C++ -*-===//

#ifndef NACHO_PYTHON_LONEPARTS_H
#define NACHO_PYTHON_LONEPARTS_H

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

/// Describes what the parts of the last step make together: the arrays of its
/// result and of the sums of a part, each by type and length.
nanobind::tuple describeWhole(const nacho::Plan &plan);

/// Computes a part by a step. An array comes as (array, the index of its first
/// element for the step, the size for the step), an extent as an integer.
/// `results` and `sums` are filled.
void computePart(const nacho::Step &step, const nanobind::tuple &record,
                 const nanobind::list &arguments, const nanobind::list &results,
                 const nanobind::list &sums);

/// Adds the sums of all parts, joined in order, to the whole result.
void combineParts(const nacho::Step &step, const nanobind::list &records,
                  const nanobind::list &arguments,
                  const nanobind::list &results, const nanobind::list &sums);

#endif // NACHO_PYTHON_LONEPARTS_H
