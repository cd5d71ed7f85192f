//===- LateReads.h - Copies for the host that nobody waits for ------------===//

#ifndef NACHO_LIB_LATEREADS_H
#define NACHO_LIB_LATEREADS_H

#include "Driver.h"
#include "nacho/Execution/Device.h"

#include <mutex>
#include <vector>

namespace nacho {

/// Copies that a GPU makes by itself, and what they tell: see
/// Device::readLater(). There is memory for some at a time.
class LateReads {
public:
  static constexpr size_t kMostBytes = 256;

  struct Read {
    void *memory; ///< Of the host, which the GPU writes to.
    cuda::Handle stream = nullptr;
    Device::LateCheck check;
  };

  LateReads();

  /// Returns memory for a copy, or null if there is none.
  Read *begin(cuda::Handle stream, size_t bytes,
              const Device::LateCheck &check);
  /// Adds a copy that the stream makes.
  void add(Read *read);

  /// Takes out the copies that were added for a stream, or for any. The caller
  /// waits for the stream, and then calls finish().
  std::vector<Read *> takeOf(cuda::Handle stream);
  std::vector<Read *> takeAll();
  /// Calls the checks. Throws a LateError for the first one that throws.
  void finish(const std::vector<Read *> &done);

private:
  void makeRoom();

  std::mutex mutex;
  bool isMade = false;
  std::vector<Read> all;
  std::vector<Read *> free, added;
};

} // namespace nacho

#endif // NACHO_LIB_LATEREADS_H
