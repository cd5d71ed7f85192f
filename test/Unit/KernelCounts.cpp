//===- KernelCounts.cpp - What caches of a simulated GPU hold -------------===//

#include "Unit.h"

#include "nacho/Simulator/KernelCounts.h"

using namespace nacho;
using namespace nacho::unit;

/// How many sectors an H100's cache has room for.
static constexpr int64_t kRoom = (int64_t(50) << 20) / 32;

/// Loads so many sectors, twice, one after the other, and then stores to the
/// next one, twice.
static void loadTwice(const SimulatedThread *thread, void *frame) {
  int64_t sectors = *static_cast<int64_t *>(frame), id = 0;
  countBlock(thread, id++, 1);
  for (int64_t n = 0; n < 2 * sectors; ++n)
    countAccess(thread, id++, AccessKind::read, /*isShared=*/0,
                n % sectors * 32, 8, 0);
  for (int n = 0; n < 2; ++n)
    countAccess(thread, id++, AccessKind::write, /*isShared=*/0, sectors * 32,
                8, 0);
}

static KernelCounts countsOf(const char *name, int64_t sectors,
                             int64_t blocks = 1, int64_t shared = 0) {
  simulateLaunch(loadTwice, name, blocks, /*threads=*/1, shared, /*meets=*/0,
                 &sectors);
  for (const auto &[kernel, counts] : countedKernels())
    if (kernel == name)
      return counts;
  return {};
}

NACHO_SUITE("kernel counts") {
  auto expect = [](const KernelCounts &found, int64_t moved, int64_t lines) {
    check(found.sectorsMoved == moved && found.lines == lines, [&] {
      return std::to_string(found.sectorsMoved) + " sectors moved, " +
             std::to_string(found.lines) + " lines, not " +
             std::to_string(moved) + " and " + std::to_string(lines);
    });
  };
  // What is stored is written once, by two instructions. Few sectors are near
  // when they are loaded again.
  expect(countsOf("few", 5), 5 + 1, 5 + 2);
  expect(countsOf("those of a processor's cache", 6000), 6001, 6000 + 2);
  expect(countsOf("as many as fit", kRoom), kRoom + 1, 2 * kRoom + 2);
  // When one is loaded again, so many others have come that it is not there.
  // The order is known only roughly: of what a warp does at a time, there is
  // none.
  int64_t many = kRoom + (1 << 17);
  expect(countsOf("too many", many), 2 * many + 1, 2 * many + 2);
  // Blocks that run at a time share the cache of a processor, of which shared
  // memory is a part.
  auto isCrowded = [](const KernelCounts &found, const char *why) {
    check(found.lines > found.blocks * (1000 + 2), [&] {
      return "all sectors are near in spite of " + std::string(why);
    });
  };
  isCrowded(countsOf("many blocks", 1000, 132 * 16), "many blocks");
  isCrowded(countsOf("much shared", 1000, 132 * 2, 110 << 10), "shared memory");
}
