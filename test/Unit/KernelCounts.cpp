//===- KernelCounts.cpp - What the cache of a simulated GPU holds ---------===//

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
                n % sectors * 32, 8);
  for (int n = 0; n < 2; ++n)
    countAccess(thread, id++, AccessKind::write, /*isShared=*/0, sectors * 32,
                8);
}

static int64_t movedBy(const char *name, int64_t sectors) {
  simulateLaunch(loadTwice, name, /*blocks=*/1, /*threads=*/1, /*shared=*/0,
                 /*meets=*/0, &sectors);
  for (const auto &[kernel, counts] : countedKernels())
    if (kernel == name)
      return counts.sectorsMoved;
  return 0;
}

NACHO_SUITE("kernel counts") {
  auto expect = [](int64_t found, int64_t wanted) {
    check(found == wanted, [&] {
      return std::to_string(found) + " sectors moved, not " +
             std::to_string(wanted);
    });
  };
  // What is stored is written once.
  expect(movedBy("few", 5), 5 + 1);
  expect(movedBy("as many as fit", kRoom), kRoom + 1);
  // When one is loaded again, so many others have come that it is not there.
  // The order is known only roughly: of what a warp does at a time, there is
  // none.
  int64_t many = kRoom + (1 << 17);
  expect(movedBy("too many", many), 2 * many + 1);
}
