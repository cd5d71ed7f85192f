//===- DeviceArray.h - Arrays of Python in the memory of a device ---------===//

#ifndef NACHO_PYTHON_DEVICE_ARRAY_H
#define NACHO_PYTHON_DEVICE_ARRAY_H

#include "nacho/Compiler/Backend.h"
#include "nacho/Execution/Device.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

/// A contiguous array in the memory of a device, which the host cannot access.
class DeviceArray {
public:
  /// A result: the memory is released with the array.
  DeviceArray(nacho::Device &device, nacho::Buffer filled);
  /// An array at an address of the device of a target. The memory is that of
  /// `owner`, which is kept alive.
  DeviceArray(const std::string &target, uintptr_t address, int64_t size,
              const std::string &dtype, nanobind::object owner);
  /// A copy of an array of the host. Throws DeviceError or OutOfMemory.
  static DeviceArray copyOf(const std::string &target, nanobind::handle array,
                            const std::string &dtype);

  /// Copies all elements to an array of the host of the same size.
  void read(nanobind::handle array) const;

  /// The target whose kernels can use the array.
  std::string target() const;
  std::string dtype() const;
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(data); }
  int64_t numElements() const { return size; }
  /// The stream on which it was made, 0 for the default one. Nothing is known
  /// of arrays of other libraries.
  std::optional<uintptr_t> stream() const;

  bool isOn(const nacho::Device &other) const { return device == &other; }

  nacho::ElementType type;
  int64_t size;
  void *data;

private:
  nacho::Device *device;
  std::optional<nacho::Buffer> buffer; ///< None if there is an owner.
  nanobind::object owner;
};

/// Adds the class to the module.
void addDeviceArray(nanobind::module_ &m);

#endif // NACHO_PYTHON_DEVICE_ARRAY_H
