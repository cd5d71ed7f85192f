//===- NachoModule.cpp - nacho._nacho: compile and call kernels -----------===//
//
// Thin: everything symbolic is in Python, everything on IR in the compiler.
// Here arrays become pointers, statuses exceptions, and result buffers arrays.
//
//===----------------------------------------------------------------------===//

#include "nacho/Kernel.h"
#include "nacho/Runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace nb = nanobind;
using namespace nacho;

namespace {

struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct IndexOverflow : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct CoordinateOutOfRange : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct OperandsChanged : std::runtime_error {
  OperandsChanged()
      : std::runtime_error("changed: the operands are not those that were "
                           "checked and counted") {}
};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Empty arrays may have no address, but kernels read the first element of any.
alignas(64) char emptyArray[64];

const char *nameOf(ElementType type) {
  switch (type) {
  case ElementType::i32:
    return "int32";
  case ElementType::i64:
    return "int64";
  case ElementType::f32:
    return "float32";
  case ElementType::f64:
    return "float64";
  }
  return "";
}

size_t sizeOf(ElementType type) {
  return type == ElementType::i32 || type == ElementType::f32 ? 4 : 8;
}

bool hasType(const Py_buffer &buffer, ElementType type) {
  const char *format = buffer.format ? buffer.format : "B";
  if (*format == '=' || *format == '@' || *format == '<')
    ++format;
  const char *allowed = type == ElementType::f32   ? "f"
                        : type == ElementType::f64 ? "d"
                        : type == ElementType::i32 ? "il"
                                                   : "lq";
  return std::strlen(format) == 1 && std::strchr(allowed, *format) &&
         size_t(buffer.itemsize) == sizeOf(type);
}

/// The arguments of one call; holds on to the arrays while it lives.
class CallArguments {
public:
  CallArguments(const Kernel &kernel, nb::list list) {
    size_t expected = 0, next = 0;
    for (const TensorLayout &operand : kernel.operands)
      expected += operand.numArguments();
    if (nb::len(list) != expected)
      throw nb::type_error("wrong number of arguments");
    buffers.reserve(expected);
    args.reserve(expected);
    for (const TensorLayout &operand : kernel.operands) {
      for (const TensorLayout::Level &level : operand.levels) {
        if (level.isFull)
          continue;
        addArray(list[next++], level.positions);
        addArray(list[next++], level.coordinates);
      }
      addArray(list[next++], operand.values);
      if (!operand.levels.empty() && extents.empty())
        firstExtent = args.size();
      for (size_t n = 0; n < operand.levels.size(); ++n)
        args.push_back({nullptr, nb::cast<int64_t>(list[next++])});
      if (!operand.levels.empty() && extents.empty())
        for (size_t n = firstExtent; n < args.size(); ++n)
          extents.push_back(args[n].size);
    }
  }

  CallArguments(const CallArguments &) = delete;

  ~CallArguments() {
    for (Py_buffer &buffer : buffers)
      PyBuffer_Release(&buffer);
  }

  std::vector<Argument> args;
  std::vector<int64_t> extents; ///< Of the levels of the first tensor.

  /// The number of elements, or the extent, of every argument.
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> all;
    for (const Argument &arg : args)
      all.push_back(arg.size);
    return all;
  }

private:
  void addArray(nb::handle object, ElementType type) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object.ptr(), &buffer,
                           PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
      PyErr_Clear();
      throw nb::type_error("expected a C-contiguous array");
    }
    buffers.push_back(buffer);
    if (!hasType(buffer, type))
      throw nb::type_error(
          (std::string("expected an array of ") + nameOf(type)).c_str());
    args.push_back(
        {buffer.len ? buffer.buf : emptyArray, buffer.len / buffer.itemsize});
  }

  std::vector<Py_buffer> buffers;
  size_t firstExtent = 0;
};

