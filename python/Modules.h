//===- Modules.h - Modules as text, for Python ----------------------------===//

#ifndef NACHO_PYTHON_MODULES_H
#define NACHO_PYTHON_MODULES_H

#include <nanobind/nanobind.h>

/// Adds functions that read modules, and rewrite them.
void addModules(nanobind::module_ &m);

#endif // NACHO_PYTHON_MODULES_H
