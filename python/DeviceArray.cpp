//===- DeviceArray.cpp - Arrays of Python in the memory of a device -------===//

#include "DeviceArray.h"

#include "Arrays.h"
#include "Options.h"

#include "nacho/Backends/Backends.h"
#include "nacho/Runtime/DeviceError.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nacho;

/// The device of a target, which has memory of its own.
static Device &deviceOf(const std::string &target) {
  const Backend &backend = backendOf(target);
  if (std::string refusal = backend.refusal(); !refusal.empty())
    throw DeviceError(refusal);
  Device *device = backend.device();
  if (!device || device->isHost())
    throw nb::value_error("the target has no memory of its own");
  return *device;
}

namespace {
/// The memory of an array of the host.
class HostArray {
public:
  HostArray(nb::handle array, bool isWritten) {
    int flags = PyBUF_C_CONTIGUOUS | (isWritten ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array.ptr(), &buffer, flags))
      throw nb::python_error();
  }
  HostArray(const HostArray &) = delete;
  ~HostArray() { PyBuffer_Release(&buffer); }

  void *data() const { return buffer.buf; }
  size_t numBytes() const { return buffer.len; }

private:
  Py_buffer buffer;
};
} // namespace

DeviceArray::DeviceArray(Device &device, Buffer filled)
    : type(filled.type), size(filled.size), data(filled.data), device(&device),
      buffer(std::move(filled)) {}

DeviceArray::DeviceArray(const std::string &target, uintptr_t address,
                         int64_t size, const std::string &dtype,
                         nb::object owner)
    : type(elementTypeOf(dtype)), size(size),
      data(reinterpret_cast<void *>(address)), device(&deviceOf(target)),
      owner(std::move(owner)) {}

DeviceArray DeviceArray::copyOf(const std::string &target, nb::handle array,
                                const std::string &dtype) {
  HostArray given(array, /*isWritten=*/false);
  Device &device = deviceOf(target);
  ElementType type = elementTypeOf(dtype);
  auto made = allocateFor("a copy of an array", [&] {
    return Buffer(device, type, given.numBytes() / sizeOf(type));
  });
  device.copyFromHost(made.data, given.data(), made.numBytes());
  device.synchronize(made.stream);
  return {device, std::move(made)};
}

void DeviceArray::read(nb::handle array) const {
  HostArray wanted(array, /*isWritten=*/true);
  if (wanted.numBytes() != size * sizeOf(type))
    throw nb::value_error("the array of the host has another size");
  nb::gil_scoped_release released;
  OnStream on(buffer ? buffer->stream : OnStream::current());
  device->copyToHost(wanted.data(), data, wanted.numBytes());
}

std::string DeviceArray::target() const {
  for (const Backend *backend : allBackends())
    if (backend->device() == device)
      return backend->name().str();
  return "";
}

std::string DeviceArray::dtype() const { return nameOf(type); }

std::optional<uintptr_t> DeviceArray::stream() const {
  if (!buffer)
    return std::nullopt;
  return reinterpret_cast<uintptr_t>(buffer->stream);
}

static uintptr_t setStream(uintptr_t stream) {
  void *before = OnStream::exchange(reinterpret_cast<void *>(stream));
  return reinterpret_cast<uintptr_t>(before);
}

static void synchronize(const std::string &target, uintptr_t stream) {
  Device &device = deviceOf(target);
  nb::gil_scoped_release released;
  device.synchronize(reinterpret_cast<void *>(stream));
}

/// Reads what an array of another library says by DLPack of its memory on a
/// GPU: the address, the shape, the strides in elements, the code and the bits
/// of its type, and what keeps the memory alive.
static nb::tuple readDlpack(nb::handle array) {
  using Exchanged = nb::ndarray<nb::ro, nb::device::cuda>;
  auto found = nb::cast<Exchanged>(array);
  nb::list shape, strides;
  for (size_t n = 0; n < found.ndim(); ++n) {
    shape.append(found.shape(n));
    strides.append(found.stride(n));
  }
  nb::capsule owner(new Exchanged(found), [](void *data) noexcept {
    delete static_cast<Exchanged *>(data);
  });
  return nb::make_tuple(reinterpret_cast<uintptr_t>(found.data()),
                        nb::tuple(shape), nb::tuple(strides),
                        int(found.dtype().code), int(found.dtype().bits),
                        owner);
}

void addDeviceArray(nb::module_ &m) {
  m.def("read_dlpack", &readDlpack, nb::arg("array"));
  m.def("set_stream", &setStream, nb::arg("stream"));
  m.def("synchronize", &synchronize, nb::arg("target"), nb::arg("stream"));
  nb::class_<DeviceArray>(m, "DeviceArray")
      .def(nb::init<const std::string &, uintptr_t, int64_t,
                    const std::string &, nb::object>(),
           nb::arg("target"), nb::arg("address"), nb::arg("size"),
           nb::arg("dtype"), nb::arg("owner"))
      .def_static("copy_of", &DeviceArray::copyOf, nb::arg("target"),
                  nb::arg("array"), nb::arg("dtype"))
      .def("read", &DeviceArray::read, nb::arg("array"))
      .def_prop_ro("target", &DeviceArray::target)
      .def_prop_ro("address", &DeviceArray::address)
      .def_prop_ro("stream", &DeviceArray::stream)
      .def_prop_ro("size", &DeviceArray::numElements)
      .def_prop_ro("dtype", &DeviceArray::dtype);
}
