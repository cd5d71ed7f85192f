//===- CudaDevice.cpp - The memory of an NVIDIA GPU -----------------------===//

#include "CudaDevice.h"

#include "Driver.h"
#include "LateReads.h"
#include "StreamPool.h"
#include "nacho/Compiler/GpuTarget.h"
#include "nacho/Runtime/Memory.h"

#include <cstring>
#include <new>

using namespace nacho;
using namespace nacho::cuda;

static Address addressOf(const void *data) {
  return reinterpret_cast<Address>(data);
}

namespace {
/// Memory of the host that the GPU writes to by itself. The driver would copy
/// what is read into other memory through one of its own, several times slower.
/// Each thread keeps what it allocated for good.
class Staging {
public:
  static constexpr size_t kBytes = 1 << 20;

  /// Null if there is no such memory.
  static void *ofThread() {
    thread_local void *memory = nullptr;
    if (!memory && driver().allocateStaging(&memory, kBytes, kPortable) != kOk)
      memory = nullptr;
    return memory;
  }
};

/// Everything happens in the order of a stream: memory that is released on it
/// is not used again before the kernels that use it are done.
class CudaDevice final : public Device {
public:
  void *allocate(size_t bytes) override {
    const Driver &known = driver();
    size_t room = StreamPool::roomFor(bytes);
    std::optional<Address> data;
    if (isOfAllThreads(OnStream::current()))
      data = pool.take(OnStream::current(), room);
    if (!data)
      data = allocateFresh(known, room);
    if (!data) {
      releaseAll(known);
      data = allocateFresh(known, room);
    }
    if (!data)
      throw std::bad_alloc();
    return reinterpret_cast<void *>(*data);
  }

  void release(void *data, size_t bytes) noexcept override {
    releaseTo(pool, data, bytes);
  }

  void *takeZeros(size_t bytes) {
    size_t room = StreamPool::roomFor(bytes);
    std::optional<Address> kept;
    if (isOfAllThreads(OnStream::current()))
      kept = zeros.take(OnStream::current(), room);
    if (kept)
      return reinterpret_cast<void *>(*kept);
    void *data = allocate(bytes);
    try {
      fill(data, 0, room);
    } catch (...) {
      release(data, bytes);
      throw;
    }
    return data;
  }
  void returnZeros(void *data, size_t bytes) noexcept {
    releaseTo(zeros, data, bytes);
  }

  void fill(void *data, int byte, size_t bytes) override {
    if (bytes == 0)
      return;
    InContext context;
    NACHO_CUDA(fill, addressOf(data), static_cast<unsigned char>(byte), bytes,
               OnStream::current());
  }
  void copyFromHost(void *to, const void *from, size_t bytes) override {
    if (bytes == 0)
      return;
    InContext context;
    NACHO_CUDA(copyFromHost, addressOf(to), from, bytes, OnStream::current());
  }
  void copy(void *to, const void *from, size_t bytes) override {
    if (bytes == 0)
      return;
    InContext context;
    NACHO_CUDA(copy, addressOf(to), addressOf(from), bytes,
               OnStream::current());
  }
  void copyToHost(void *to, const void *from, size_t bytes) override {
    if (bytes == 0)
      return;
    InContext context;
    void *staged = bytes <= Staging::kBytes ? Staging::ofThread() : nullptr;
    NACHO_CUDA(copyToHost, staged ? staged : to, addressOf(from), bytes,
               OnStream::current());
    waitFor(OnStream::current());
    if (staged)
      std::memcpy(to, staged, bytes);
  }

  void readLater(const void *from, size_t bytes,
                 const LateCheck &check) override {
    if (!isOfAllThreads(OnStream::current()))
      return Device::readLater(from, bytes, check);
    InContext context;
    LateReads::Read *read = lateReads.begin(OnStream::current(), bytes, check);
    if (!read && bytes <= LateReads::kMostBytes) {
      finishAll();
      read = lateReads.begin(OnStream::current(), bytes, check);
    }
    if (!read)
      return Device::readLater(from, bytes, check);
    NACHO_CUDA(copyToHost, read->memory, addressOf(from), bytes,
               OnStream::current());
    lateReads.add(read);
  }

