//===- Arrays.h - The arrays of Python as the memory of kernels -----------===//

#ifndef NACHO_PYTHON_ARRAYS_H
#define NACHO_PYTHON_ARRAYS_H

#include "nacho/Execution/Kernel.h"

#include <nanobind/nanobind.h>

#include <vector>

/// The arguments of one call, from a list of Python arrays and extents. Keeps
/// the arrays alive.
class CallArguments {
public:
  CallArguments(const nacho::Kernel &kernel, const nanobind::list &list);
  CallArguments(const CallArguments &) = delete;
  ~CallArguments();

  std::vector<nacho::Argument> args;

private:
  void addArray(nanobind::handle object, nacho::ElementType type);

  nacho::Device &device;
  std::vector<Py_buffer> buffers;
  std::vector<nacho::DeviceView> views;
};

/// A NumPy array that owns the buffer.
nanobind::object toArray(nacho::Buffer filled);

/// A NumPy array of rank 2; of rank 1 if `columns` is 0.
nanobind::object copyToArray(std::vector<int64_t> values, size_t rows,
                             size_t columns);

#endif // NACHO_PYTHON_ARRAYS_H
