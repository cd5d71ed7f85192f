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

bool nacho::isSmallTensor(const TensorLayout &layout, const Argument *args) {
  const Argument *extents = args + layout.numArrays() + 1;
  std::vector<StoredArray> arrays;
  std::vector<int64_t> shape;
  arrays.reserve(layout.numArrays());
  shape.reserve(layout.levels.size());
  int64_t entries = 1;
  for (const Level &level : layout.levels) {
    int64_t parents = entries;
    shape.push_back(extents[shape.size()].size);
    if (level.isFull)
      entries = checkedProduct(parents, shape.back());
    if (std::optional<size_t> n = positionsOf(level)) {
      const Argument &positions = args[arrays.size() + *n];
      if (positions.size > kMostChecked || positions.size != parents + 1)
        return false;
      entries = level.arrays[*n].type == ElementType::i32
                    ? static_cast<const int32_t *>(positions.data)[parents]
                    : static_cast<const int64_t *>(positions.data)[parents];
    }
    for (const TensorLayout::Array &array : level.arrays) {
      const Argument &found = args[arrays.size()];
      if (entries < 0 || entries > kMostChecked ||
          found.size != array.length(parents, entries))
        return false;
      arrays.push_back({array.type, found.size, found.data});
    }
  }
  return args[arrays.size()].size == entries &&
         isCanonical(layout, arrays, shape.data(), /*threads=*/1);
}

static int64_t firstFault(const Argument &pos, ElementType type,
                          int64_t entries) {
  int64_t length = pos.size - 1;
  if (type == ElementType::i32)
    return checkPositions(static_cast<const int32_t *>(pos.data), length,
                          entries);
  return checkPositions(static_cast<const int64_t *>(pos.data), length,
                        entries);
}

bool nacho::arePositionsValid(const std::vector<TensorLayout> &operands,
                              const Argument *args) {
  for (const TensorLayout &layout : operands) {
    const Argument *array = args;
    args += layout.numArguments();
    for (const Level &level : layout.levels) {
      const Argument *pos = array;
      array += level.arrays.size();
      if (level.arrays.size() < 2 || !level.arrays.front().holdsPositions)
        continue;
      if (level.arrays.front().wordSize)
        return false;
      // The positions of a level come before its coordinates.
      int64_t entries = pos[1].size / level.arrays[1].perEntry;
      if (firstFault(*pos, level.arrays.front().type, entries) >= 0)
        return false;
    }
  }
  return true;
}
