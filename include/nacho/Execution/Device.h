//===- Device.h - The memory that kernels work on -------------------------===//
//
// The runtime half of a backend: a device has memory, and an executable has
// functions that work on this memory. Only Buffer, HostView and DeviceView ask
// whether the host can use the memory of a device as its own; the rest of
// lib/Execution need not know.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_DEVICE_H
#define NACHO_EXECUTION_DEVICE_H

#include "nacho/Execution/Layout.h"
#include "nacho/Runtime/Memory.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace nacho {

/// An earlier call, for which nobody waited, has failed.
struct LateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A processor with memory, real or simulated, that kernels run on. A device is
/// never destroyed, since buffers may be released while the process ends.
class Device {
public:
  virtual ~Device();

  /// Allocates memory of the device, uninitialised. Throws std::bad_alloc.
  virtual void *allocate(size_t bytes) = 0;
  /// Releases memory; `bytes` must be what it was allocated with.
  virtual void release(void *data, size_t bytes) noexcept = 0;
  /// Leaves memory to the caller, who releases it in the way that the device
  /// documents.
  virtual void disown(void * /*data*/, size_t /*bytes*/) noexcept {}

  /// Sets every byte of the range to `byte`.
  virtual void fill(void *data, int byte, size_t bytes) = 0;
  virtual void copyFromHost(void *to, const void *from, size_t bytes) = 0;
  virtual void copyToHost(void *to, const void *from, size_t bytes) = 0;
  /// Copies memory of the device to other memory of it.
  virtual void copy(void *to, const void *from, size_t bytes);

  /// Gets what the host reads of a device later, and throws what it tells.
  using LateCheck = std::function<void(const void *read)>;
  /// Calls `check` with the bytes that memory has when all is done that was
  /// asked of the current stream so far. A device that works by itself does so
  /// when its stream is waited for next, whoever does that; what `check` throws
  /// is then thrown as a LateError.
  virtual void readLater(const void *from, size_t bytes,
                         const LateCheck &check);

  /// Whether kernels can use the memory of the host, and the host that of the
  /// device, without copies.
  virtual bool isHost() const = 0;

  /// Waits until all that was asked of a stream (see OnStream) is done.
  virtual void synchronize(void * /*stream*/) {}

  /// The number of threads that a call uses if its caller does not say.
  virtual int64_t defaultThreads() const = 0;

  /// Whether other programs leave no processor to a second thread now.
  virtual bool isCrowded() const { return false; }

  /// The number of entries of its operands that a call gives to each part if
  /// its caller does not say how many parts there are; 0 if the call decides.
  virtual int64_t entriesPerPart() const { return 0; }

  /// The number of different slots that nacho.slot can return in a call with
  /// `threads` threads. A workspace has a row for each.
  virtual int64_t numSlots(int64_t threads) const = 0;

  /// The most bytes that the workspaces of a call take, if that leaves enough
  /// threads; 0 if their number is not limited by that.
  virtual int64_t workspaceBytes() const { return 0; }

  /// The number of released bytes that are kept for reuse: now, and at most.
  virtual size_t pooledBytes() const noexcept = 0;
  virtual size_t maxPooledBytes() const noexcept = 0;
};

/// While one of these exists, what its thread asks of a device is done in the
/// order of a stream, which callers may share with other libraries. Null is the
/// stream of a device that is used if nobody names another one.
class OnStream {
public:
  explicit OnStream(void *stream);
  ~OnStream();
  OnStream(const OnStream &) = delete;

  /// The stream of the calling thread.
  static void *current();
  /// Changes it for good, and returns what it was.
  static void *exchange(void *stream);

private:
  void *before;
};

/// Elements in the memory of a device, for the host to read: in place where the
/// host can do so, else a copy that the constructor makes.
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

/// An array in the memory of a device. It is released in the order of the
/// stream on which it was allocated.
class Buffer {
public:
  /// Throws OutOfMemory.
  Buffer(Device &device, ElementType type, int64_t size);
  /// An array in memory of the device that stays with its owner.
  Buffer(Device &device, ElementType type, const Argument &owned);
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  Argument argument() const { return {data, size}; }
  /// Leaves the array to the caller, who releases it.
  void *disown();
  size_t numBytes() const { return size * sizeOf(type); }
  void fill(int byte) { device->fill(data, byte, numBytes()); }
  /// Copies as many elements as the array has.
  void copyFrom(const Buffer &other) {
    device->copy(data, other.data, numBytes());
  }
  HostView<char> read() const {
    return {*device, static_cast<const char *>(data), numBytes()};
  }

  ElementType type;
  int64_t size; ///< The number of elements; may be decreased later.
  void *data;
  void *stream; ///< On which it was allocated.

private:
  Device *device;
  size_t allocated;    ///< The number of bytes that were allocated.
  bool isOwner = true; ///< Whether they are released with this object.
  std::shared_ptr<MemoryBudget> budget; ///< The budget of these bytes, or null.
};

/// Numbers that kernels and the host exchange: cuts, counts, offsets, sizes, a
/// status. The constructor sets all of them to 0 unless kernels write them all.
template <typename T>
class Numbers {
public:
  Numbers(Device &device, int64_t size, bool isWritten = false);

  T *data() const { return static_cast<T *>(buffer.data); }
  int64_t size() const { return buffer.size; }

  /// Reads `count` numbers from `first` on, or all numbers.
  HostView<T> read(int64_t first, int64_t count) const {
    return {*device, data() + first, static_cast<size_t>(count)};
  }
  HostView<T> read() const { return read(0, size()); }
  void write(int64_t first, const T *values, int64_t count) {
    device->copyFromHost(data() + first, values, count * sizeof(T));
  }
  void clear(int64_t first, int64_t count) {
    device->fill(data() + first, 0, count * sizeof(T));
  }

private:
  Device *device;
  Buffer buffer;
};

/// Returns an array that kernels of the host may read: `array` itself, unless
/// it has no elements. Kernels may read the first element of any array.
void *readableOnHost(const void *array, int64_t size);

/// An array of the host, for kernels to read: in place where kernels can do so,
/// else a copy in the memory of the device. Even an empty array has an address
/// that kernels can read.
class DeviceView {
public:
  DeviceView(Device &device, const void *array, size_t bytes);

  void *data() const { return address; }

private:
  void *address;
  std::vector<Buffer> copy; ///< Empty if kernels read the array in place.
};

} // namespace nacho

#endif // NACHO_EXECUTION_DEVICE_H