void checkStatus(int32_t status) {
  if (status & kCoordinateOutOfRange)
    throw CoordinateOutOfRange("coordinate-out-of-range: a coordinate of an "
                               "operand is outside its extent");
  if (status & kOperandsChanged)
    throw OperandsChanged();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// An array over a buffer of the runtime, which it releases when it goes.
struct ResultBuffer {
  ResultBuffer(ElementType type, int64_t size)
      : type(type), size(size), data(allocateBuffer(size * sizeOf(type))),
        owner(data, [](void *buffer) noexcept { releaseBuffer(buffer); }) {}

  nb::object array() const {
    switch (type) {
    case ElementType::i32:
      return cast<int32_t>();
    case ElementType::i64:
      return cast<int64_t>();
    case ElementType::f32:
      return cast<float>();
    case ElementType::f64:
      return cast<double>();
    }
    return nb::none();
  }

  ElementType type;
  int64_t size;
  void *data;
  nb::capsule owner;

private:
  template <typename T>
  nb::object cast() const {
    size_t shape[] = {size_t(size)};
    return nb::cast(nb::ndarray<nb::numpy, T>(data, 1, shape, owner));
  }
};

nb::object copyToArray(std::vector<int64_t> values, size_t rows,
                       size_t columns) {
  auto *copy = new std::vector<int64_t>(std::move(values));
  nb::capsule owner(copy, [](void *data) noexcept {
    delete static_cast<std::vector<int64_t> *>(data);
  });
  size_t shape[] = {rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, int64_t>(copy->data(), columns ? 2 : 1,
                                                  shape, owner));
}

/// Everything up to the allocation of the result.
class Plan {
public:
  Plan(std::shared_ptr<const Kernel> kernel, int64_t parts)
      : kernel(std::move(kernel)), parts(parts) {
    if (parts < 1)
      throw nb::value_error("parts must be at least 1");
    bounds.resize((parts + 1) * this->kernel->boundColumns);
  }

  void partition(const CallArguments &call, int64_t within, int64_t threads) {
    nb::gil_scoped_release release;
    kernel->partition(call.args, bounds.data(), parts, within, threads);
  }

  void plan(const CallArguments &call, int64_t threads) {
    int32_t status;
    {
      nb::gil_scoped_release release;
      std::vector<int64_t> counts(parts * kernel->countColumns);
      offsets.resize((parts + 1) * kernel->countColumns);
      sizes.resize(kernel->depth);
      status = kernel->plan(call.args, bounds.data(), counts.data(),
                            offsets.data(), sizes.data(), parts, threads);
    }
    checkStatus(status);
    planned = call.sizes();
    checkIndexTypes();
  }

  /// Takes over the cuts of a coarser partition, every `inner` rows.
  void spread(const Plan &outer, int64_t inner) {
    size_t columns = kernel->boundColumns;
    for (int64_t row = 0; row <= outer.parts; ++row)
      std::copy_n(outer.bounds.begin() + row * columns, columns,
                  bounds.begin() + row * inner * columns);
  }

  nb::list execute(nb::list list, int64_t threads) {
    CallArguments call(*kernel, list);
    if (call.sizes() != planned)
      throw OperandsChanged();
    std::vector<ResultBuffer> buffers = allocate(call.extents);
    std::vector<Argument> results;
    for (const ResultBuffer &buffer : buffers)
      results.push_back({buffer.data, buffer.size});
    int32_t status;
    {
      nb::gil_scoped_release release;
      status = kernel->execute(call.args, bounds.data(), offsets.data(),
                               results, parts, threads);
    }
    checkStatus(status);
    nb::list arrays;
    for (const ResultBuffer &buffer : buffers)
      arrays.append(buffer.array());
    return arrays;
  }

  int64_t numParts() const { return parts; }
  int64_t numEntries() const { return sizes.empty() ? 0 : sizes.back(); }
  int64_t total() const {
    return bounds[parts * kernel->boundColumns] - bounds[0];
  }

  nb::object costs() const { return columns(0, 1, /*asVector=*/true); }
  nb::object coordinates() const { return columns(1, kernel->depth); }
  nb::object positions() const {
    return columns(1 + kernel->depth, kernel->boundColumns - 1 - kernel->depth);
  }
  nb::object levelSizes() const {
    nb::list list;
    for (int64_t size : sizes)
      list.append(size);
    return nb::tuple(list);
  }

private:
  nb::object columns(int64_t first, int64_t count,
                     bool asVector = false) const {
    std::vector<int64_t> values;
    for (int64_t row = 0; row <= parts; ++row)
      for (int64_t column = first; column < first + count; ++column)
        values.push_back(bounds[row * kernel->boundColumns + column]);
    return copyToArray(std::move(values), parts + 1, asVector ? 0 : count);
  }

  /// Positions count up to the number of entries of their level.
  void checkIndexTypes() const {
    for (size_t level = 0; level < sizes.size(); ++level) {
      const TensorLayout::Level &layout = kernel->result.levels[level];
      if (!layout.isFull && layout.positions == ElementType::i32 &&
          sizes[level] > std::numeric_limits<int32_t>::max())
        throw IndexOverflow("index-overflow: the result has " +
                            std::to_string(sizes[level]) +
                            " entries, more than 32-bit positions can count");
    }
  }

  std::vector<ResultBuffer>
  allocate(const std::vector<int64_t> &extents) const {
    std::vector<ResultBuffer> buffers;
    int64_t parents = 1;
    for (size_t level = 0; level < sizes.size(); ++level) {
      const TensorLayout::Level &layout = kernel->result.levels[level];
      if (layout.isFull) {
        parents *= extents[level];
        continue;
      }
      buffers.emplace_back(layout.positions, parents + 1);
      buffers.emplace_back(layout.coordinates, sizes[level]);
      parents = sizes[level];
    }
    buffers.emplace_back(kernel->result.values, parents);
    return buffers;
  }

  std::shared_ptr<const Kernel> kernel;
  int64_t parts;
  std::vector<int64_t> bounds, offsets, sizes, planned;
};

class PyKernel {
public:
  PyKernel(const std::string &text, const std::string &cost) {
    std::string error;
    {
      nb::gil_scoped_release release;
      kernel = Kernel::compile(text, cost, error);
    }
    if (!kernel)
      throw CompileError(error);
  }

  std::unique_ptr<Plan> plan(nb::list list, int64_t parts, int64_t threads) {
    CallArguments call(*kernel, list);
    auto plan = std::make_unique<Plan>(kernel, parts);
    plan->plan(call, threads);
    return plan;
  }

  std::unique_ptr<Plan> partition(nb::list list, int64_t parts, int64_t threads,
                                  int64_t inner) {
    CallArguments call(*kernel, list);
    if (inner < 1 || parts < 1 || parts % inner)
      throw nb::value_error("inner must divide parts");
    auto plan = std::make_unique<Plan>(kernel, parts);
    if (inner == 1 || inner == parts) {
      plan->partition(call, parts, threads);
      return plan;
    }
    // Cut into parts / inner parts first, and each of those again.
    Plan outer(kernel, parts / inner);
    outer.partition(call, parts / inner, threads);
    plan->spread(outer, inner);
    plan->partition(call, inner, threads);
    return plan;
  }

  std::string llvm() const { return kernel->llvm(); }
  std::string assembly() const { return kernel->assembly(); }
  int64_t delta() const { return kernel->delta; }

private:
  std::shared_ptr<Kernel> kernel;
};

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

using IndexArray =
    nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Calls `f` with the array's elements as int32 or int64.
template <typename F>
auto dispatchIndex(const IndexArray &array, F f) {
  if (array.dtype() == nb::dtype<int32_t>())
    return f(static_cast<const int32_t *>(array.data()));
  if (array.dtype() == nb::dtype<int64_t>())
    return f(static_cast<const int64_t *>(array.data()));
  throw nb::type_error("expected an array of int32 or int64");
}

int64_t pyCheckPositions(IndexArray pos, int64_t length, int64_t entries) {
  if (length < 0 || int64_t(pos.size()) < length + 1)
    throw nb::value_error("the positions are too short");
  return dispatchIndex(pos, [&](auto *data) {
    nb::gil_scoped_release release;
    return checkPositions(data, length, entries);
  });
}

std::pair<int64_t, std::string>
pyCheckCoordinates(IndexArray pos, IndexArray crd, int64_t extent) {
  if (pos.size() < 1)
    throw nb::value_error("the positions are too short");
  Violation violation;
  int64_t fibers = pos.size() - 1, entries = crd.size();
  int64_t at = dispatchIndex(pos, [&](auto *positions) {
    return dispatchIndex(crd, [&](auto *coordinates) -> int64_t {
      nb::gil_scoped_release release;
      if (checkPositions(positions, fibers, entries) >= 0)
        return -2;
      return checkCoordinates(positions, fibers, coordinates, extent,
                              violation);
    });
  });
  if (at == -2)
    throw nb::value_error("the positions are not valid");
  static const char *const names[] = {"", "range", "order", "duplicate"};
  return {at, names[static_cast<int>(violation)]};
}

std::string pyLower(const std::string &text, const std::string &stage,
                    const std::string &cost) {
  std::string error;
  std::string lowered = lowerToStage(text, stage, cost, error);
  if (lowered.empty())
    throw CompileError(error);
  return lowered;
}

} // namespace

