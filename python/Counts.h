//===- Counts.h - Counts of simulated kernels -------------------*- C++ -*-===//

#ifndef NACHO_PYTHON_COUNTS_H
#define NACHO_PYTHON_COUNTS_H

#include <nanobind/nanobind.h>

/// Adds the functions that tell how often loops and simulated kernels did what
/// they were compiled to count.
void addCounts(nanobind::module_ &m);

#endif // NACHO_PYTHON_COUNTS_H
