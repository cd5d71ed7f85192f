//===- SharedMemory.h - The shared memory of a simulated block ------------===//

#ifndef NACHO_LIB_SIMULATOR_SHAREDMEMORY_H
#define NACHO_LIB_SIMULATOR_SHAREDMEMORY_H

#include "Races.h"

#include <string>
#include <vector>

namespace nacho {

/// The shared memory of one block at a time. It remembers who has accessed each
/// byte since threads met last.
class SharedMemory {
public:
  /// Gives a block memory that nobody has written to; its first accesses come
  /// after it has met `met` times.
  void begin(size_t size, int64_t met);

  char *data() { return memory.data(); }

  /// Notes an access. Returns what is wrong with it; nothing if it is right.
  std::string note(const Access &access, const char *at, size_t length);

private:
  std::vector<char> memory;
  std::vector<Place> bytes;
  size_t size = 0; ///< Bytes of this block.
  int64_t first = 0;
};

} // namespace nacho

#endif // NACHO_LIB_SIMULATOR_SHAREDMEMORY_H
