//===- Device.cpp - The memory that kernels work on -----------------------===//

#include "nacho/Execution/Device.h"

#include <algorithm>
#include <utility>

using namespace nacho;

/// Kernels may read the first element even of an array without elements: such
/// arrays have this many bytes.
static constexpr size_t kBytesOfEmpty = 64;

Device::~Device() = default;

void Device::copy(void *to, const void *from, size_t bytes) {
  std::vector<char> read(bytes);
  copyToHost(read.data(), from, bytes);
  copyFromHost(to, read.data(), bytes);
}

void Device::readLater(const void *from, size_t bytes, const LateCheck &check) {
  std::vector<char> read(bytes);
  copyToHost(read.data(), from, bytes);
  check(read.data());
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static thread_local void *currentStream = nullptr;

void *OnStream::current() { return currentStream; }
void *OnStream::exchange(void *stream) {
  return std::exchange(currentStream, stream);
}

OnStream::OnStream(void *stream) : before(exchange(stream)) {}
OnStream::~OnStream() { exchange(before); }

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

Buffer::Buffer(Device &device, ElementType type, int64_t size)
    : type(type), size(size), stream(OnStream::current()), device(&device),
      allocated(size ? checkedProduct(size, sizeOf(type)) : kBytesOfEmpty),
      budget(Spending::current()) {
  data = allocateFrom(budget.get(), allocated,
                      [&] { return device.allocate(allocated); });
}

Buffer::Buffer(Device &device, ElementType type, const Argument &owned)
    : type(type), size(owned.size), data(owned.data),
      stream(OnStream::current()), device(&device), allocated(0),
      isOwner(false) {}

Buffer::Buffer(Buffer &&other) noexcept
    : type(other.type), size(other.size),
      data(std::exchange(other.data, nullptr)), stream(other.stream),
      device(other.device), allocated(other.allocated), isOwner(other.isOwner),
      budget(std::move(other.budget)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(type, other.type);
  std::swap(size, other.size);
  std::swap(data, other.data);
  std::swap(stream, other.stream);
  std::swap(device, other.device);
  std::swap(allocated, other.allocated);
  std::swap(isOwner, other.isOwner);
  std::swap(budget, other.budget);
  return *this;
}

void *Buffer::disown() {
  if (budget)
    budget->give(allocated);
  device->disown(data, allocated);
  return std::exchange(data, nullptr);
}

Buffer::~Buffer() {
  if (!data || !isOwner)
    return;
  OnStream on(stream);
  device->release(data, allocated);
  if (budget)
    budget->give(allocated);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

template <typename T>
Numbers<T>::Numbers(Device &device, int64_t size, bool isWritten)
    : device(&device),
      buffer(device, sizeof(T) == 4 ? ElementType::i32 : ElementType::i64,
             size) {
  if (!isWritten)
    buffer.fill(0);
}

template class nacho::Numbers<int32_t>;
template class nacho::Numbers<int64_t>;

//===----------------------------------------------------------------------===//
// DeviceView
//===----------------------------------------------------------------------===//

alignas(kBytesOfEmpty) static char emptyArray[kBytesOfEmpty];

void *nacho::readableOnHost(const void *array, int64_t size) {
  return const_cast<void *>(size ? array : emptyArray);
}

DeviceView::DeviceView(Device &device, const void *array, size_t bytes)
    : address(readableOnHost(array, int64_t(bytes))) {
  if (device.isHost())
    return;
  copy.emplace_back(device, ElementType::i8,
                    std::max(bytes, sizeof(emptyArray)));
  device.copyFromHost(copy.front().data, address, bytes);
  address = copy.front().data;
}
