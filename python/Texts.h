//===- Texts.h - nacho._nacho: entries of tensors as text -----------------===//

#ifndef NACHO_PYTHON_TEXTS_H
#define NACHO_PYTHON_TEXTS_H

#include <nanobind/nanobind.h>

/// Adds `read_entries` and `write_entries`.
void addTexts(nanobind::module_ &m);

#endif // NACHO_PYTHON_TEXTS_H
