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

/// What NumPy and the buffer protocol call an element type.
struct ElementInfo {
  const char *name, *formats;
  size_t size;
  nb::dlpack::dtype dtype;
};

const ElementInfo &infoOf(ElementType type) {
  using Code = nb::dlpack::dtype_code;
  auto dtype = [](Code code, int bits) {
    return nb::dlpack::dtype{uint8_t(code), uint8_t(bits), 1};
  };
  // In the order of the enumeration.
  static const ElementInfo infos[] = {
      {"bool", "?", 1, dtype(Code::Bool, 8)},
      {"int8", "b", 1, dtype(Code::Int, 8)},
      {"uint8", "B", 1, dtype(Code::UInt, 8)},
      {"int16", "h", 2, dtype(Code::Int, 16)},
      {"int32", "il", 4, dtype(Code::Int, 32)},
      {"int64", "lq", 8, dtype(Code::Int, 64)},
      {"float32", "f", 4, dtype(Code::Float, 32)},
      {"float64", "d", 8, dtype(Code::Float, 64)},
      {"complex64", "Zf", 8, dtype(Code::Complex, 64)},
      {"complex128", "Zd", 16, dtype(Code::Complex, 128)},
  };
  return infos[static_cast<int>(type)];
}

bool hasType(const Py_buffer &buffer, ElementType type) {
  const char *format = buffer.format ? buffer.format : "B";
  if (*format == '=' || *format == '@' || *format == '<')
    ++format;
  const ElementInfo &info = infoOf(type);
  bool named = *info.formats == 'Z'
                   ? std::strcmp(format, info.formats) == 0
                   : std::strlen(format) == 1 &&
                         std::strchr(info.formats, *format) != nullptr;
  return named && size_t(buffer.itemsize) == info.size;
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
        if (level.hasPositions)
          addArray(list[next++], level.positions);
        if (level.hasCoordinates)
          addArray(list[next++], level.coordinates);
      }
      addArray(list[next++], operand.values);
      for (size_t n = 0; n < operand.levels.size(); ++n)
        args.push_back({nullptr, nb::cast<int64_t>(list[next++])});
    }
  }

  CallArguments(const CallArguments &) = delete;

  ~CallArguments() {
    for (Py_buffer &buffer : buffers)
      PyBuffer_Release(&buffer);
  }

  std::vector<Argument> args;

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
          (std::string("expected an array of ") + infoOf(type).name).c_str());
    args.push_back(
        {buffer.len ? buffer.buf : emptyArray, buffer.len / buffer.itemsize});
  }

  std::vector<Py_buffer> buffers;
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

/// x * y, or no memory for so much.
int64_t checkedProduct(int64_t x, int64_t y) {
  int64_t product;
  if (__builtin_mul_overflow(x, y, &product))
    throw std::bad_alloc();
  return product;
}

/// An array over a buffer of the runtime, which it releases when it goes.
struct ResultBuffer {
  ResultBuffer(ElementType type, int64_t size)
      : type(type), size(size),
        data(allocateBuffer(checkedProduct(size, infoOf(type).size))),
        owner(data, [](void *buffer) noexcept { releaseBuffer(buffer); }) {}

  nb::object array() const {
    size_t shape[] = {size_t(size)};
    nb::object made = nb::cast(nb::ndarray<nb::numpy>(
        data, 1, shape, owner, nullptr, infoOf(type).dtype));
    // Of NumPy's two types of 64 bits, the one that it calls int64.
    return type == ElementType::i64 ? made.attr("view")("int64") : made;
  }

