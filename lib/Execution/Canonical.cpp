//===- Canonical.cpp - Checks that a tensor is sorted ---------------------===//

#include "nacho/Execution/Canonical.h"

#include "nacho/Runtime/Runtime.h"

using namespace nacho;

using Level = TensorLayout::Level;

std::optional<size_t> nacho::positionsOf(const Level &level) {
  for (size_t n = 0; n < level.arrays.size(); ++n)
    if (level.arrays[n].holdsPositions)
      return n;
  return std::nullopt;
}

bool nacho::isCanonical(const TensorLayout &layout,
                        const std::vector<StoredArray> &arrays,
                        const int64_t *extents, int64_t threads) {
  const std::vector<Level> &levels = layout.levels;
  int64_t parents = 1;
  size_t array = 0, end;
  for (size_t first = 0; first < levels.size(); first = end) {
    const Level &level = levels[first];
    end = first + 1;
    if (level.isFull) {
      parents *= extents[first];
      continue;
    }
    const StoredArray &positions = arrays[array + *positionsOf(level)];
    while (end < levels.size() && !levels[end].isFull &&
           !positionsOf(levels[end]))
      ++end;
    std::vector<const void *> coordinates;
    int64_t bytes = sizeOf(level.coordinateType), entries = 0;
    for (size_t m = first; m < end; ++m) {
      auto [from, offset, stride] = levels[m].coordinates;
      const StoredArray &stored = arrays[from];
      coordinates.push_back(static_cast<const char *>(stored.data) +
                            offset * bytes);
      entries = stored.size / stride;
      array += levels[m].arrays.size();
    }
    LevelEntries of = {positions.data,
                       int64_t(sizeOf(positions.type)),
                       parents,
                       coordinates.data(),
                       bytes,
                       level.coordinates.stride,
                       int64_t(end - first),
                       entries,
                       &extents[first],
                       /*areNonempty=*/first > 0 && !levels[first - 1].isFull};
    if (!areInOrder(of, threads))
      return false;
    parents = entries;
  }
  return true;
}
