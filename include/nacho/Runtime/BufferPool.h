//===- BufferPool.h - A pool of host memory -------------------------------===//

#ifndef NACHO_RUNTIME_BUFFERPOOL_H
#define NACHO_RUNTIME_BUFFERPOOL_H

#include "nacho/Runtime/Memory.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

namespace nacho {

/// A source of the memory of large arrays, to which a pool gives it back.
struct MemorySource {
  /// Returns memory at a multiple of `alignment`, or null if there is none.
  /// `size` is a multiple of `alignment`.
  void *(*allocate)(size_t size, size_t alignment);
  void (*release)(void *buffer, size_t size);
};

/// The system, which clears memory that is given back.
extern const MemorySource systemMemory;
/// malloc's heap: free() releases what comes from there.
extern const MemorySource heapMemory;

/// Allocates arrays, large ones in whole huge pages, and keeps a bounded number
/// of released bytes for reuse: for each page of fresh memory the system takes
/// a page fault and clears the page, which takes longer than, say, a sparse sum
/// that fills the page. Small arrays come from malloc, which recycles them well
/// enough.
class BufferPool {
public:
  /// A pool lives as long as the process.
  explicit BufferPool(const MemorySource &source);

  /// Throws OutOfMemory.
  void *allocate(size_t bytes);
  /// `bytes` must be what the buffer was allocated with.
  void release(void *buffer, size_t bytes) noexcept;
  /// Leaves a buffer to the caller, who gives it back to the source.
  void disown(void *buffer, size_t bytes) noexcept;

  /// The number of released bytes that are kept: now, and at most.
  size_t pooledNow() const noexcept;
  const size_t limit;

private:
  void *take(size_t size);
  void *make(size_t size);
  size_t forget(void *buffer) noexcept;
  void giveBack(void *buffer, size_t size) noexcept;
  bool keep(void *buffer, size_t size) noexcept;
  void clear() noexcept;

  const MemorySource &source;
  mutable std::mutex mutex;
  std::unordered_map<void *, size_t> sizes; ///< Bytes of large buffers in use.
  std::multimap<size_t, void *> released;
  size_t pooled = 0;
};

/// Whether so many more bytes of addresses fit below the limit of the process
/// (RLIMIT_AS), if there is one. For libraries that end the process when their
/// memory does not suffice.
bool isAddressSpaceFree(size_t bytes) noexcept;

/// The pool of the process, of the system's memory. It is never destroyed,
/// since buffers may be released while the process ends.
BufferPool &hostPool();

/// Room for a computation, uninitialised, which grows to what is asked for.
template <typename T>
class Scratch {
public:
  Scratch() = default;
  ~Scratch() { release(); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Returns room for `size` elements; what was in it may be lost. Throws
  /// OutOfMemory.
  T *fit(size_t size) {
    if (size > capacity) {
      release();
      elements = static_cast<T *>(hostPool().allocate(size * sizeof(T)));
      capacity = size;
    }
    return elements;
  }

  /// Gives the room back if it is for more than `most` elements.
  void releaseAbove(size_t most) {
    if (capacity > most)
      release();
  }

private:
  void release() {
    if (elements)
      hostPool().release(elements, capacity * sizeof(T));
    elements = nullptr;
    capacity = 0;
  }

  T *elements = nullptr;
  size_t capacity = 0;
};

} // namespace nacho

#endif // NACHO_RUNTIME_BUFFERPOOL_H