  void synchronize(void *stream) override {
    InContext context;
    waitFor(stream);
  }

  bool isHost() const override { return false; }
  int64_t defaultThreads() const override { return kNvidiaGpu.slots; }
  int64_t numSlots(int64_t threads) const override {
    return std::min(threads, kNvidiaGpu.slots);
  }
  int64_t workspaceBytes() const override {
    return int64_t(driver().memoryBytes) / kNvidiaGpu.workspaceShare;
  }
  int64_t entriesPerPart() const override { return kNvidiaGpu.entriesPerPart; }

  size_t pooledBytes() const noexcept override {
    return pool.bytes() + zeros.bytes();
  }
  /// A share that leaves memory for other libraries, and has room for the
  /// workspaces of a call.
  size_t maxPooledBytes() const noexcept override {
    try {
      return driver().memoryBytes / 8;
    } catch (const DeviceError &) {
      return 0;
    }
  }

private:
  /// Whether a handle is the same stream in all threads: one handle stands for
  /// the default stream of whichever thread uses it.
  static bool isOfAllThreads(Handle stream) {
    constexpr uintptr_t defaultOfThread = 2;
    return reinterpret_cast<uintptr_t>(stream) != defaultOfThread;
  }

  /// Keeps memory in a pool, or releases it. A process that ends, or forked, or
  /// whose kernel failed, has no memory left to release.
  void releaseTo(StreamPool &kept, void *data, size_t bytes) noexcept {
    try {
      size_t room = StreamPool::roomFor(bytes), most = maxPooledBytes();
      Handle stream = OnStream::current();
      if (isOfAllThreads(stream) &&
          kept.keep(stream, addressOf(data), room, most))
        return;
      InContext context;
      driver().release(addressOf(data), stream);
    } catch (const std::exception &) {
    }
  }

  void waitFor(Handle stream) {
    std::vector<LateReads::Read *> done = lateReads.takeOf(stream);
    NACHO_CUDA(synchronize, stream);
    lateReads.finish(done);
  }

  /// Waits for all streams: those of earlier reads may be gone.
  void finishAll() {
    std::vector<LateReads::Read *> done = lateReads.takeAll();
    NACHO_CUDA(contextSynchronize);
    lateReads.finish(done);
  }

  static std::optional<Address> allocateFresh(const Driver &known,
                                              size_t room) {
    InContext context;
    Address data = 0;
    Result result =
        known.allocate(&data, room, known.pool, OnStream::current());
    if (result == kOutOfMemory)
      return std::nullopt;
    known.check(result, "allocate");
    return data;
  }

  /// Gives memory that is kept for reuse back to the driver. The streams on
  /// which it was used may be gone: so this waits for all of them.
  void releaseAll(const Driver &known) {
    InContext context;
    // What others release from here on may still be in use.
    std::vector<Address> released = pool.takeAll();
    for (Address data : zeros.takeAll())
      released.push_back(data);
    NACHO_CUDA(contextSynchronize);
    for (Address data : released)
      known.release(data, /*stream=*/nullptr);
  }

  StreamPool pool;
  StreamPool zeros; ///< The memory that kernels have left zero.
  LateReads lateReads;
};
} // namespace

static CudaDevice &instance() {
  static auto *device = new CudaDevice;
  return *device;
}

Device &nacho::cudaDevice() { return instance(); }

void *nacho::takeCudaZeros(int64_t bytes) {
  return instance().takeZeros(size_t(bytes));
}

void nacho::returnCudaZeros(void *data, int64_t bytes) noexcept {
  if (data)
    instance().returnZeros(data, size_t(bytes));
}

void *nacho::takeCudaScratch(int64_t bytes) noexcept {
  try {
    return allocateFrom(Spending::current().get(), bytes,
                        [&] { return cudaDevice().allocate(bytes); });
  } catch (const std::exception &) {
    keepException();
    return nullptr;
  }
}

void nacho::returnCudaScratch(void *data, int64_t bytes) noexcept {
  cudaDevice().release(data, bytes);
  if (MemoryBudget *budget = Spending::current().get())
    budget->give(bytes);
}
