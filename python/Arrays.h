//===- Arrays.h - The arrays of Python as the memory of kernels -----------===//

#ifndef NACHO_PYTHON_ARRAYS_H
#define NACHO_PYTHON_ARRAYS_H

#include "nacho/Execution/Kernel.h"

#include <nanobind/nanobind.h>

#include <vector>

/// The arguments of one call; holds on to the arrays while it lives.
class CallArguments {
public:
  CallArguments(const nacho::Kernel &kernel, nanobind::list list);
  CallArguments(const CallArguments &) = delete;
  ~CallArguments();

  std::vector<nacho::Argument> args;

private:
  void addArray(nanobind::handle object, nacho::ElementType type);

  nacho::Device &device;
  std::vector<Py_buffer> buffers;
  std::vector<nacho::DeviceView> views;
};

/// An array over a buffer, which it releases when it goes.
nanobind::object toArray(nacho::Buffer filled);

/// An array of one index if there are no columns, else of two.
nanobind::object copyToArray(std::vector<int64_t> values, size_t rows,
                             size_t columns);

#endif // NACHO_PYTHON_ARRAYS_H
