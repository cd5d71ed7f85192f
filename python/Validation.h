//===- Validation.h - Checks of index arrays for Python ---------*- C++ -*-===//

#ifndef NACHO_PYTHON_VALIDATION_H
#define NACHO_PYTHON_VALIDATION_H

#include <nanobind/nanobind.h>

/// Adds the functions that check index arrays to the module.
void addValidation(nanobind::module_ &m);

#endif // NACHO_PYTHON_VALIDATION_H
