//===- Arrays.cpp - The arrays of Python as the memory of kernels ---------===//

#include "Arrays.h"

#include "DeviceArray.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstring>

namespace nb = nanobind;
using namespace nacho;

namespace {

/// An element type in NumPy.
struct ElementInfo {
  const char *name;
  int number;
};

/// A buffer, and its elements for the host to read.
struct HostBuffer {
  explicit HostBuffer(Buffer filled) : buffer(std::move(filled)) {}

  Buffer buffer;
  HostView<char> view = buffer.read();
};

} // namespace

static const ElementInfo &infoOf(ElementType type) {
  // In the order of the enumeration.
  static const ElementInfo infos[] = {
      {"bool", NPY_BOOL},           {"int8", NPY_INT8},
      {"uint8", NPY_UINT8},         {"int16", NPY_INT16},
      {"int32", NPY_INT32},         {"int64", NPY_INT64},
      {"float16", NPY_HALF},        {"bfloat16", NPY_NOTYPE}, // Unknown there.
      {"float32", NPY_FLOAT},       {"float64", NPY_DOUBLE},
      {"complex64", NPY_COMPLEX64}, {"complex128", NPY_COMPLEX128},
  };
  return infos[static_cast<int>(type)];
}

const char *nameOf(ElementType type) { return infoOf(type).name; }

ElementType elementTypeOf(const std::string &name) {
  for (int n = 0; n <= static_cast<int>(ElementType::c128); ++n)
    if (name == nameOf(static_cast<ElementType>(n)))
      return static_cast<ElementType>(n);
  throw nb::type_error("expected the name of an element type");
}

/// The array that an object is, or null if kernels cannot read its memory.
static PyArrayObject *readableArray(nb::handle object) {
  if (!PyArray_Check(object.ptr()))
    return nullptr;
  auto *array = reinterpret_cast<PyArrayObject *>(object.ptr());
  return PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) ? array
                                                                    : nullptr;
}

/// NumPy has two types of 64-bit integers. It numbers types without regard to
/// the order of their bytes.
static bool hasType(PyArrayObject *array, ElementType type) {
  int number = PyArray_TYPE(array);
  bool isNamed = number == infoOf(type).number ||
                 (type == ElementType::i64 && number == NPY_LONGLONG);
  return isNamed && PyArray_ISNOTSWAPPED(array);
}

/// Arrays of complex numbers are aligned as their parts.
static size_t alignmentOf(ElementType type) {
  bool isComplex = type == ElementType::c64 || type == ElementType::c128;
  return isComplex ? sizeOf(type) / 2 : sizeOf(type);
}

void throwIfFaulty(ArrayFault fault, ElementType type) {
  if (fault == ArrayFault::layout)
    throw nb::type_error("expected a C-contiguous array");
  if (fault == ArrayFault::type)
    throw nb::type_error(
        (std::string("expected an array of ") + infoOf(type).name).c_str());
  if (fault == ArrayFault::device)
    throw nb::type_error("expected an array in the memory of another device");
}

CallArguments::CallArguments(Device &device, size_t most) : device(device) {
  arrays.reserve(most);
  views.reserve(most);
  args.reserve(most);
}

static size_t numArguments(const Kernel &kernel) {
  size_t count = 0;
  for (const TensorLayout &operand : kernel.operands)
    count += operand.numArguments();
  return count;
}

CallArguments::CallArguments(const Kernel &kernel)
    : CallArguments(kernel.device, numArguments(kernel)) {}

CallArguments::CallArguments(const Kernel &kernel, const nb::list &list)
    : CallArguments(kernel) {
  if (nb::len(list) != args.capacity())
    throw nb::type_error("wrong number of arguments");
  size_t next = 0;
  auto add = [&](ElementType type) {
    throwIfFaulty(addArray(list[next++], type), type);
  };
  for (const TensorLayout &operand : kernel.operands) {
    for (const TensorLayout::Level &level : operand.levels)
      for (const TensorLayout::Array &array : level.arrays)
        add(array.type);
    add(operand.values);
    for (size_t n = 0; n < operand.levels.size(); ++n)
      addExtent(nb::cast<int64_t>(list[next++]));
  }
}

bool CallArguments::addNumber(nb::handle number, ElementType type) {
  // There are no more numbers than arguments: those that are here stay.
  if (numbers.empty())
    numbers.reserve(args.capacity());
  auto keep = [&](auto value) {
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    void *place = &numbers.emplace_back();
    std::memcpy(place, &value, sizeof(value));
    args.push_back({place, 1});
    return true;
  };
  if (type == ElementType::i64 && PyLong_CheckExact(number.ptr()))
    return keep(int64_t(PyLong_AsLongLong(number.ptr())));
  if (!PyFloat_Check(number.ptr()))
    return false;
  if (type == ElementType::f32)
    return keep(float(PyFloat_AsDouble(number.ptr())));
  return type == ElementType::f64 && keep(PyFloat_AsDouble(number.ptr()));
}

