//===- BufferPool.cpp - Memory that is used again, or given away ----------===//

#include "Unit.h"

#include "nacho/Runtime/BufferPool.h"

#include <cstdlib>
#include <cstring>

using namespace nacho;
using namespace nacho::unit;

static std::string sizeText(size_t bytes) {
  return std::to_string(bytes) + " bytes";
}

/// A released buffer is taken again; one that is given away is not, and is the
/// caller's to release.
static void checkHeapPool(size_t bytes, bool isPooled) {
  static constexpr int kPattern = 42;
  // A pool lives as long as the process.
  auto &pool = *new BufferPool(heapMemory);
  void *first = pool.allocate(bytes);
  std::memset(first, kPattern, bytes);
  pool.release(first, bytes);
  check((pool.pooledNow() >= bytes) == isPooled,
        [&] { return "released, and not kept: " + sizeText(bytes); });
  void *second = pool.allocate(bytes);
  check(!isPooled || second == first,
        [&] { return "kept, and not taken again: " + sizeText(bytes); });
  pool.disown(second, bytes);
  std::memset(second, kPattern, bytes);
  check(pool.pooledNow() == 0,
        [&] { return "given away, and kept: " + sizeText(bytes); });
  std::free(second);
}

NACHO_SUITE("buffer-pool") {
  for (size_t bytes : {1, 4096})
    checkHeapPool(bytes, /*isPooled=*/false);
  for (size_t bytes : {size_t(1) << 16, size_t(1) << 20, (size_t(5) << 20) + 1})
    checkHeapPool(bytes, /*isPooled=*/true);
}
