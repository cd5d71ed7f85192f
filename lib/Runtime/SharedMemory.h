//===- SharedMemory.h - The shared memory of a simulated block ------------===//

#ifndef NACHO_LIB_RUNTIME_SHAREDMEMORY_H
#define NACHO_LIB_RUNTIME_SHAREDMEMORY_H

#include "nacho/Runtime/Simulator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nacho {

/// An access of a thread to shared memory.
struct SharedAccess {
  const char *site;
  AccessKind kind;
  int64_t thread;
  /// The number of times that its block has met at barriers so far, in all
  /// launches, and that its warp has.
  int64_t ofBlock, ofWarp;
};

/// The shared memory of one block at a time. It remembers who has accessed each
/// byte since threads met last: two threads may only access the same byte in
/// between if both read it, or both access it atomically.
class SharedMemory {
public:
  /// Gives a block memory that nobody has written to; `ofBlock` is what its
  /// first accesses have.
  void begin(size_t size, int64_t ofBlock);

  char *data() { return memory.data(); }

  /// Notes an access. Returns what is wrong with it; nothing if it is right.
  std::string note(const SharedAccess &access, const char *at, size_t length);

private:
  /// The threads that accessed a byte in some way since the block met last.
  struct Record {
    int64_t ofBlock = -1, ofWarp = 0;
    /// The last of the threads and where it was, and the last but one.
    int64_t thread = 0, before = 0;
    const char *site = nullptr, *siteBefore = nullptr;
    /// Whether there were others in its warp since that met last, and in other
    /// warps.
    bool inWarp = false, elsewhere = false;

    bool conflictsWith(const SharedAccess &access) const;
    void add(const SharedAccess &access);
  };
  struct Byte {
    Record read, written, atomic;
    bool isKnown(int64_t since) const {
      return written.ofBlock >= since || atomic.ofBlock >= since;
    }
  };

  /// The earlier access that an access conflicts with, or null.
  const Record *conflict(const Byte &byte, const SharedAccess &access) const;

  std::vector<char> memory;
  std::vector<Byte> bytes;
  size_t size = 0; ///< Of the memory of this block.
  int64_t first = 0;
};

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_SHAREDMEMORY_H