void CallArguments::setPositions(size_t argument, int64_t entries,
                                 ElementType type) {
  std::array<int64_t, 2> &made = positions.emplace_front();
  if (type == ElementType::i32) {
    const int32_t narrow[] = {0, int32_t(entries)};
    std::memcpy(made.data(), narrow, sizeof narrow);
  } else {
    made = {0, entries};
  }
  args[argument] = {made.data(), 2};
}

int CallArguments::lastRank() const {
  return PyArray_NDIM(reinterpret_cast<PyArrayObject *>(arrays.back().ptr()));
}

bool CallArguments::isIn(const void *memory, size_t bytes) const {
  auto begin = uintptr_t(memory);
  return std::any_of(arrays.begin(), arrays.end(), [&](const nb::object &each) {
    auto *array = reinterpret_cast<PyArrayObject *>(each.ptr());
    auto from = uintptr_t(PyArray_DATA(array));
    return from < begin + bytes && begin < from + PyArray_NBYTES(array);
  });
}

/// An empty array of another library may have no address.
ArrayFault CallArguments::addDeviceArray(nb::handle object, ElementType type) {
  const auto &array = nb::cast<const DeviceArray &>(object);
  if (!array.isOn(device))
    return ArrayFault::device;
  if (array.type != type)
    return ArrayFault::type;
  if (array.address() % alignmentOf(type))
    return ArrayFault::layout;
  deviceArrays.push_back(nb::borrow(object));
  void *data = array.data;
  if (array.size == 0) {
    views.emplace_back(device, nullptr, 0);
    data = views.back().data();
  }
  args.push_back({data, array.size});
  return ArrayFault::none;
}

ArrayFault CallArguments::addArray(nb::handle object, ElementType type) {
  PyArrayObject *array = readableArray(object);
  if (!array)
    return nb::isinstance<DeviceArray>(object) ? addDeviceArray(object, type)
                                               : ArrayFault::layout;
  if (!hasType(array, type))
    return ArrayFault::type;
  arrays.push_back(nb::borrow(object));
  views.emplace_back(device, PyArray_DATA(array), PyArray_NBYTES(array));
  args.push_back({views.back().data(), PyArray_SIZE(array)});
  return ArrayFault::none;
}

ResultRoom::ResultRoom(Device &device, ElementType type, nb::handle array) {
  if (nb::isinstance<DeviceArray>(array)) {
    const auto &there = nb::cast<const DeviceArray &>(array);
    if (!there.isOn(device))
      throwIfFaulty(ArrayFault::device, type);
    if (there.type != type)
      throwIfFaulty(ArrayFault::type, type);
    memory = {there.data, there.size};
    return;
  }
  if (!device.isHost())
    throwIfFaulty(ArrayFault::device, type);
  PyArrayObject *found = readableArray(array);
  if (!found || !PyArray_ISWRITEABLE(found))
    throwIfFaulty(ArrayFault::layout, type);
  if (!hasType(found, type))
    throwIfFaulty(ArrayFault::type, type);
  memory = {PyArray_DATA(found), PyArray_SIZE(found)};
  kept = nb::borrow(array);
}

/// An array in memory that is freed with it.
template <typename Owner>
static nb::object makeArray(std::unique_ptr<Owner> owner, const void *data,
                            std::initializer_list<npy_intp> shape,
                            ElementType type) {
  nb::object made = nb::steal(PyArray_New(
      &PyArray_Type, int(shape.size()), const_cast<npy_intp *>(shape.begin()),
      infoOf(type).number, /*strides=*/nullptr, const_cast<void *>(data),
      /*itemsize=*/0, NPY_ARRAY_CARRAY, /*obj=*/nullptr));
  if (!made)
    throw nb::python_error();
  nb::capsule base(owner.release(), [](void *owned) noexcept {
    delete static_cast<Owner *>(owned);
  });
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(made.ptr()),
                            base.release().ptr()))
    throw nb::python_error();
  return made;
}

nb::object toArray(Buffer filled) {
  auto host = std::make_unique<HostBuffer>(std::move(filled));
  const void *data = host->view.data();
  npy_intp size = host->buffer.size;
  ElementType type = host->buffer.type;
  return makeArray(std::move(host), data, {size}, type);
}

nb::list toArrays(std::vector<Buffer> filled) {
  nb::list arrays;
  for (Buffer &buffer : filled)
    arrays.append(toArray(std::move(buffer)));
  return arrays;
}

nb::object copyToArray(std::vector<int64_t> values, size_t rows,
                       size_t columns) {
  auto copy = std::make_unique<std::vector<int64_t>>(std::move(values));
  const void *data = copy->data();
  if (!columns)
    return makeArray(std::move(copy), data, {npy_intp(rows)}, ElementType::i64);
  return makeArray(std::move(copy), data, {npy_intp(rows), npy_intp(columns)},
                   ElementType::i64);
}

bool importNumPy() { return _import_array() == 0; }