  ElementType type;
  int64_t size;
  void *data;
  nb::capsule owner;
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
      sizes.resize(kernel->result.levels.size() + 1);
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
    std::vector<ResultBuffer> buffers = allocate();
    std::vector<Argument> results;
    for (const ResultBuffer &buffer : buffers)
      results.push_back({buffer.data, buffer.size});
    int32_t status = kSuccess;
    // A dense result without entries needs no work, nor memory for it.
    if (kernel->countColumns || numEntries()) {
      nb::gil_scoped_release release;
      int64_t rows = kernel->partials.empty() ? 0 : 2 * parts;
      std::vector<std::unique_ptr<char[]>> memory;
      std::vector<void *> partials;
      for (ElementType type : kernel->partials) {
        int64_t bytes = checkedProduct(checkedProduct(rows, sizes.back()),
                                       infoOf(type).size);
        memory.emplace_back(new char[bytes + 64]);
        partials.push_back(memory.back().get());
      }
      std::vector<int64_t> visited(rows + 1);
      status = kernel->execute(call.args, bounds.data(), offsets.data(),
                               results, partials, visited.data(), sizes.back(),
                               parts, threads);
    }
    checkStatus(status);
    nb::list arrays;
    for (const ResultBuffer &buffer : buffers)
      arrays.append(buffer.array());
    return arrays;
  }

  int64_t numParts() const { return parts; }
  /// Of the values.
  int64_t numEntries() const {
    int64_t entries = 1;
    for (size_t level = 0; level < kernel->result.levels.size(); ++level)
      entries = positionsAt(level, entries);
    return entries;
  }
  int64_t total() const {
    return bounds[parts * kernel->boundColumns] - bounds[0];
  }

  nb::object costs() const { return columns(0, 1, /*asVector=*/true); }
  nb::object coordinates() const { return columns(1, kernel->order.size()); }
  nb::object positions() const {
    int64_t depth = kernel->order.size();
    return columns(1 + depth, kernel->boundColumns - 1 - depth);
  }
  nb::object levelSizes() const {
    nb::list list;
    for (size_t level = 0; level < kernel->result.levels.size(); ++level)
      list.append(sizes[level]);
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

  /// The number of positions of a level, under so many parents.
  int64_t positionsAt(size_t level, int64_t parents) const {
    bool isDense = !kernel->result.levels[level].hasCoordinates;
    return isDense ? checkedProduct(parents, sizes[level]) : sizes[level];
  }

  /// Positions count up to the number of entries of their level.
  void checkIndexTypes() const {
    for (size_t level = 0; level < kernel->result.levels.size(); ++level) {
      const TensorLayout::Level &layout = kernel->result.levels[level];
      if (layout.hasPositions && layout.positions == ElementType::i32 &&
          sizes[level] > std::numeric_limits<int32_t>::max())
        throw IndexOverflow("index-overflow: the result has " +
                            std::to_string(sizes[level]) +
                            " entries, more than 32-bit positions can count");
    }
  }

  std::vector<ResultBuffer> allocate() const {
    std::vector<ResultBuffer> buffers;
    int64_t parents = 1;
    for (size_t level = 0; level < kernel->result.levels.size(); ++level) {
      const TensorLayout::Level &layout = kernel->result.levels[level];
      if (layout.hasPositions)
        buffers.emplace_back(layout.positions, parents + 1);
      if (layout.hasCoordinates)
        buffers.emplace_back(layout.coordinates, sizes[level]);
      parents = positionsAt(level, parents);
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
  nb::object order() const {
    nb::list names;
    for (const std::string &name : kernel->order)
      names.append(name);
    return nb::tuple(names);
  }
  nb::object loops() const {
    nb::list loops;
    for (const std::vector<int64_t> &loop : kernel->loops) {
      nb::list operands;
      for (int64_t operand : loop)
        operands.append(operand);
      loops.append(nb::tuple(operands));
    }
    return nb::tuple(loops);
  }

private:
  std::shared_ptr<Kernel> kernel;
};

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

const char *const violationNames[] = {"", "range", "order", "duplicate"};

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
  return {at, violationNames[static_cast<int>(violation)]};
}

/// The entries of levels whose coordinates are tuples; all arrays of them have
/// one type.
nb::object pyCheckTuples(IndexArray pos, nb::list list, nb::list extentList) {
  std::vector<IndexArray> arrays;
  std::vector<int64_t> extents;
  for (nb::handle item : list)
    arrays.push_back(nb::cast<IndexArray>(item));
  for (nb::handle item : extentList)
    extents.push_back(nb::cast<int64_t>(item));
  if (pos.size() < 1 || arrays.empty() || arrays.size() != extents.size())
    throw nb::value_error("expected one extent for every array");
  int64_t fibers = pos.size() - 1, entries = arrays.front().size(), level = -1;
  for (const IndexArray &array : arrays)
    if (array.dtype() != arrays.front().dtype() ||
        int64_t(array.size()) != entries)
      throw nb::value_error("the coordinates differ in type or length");
  Violation violation = Violation::none;
  int64_t at = dispatchIndex(pos, [&](auto *positions) {
    return dispatchIndex(arrays.front(), [&](auto *first) -> int64_t {
      using Index = std::remove_pointer_t<decltype(first)>;
      std::vector<Index *> coordinates;
      for (const IndexArray &array : arrays)
        coordinates.push_back(static_cast<Index *>(array.data()));
      nb::gil_scoped_release release;
      if (checkPositions(positions, fibers, entries) >= 0)
        return -2;
      return checkTuples(positions, fibers, coordinates.data(), extents.data(),
                         int64_t(extents.size()), level, violation);
    });
  });
  if (at == -2)
    throw nb::value_error("the positions are not valid");
  return nb::make_tuple(at, level, violationNames[static_cast<int>(violation)]);
}

nb::object pySignature(const std::string &text) {
  std::string error;
  std::vector<Signature> found = readSignature(text, error);
  if (found.empty())
    throw CompileError(error);
  auto toTuple = [](const std::vector<std::string> &items) {
    nb::list list;
    for (const std::string &item : items)
      list.append(item);
    return nb::tuple(list);
  };
  const Signature &signature = found.front();
  return nb::make_tuple(signature.name, toTuple(signature.arguments),
                        toTuple(signature.types), signature.result);
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
  m.def("check_tuples", &pyCheckTuples, nb::arg("pos"), nb::arg("crds"),
        nb::arg("extents"));
  m.def("signature", &pySignature, nb::arg("text"));
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
      .def_prop_ro("order", &PyKernel::order)
      .def_prop_ro("loops", &PyKernel::loops)
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
