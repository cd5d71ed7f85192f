//===- Modules.h - Modules of MLIR, for Python ------------------*- C++ -*-===//

#ifndef NACHO_PYTHON_MODULES_H
#define NACHO_PYTHON_MODULES_H

#include "nacho/Compiler/Kernel.h"

#include <nanobind/nanobind.h>

/// A module for Python. Throws CompileError if its text is none.
struct PyModule {
  explicit PyModule(const std::string &text);
  explicit PyModule(std::shared_ptr<const nacho::AssignedModule> module)
      : module(std::move(module)) {}

  std::shared_ptr<const nacho::AssignedModule> module;
};

/// Adds the exception `CompileError`, which has what is refused as attributes.
void addCompileError(nanobind::module_ &m);
void addModules(nanobind::module_ &m);

#endif // NACHO_PYTHON_MODULES_H
