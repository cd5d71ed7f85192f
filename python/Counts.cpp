//===- Counts.cpp - Counts of simulated kernels ---------------------------===//

#include "Counts.h"

#include "nacho/Runtime/Runtime.h"
#include "nacho/Runtime/Workers.h"
#include "nacho/Simulator/KernelCounts.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nacho;

/// The names of kernels, with the fields of KernelCounts, in order.
static nb::list pyCountedKernels() {
  nb::list kernels;
  for (const auto &[name, n] : countedKernels())
    kernels.append(nb::make_tuple(
        name, nb::make_tuple(
                  n.launches, n.warps, n.blocks, n.threads, n.sectorsLoaded,
                  n.sectorsStored, n.sectorsMoved, n.bytesLoaded, n.bytesStored,
                  n.lines, n.sharedAccesses, n.bankConflicts, n.atomics,
                  n.issued, n.useful, n.farWaits, n.nearWaits, n.longest,
                  n.longestFarWaits, n.longestNearWaits)));
  return kernels;
}

/// The number of parts that each thread computed for the calling thread since
/// this was asked last, and the seconds that it waited for others.
static nb::tuple pyTakeSharing() {
  Sharing sharing = takeSharing();
  return nb::make_tuple(sharing.parts, sharing.awaited);
}

void addCounts(nb::module_ &m) {
  m.def("counted_steps", &countedSteps);
  m.def("counted_kernels", &pyCountedKernels);
  m.def("take_sharing", &pyTakeSharing);
  nb::class_<PartCounts>(m, "PartCounts")
      .def(nb::init<>())
      .def_prop_ro("parts", [](const PartCounts &c) { return c.parts.load(); })
      .def_prop_ro("done", [](const PartCounts &c) { return c.done.load(); })
      .def("stop", &PartCounts::stop);
  m.def(
      "count_parts", [](PartCounts *counts) { countParts(counts); },
      nb::arg("counts").none());
}
