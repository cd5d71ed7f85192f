//===- StreamPool.h - Released memory of a GPU, by stream -----------------===//

#ifndef NACHO_LIB_STREAMPOOL_H
#define NACHO_LIB_STREAMPOOL_H

#include "Driver.h"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace nacho {

/// Memory that was released in the order of a stream, and that calls on the
/// same stream use again. They need not wait: whatever used the memory before
/// comes before them in this order. To ask the driver's own pool instead would
/// take as long as to launch a kernel.
class StreamPool {
public:
  StreamPool();

  /// The bytes that memory for so many bytes has: at most an eighth more, so
  /// that arrays of similar sizes can follow each other in the same memory.
  static size_t roomFor(size_t bytes);

  /// Returns memory with that room, if there is any.
  std::optional<cuda::Address> take(cuda::Handle stream, size_t room);
  /// Keeps memory, unless the pool would then have more than `most` bytes.
  bool keep(cuda::Handle stream, cuda::Address data, size_t room, size_t most);
  /// Returns all memory, which its streams may still use.
  std::vector<cuda::Address> takeAll();

  size_t bytes() const;

private:
  using Shelf = std::pair<cuda::Handle, size_t>;

  mutable std::mutex mutex;
  std::map<Shelf, std::vector<cuda::Address>> shelves;
  size_t kept = 0;
};

} // namespace nacho

#endif // NACHO_LIB_STREAMPOOL_H
