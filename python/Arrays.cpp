//===- Arrays.cpp - The arrays of Python as the memory of kernels ---------===//

#include "Arrays.h"

#include "DeviceArray.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>

namespace nb = nanobind;
using namespace nacho;

namespace {

/// The names of an element type in NumPy, the buffer protocol and DLPack.
struct ElementInfo {
  const char *name, *formats;
  nb::dlpack::dtype dtype;
};

/// A buffer, and its elements for the host to read.
struct HostBuffer {
  explicit HostBuffer(Buffer filled) : buffer(std::move(filled)) {}

  Buffer buffer;
  HostView<char> view = buffer.read();
};

} // namespace

static const ElementInfo &infoOf(ElementType type) {
  using Code = nb::dlpack::dtype_code;
  auto dtype = [](Code code, int bits) {
    return nb::dlpack::dtype{uint8_t(code), uint8_t(bits), 1};
  };
  // In the order of the enumeration.
  static const ElementInfo infos[] = {
      {"bool", "?", dtype(Code::Bool, 8)},
      {"int8", "b", dtype(Code::Int, 8)},
      {"uint8", "B", dtype(Code::UInt, 8)},
      {"int16", "h", dtype(Code::Int, 16)},
      {"int32", "il", dtype(Code::Int, 32)},
      {"int64", "lq", dtype(Code::Int, 64)},
      {"float16", "e", dtype(Code::Float, 16)},
      {"bfloat16", "E", dtype(Code::Bfloat, 16)}, // Unknown to NumPy.
      {"float32", "f", dtype(Code::Float, 32)},
      {"float64", "d", dtype(Code::Float, 64)},
      {"complex64", "Zf", dtype(Code::Complex, 64)},
      {"complex128", "Zd", dtype(Code::Complex, 128)},
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

static bool hasType(const Py_buffer &buffer, ElementType type) {
  const char *format = buffer.format ? buffer.format : "B";
  if (*format == '=' || *format == '@' || *format == '<')
    ++format;
  const ElementInfo &info = infoOf(type);
  bool named = *info.formats == 'Z'
                   ? std::strcmp(format, info.formats) == 0
                   : std::strlen(format) == 1 &&
                         std::strchr(info.formats, *format) != nullptr;
  return named && size_t(buffer.itemsize) == sizeOf(type);
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
  buffers.reserve(most);
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

CallArguments::~CallArguments() {
  for (Py_buffer &buffer : buffers)
    PyBuffer_Release(&buffer);
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
  std::array<int64_t, 2> &made = positions.emplace_back();
  if (type == ElementType::i32) {
    const int32_t narrow[] = {0, int32_t(entries)};
    std::memcpy(made.data(), narrow, sizeof narrow);
  } else {
    made = {0, entries};
  }
  args[argument] = {made.data(), 2};
}

bool CallArguments::isIn(const void *memory, size_t bytes) const {
  auto begin = uintptr_t(memory);
  return std::any_of(buffers.begin(), buffers.end(),
                     [&](const Py_buffer &each) {
                       auto from = uintptr_t(each.buf);
                       return from < begin + bytes && begin < from + each.len;
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
  if (nb::isinstance<DeviceArray>(object))
    return addDeviceArray(object, type);
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer,
                         PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
    PyErr_Clear();
    return ArrayFault::layout;
  }
  buffers.push_back(buffer);
  if (!hasType(buffer, type))
    return ArrayFault::type;
  if (reinterpret_cast<uintptr_t>(buffer.buf) % alignmentOf(type))
    return ArrayFault::layout;
  views.emplace_back(device, buffer.buf, buffer.len);
  args.push_back({views.back().data(), buffer.len / buffer.itemsize});
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
  Py_buffer found;
  if (PyObject_GetBuffer(array.ptr(), &found,
                         PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE))
    throw nb::python_error();
  buffer = found;
  bool isAligned = uintptr_t(found.buf) % alignmentOf(type) == 0;
  if (hasType(found, type) && isAligned) {
    memory = {found.buf, found.len / found.itemsize};
    return;
  }
  PyBuffer_Release(&*buffer);
  throwIfFaulty(isAligned ? ArrayFault::type : ArrayFault::layout, type);
}

ResultRoom::~ResultRoom() {
  if (buffer)
    PyBuffer_Release(&*buffer);
}

nb::object toArray(Buffer filled) {
  auto *host = new HostBuffer(std::move(filled));
  nb::capsule owner(host, [](void *data) noexcept {
    delete static_cast<HostBuffer *>(data);
  });
  const Buffer &buffer = host->buffer;
  size_t shape[] = {size_t(buffer.size)};
  nb::object made = nb::cast(
      nb::ndarray<nb::numpy>(const_cast<char *>(host->view.data()), 1, shape,
                             owner, nullptr, infoOf(buffer.type).dtype));
  // NumPy has two types of 64-bit integers: return the one called int64.
  return buffer.type == ElementType::i64 ? made.attr("view")("int64") : made;
}

nb::list toArrays(std::vector<Buffer> filled) {
  nb::list arrays;
  for (Buffer &buffer : filled)
    arrays.append(toArray(std::move(buffer)));
  return arrays;
}

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