NB_MODULE(_nacho, m) {
  nb::exception<CompileError>(m, "CompileError");
  nb::exception<IndexOverflow>(m, "IndexOverflow", PyExc_RuntimeError);
  nb::exception<CoordinateOutOfRange>(m, "CoordinateOutOfRange",
                                      PyExc_RuntimeError);
  nb::exception<OperandsChanged>(m, "OperandsChanged", PyExc_RuntimeError);
  nb::list stages;
  for (const std::string &name : stageNames())
    stages.append(name);
  m.attr("STAGES") = nb::tuple(stages);
  m.def("lower", &pyLower, nb::arg("text"), nb::arg("stage"), nb::arg("cost"),
        nb::call_guard<nb::gil_scoped_release>());
  m.def("check_positions", &pyCheckPositions, nb::arg("pos"), nb::arg("length"),
        nb::arg("nnz"));
  m.def("check_coordinates", &pyCheckCoordinates, nb::arg("pos"),
        nb::arg("crd"), nb::arg("extent"));
  m.def("pooled_bytes", &pooledBytes);
  m.def("max_pooled_bytes", &maxPooledBytes);

  nb::class_<PyKernel>(m, "Kernel")
      .def(nb::init<const std::string &, const std::string &>(),
           nb::arg("text"), nb::arg("cost"))
      .def_prop_ro("delta", &PyKernel::delta)
      .def("llvm", &PyKernel::llvm)
      .def("asm", &PyKernel::assembly)
      .def("plan", &PyKernel::plan, nb::arg("args"), nb::arg("parts"),
           nb::arg("threads"))
      .def("partition", &PyKernel::partition, nb::arg("args"), nb::arg("parts"),
           nb::arg("threads"), nb::arg("inner") = 1);
  nb::class_<Plan>(m, "Plan")
      .def_prop_ro("parts", &Plan::numParts)
      .def_prop_ro("total", &Plan::total)
      .def_prop_ro("bounds", &Plan::coordinates)
      .def_prop_ro("positions", &Plan::positions)
      .def_prop_ro("costs", &Plan::costs)
      .def_prop_ro("nnz", &Plan::numEntries)
      .def_prop_ro("sizes", &Plan::levelSizes)
      .def("execute", &Plan::execute, nb::arg("args"), nb::arg("threads"));
}
