//===- Device.h - The memory that kernels work on -------------------------===//
//
// The runtime half of a backend: a device has memory, and an executable has
// functions that work on it. Nothing else in lib/Execution knows whether the
// host can use that memory as its own: Buffer, HostView and DeviceView are the
// only ones to ask.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_DEVICE_H
#define NACHO_EXECUTION_DEVICE_H

#include "nacho/Execution/Layout.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace nacho {

/// What kernels run on. It lives as long as the process: buffers may be
/// released while that ends.
class Device {
public:
  virtual ~Device();

  /// Memory of the device, with whatever is in it. Throws std::bad_alloc.
  virtual void *allocate(size_t bytes) = 0;
  /// Releases memory that was allocated with as many bytes.
  virtual void release(void *data, size_t bytes) noexcept = 0;

  /// Sets every byte of memory of the device.
  virtual void fill(void *data, int byte, size_t bytes) = 0;
  virtual void copyFromHost(void *to, const void *from, size_t bytes) = 0;
  virtual void copyToHost(void *to, const void *from, size_t bytes) = 0;

  /// Whether the host and kernels can use each other's memory as their own.
  virtual bool isHost() const = 0;

  /// How many numbers nacho.slot gives out in a call with so many threads,
  /// which is how many rows a workspace has.
  virtual int64_t numSlots(int64_t threads) const = 0;

  /// Bytes that are kept for reuse now, and at most.
  virtual size_t pooledBytes() const noexcept = 0;
  virtual size_t maxPooledBytes() const noexcept = 0;
};

/// Elements of the memory of a device, as the host reads them: in place where
/// it can, else a copy of what they were when this was made.
template <typename T>
class HostView {
public:
  HostView(Device &device, const T *elements, size_t size)
      : elements(elements), count(size) {
    if (device.isHost())
      return;
    copy.reset(new T[size]);
    device.copyToHost(copy.get(), elements, size * sizeof(T));
    this->elements = copy.get();
  }

  const T *data() const { return elements; }
  size_t size() const { return count; }
  const T *begin() const { return elements; }
  const T *end() const { return elements + count; }
  const T &operator[](size_t n) const { return elements[n]; }

private:
  const T *elements;
  size_t count;
  std::unique_ptr<T[]> copy;
};

/// An array in the memory of a device.
class Buffer {
public:
  Buffer(Device &device, ElementType type, int64_t size);
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  Argument argument() const { return {data, size}; }
  size_t numBytes() const { return size * sizeOf(type); }
  void fill(int byte) { device->fill(data, byte, numBytes()); }
  HostView<char> read() const {
    return {*device, static_cast<const char *>(data), numBytes()};
  }

  ElementType type;
  int64_t size; ///< It may be made smaller.
  void *data;

private:
  Device *device;
  size_t allocated; ///< Bytes.
};

/// Numbers that kernels and the host exchange: cuts, counts, offsets, sizes, a
/// status. They are 0 at first.
template <typename T>
class Numbers {
public:
  Numbers(Device &device, int64_t size);

  T *data() const { return static_cast<T *>(buffer.data); }
  int64_t size() const { return buffer.size; }

  /// Reads back some of the numbers, or all.
  HostView<T> read(int64_t first, int64_t count) const {
    return {*device, data() + first, static_cast<size_t>(count)};
  }
  HostView<T> read() const { return read(0, size()); }
  void write(int64_t first, const T *values, int64_t count) {
    device->copyFromHost(data() + first, values, count * sizeof(T));
  }

private:
  Device *device;
  Buffer buffer;
};

/// An array of the host, as kernels read it: in place where they can, else a
/// copy in the memory of the device. It has an address even if it is empty.
class DeviceView {
public:
  DeviceView(Device &device, const void *array, size_t bytes);

  void *data() const { return address; }

private:
  void *address;
  std::vector<Buffer> copy; ///< One or none.
};

} // namespace nacho

#endif // NACHO_EXECUTION_DEVICE_H
