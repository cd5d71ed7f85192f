//===- Batches.cpp - Results whose batches have arrays of their own -------===//

#include "Batches.h"

#include "Indices.h"
#include "nacho/Runtime/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace nacho;

namespace {
/// Rearranges the arrays level by level.
class BatchSeparator {
public:
  BatchSeparator(const TensorLayout &layout, size_t numLevels, Argument *result)
      : layout(layout), numLevels(numLevels), array(result),
        extents(result + layout.numArrays() + 1) {}

  void run();

private:
  void enterChildren(const TensorLayout::Array &type);
  void copyRows(int64_t bytes);
  void replaceArray(void *made, int64_t size);

  const TensorLayout &layout;
  size_t numLevels;
  Argument *array; ///< The next array.
  const Argument *extents;
  /// The first position of each batch in the current level, and the end of the
  /// last one.
  std::vector<int64_t> bounds;
  int64_t length = 1; ///< The positions that a row of this level has room for.
};
} // namespace

static void *allocate(int64_t bytes) {
  if (void *data = std::calloc(std::max<int64_t>(bytes, 1), 1))
    return data;
  throw OutOfMemory(bytes);
}

void BatchSeparator::replaceArray(void *made, int64_t size) {
  std::free(array->data);
  array->data = made;
  array->size = size;
  ++array;
}

/// Makes positions count from the beginning of their batch, and goes on to the
/// level that they lead to.
void BatchSeparator::enterChildren(const TensorLayout::Array &type) {
  int64_t batches = bounds.size() - 1, row = length + 1, most = 0;
  auto *made = static_cast<char *>(allocate(batches * row * sizeOf(type.type)));
  std::vector<int64_t> below(bounds.size());
  for (int64_t batch = 0; batch <= batches; ++batch)
    below[batch] = loadIndex(array->data, type.type, bounds[batch]);
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t n = 0; n < row; ++n) {
      int64_t at = std::min(bounds[batch] + n, bounds[batch + 1]);
      storeIndex(made, type.type, batch * row + n,
                 loadIndex(array->data, type.type, at) - below[batch]);
    }
    most = std::max(most, below[batch + 1] - below[batch]);
  }
  replaceArray(made, batches * row);
  bounds = std::move(below);
  length = most;
}

/// Copies what each batch has, `bytes` for each position, into a row.
void BatchSeparator::copyRows(int64_t bytes) {
  int64_t batches = bounds.size() - 1;
  auto *made = static_cast<char *>(
      allocate(checkedProduct(checkedProduct(batches, length), bytes)));
  auto *from = static_cast<const char *>(array->data);
  for (int64_t batch = 0; batch < batches; ++batch)
    std::memcpy(made + batch * length * bytes, from + bounds[batch] * bytes,
                (bounds[batch + 1] - bounds[batch]) * bytes);
  replaceArray(made, batches * length);
}

void BatchSeparator::run() {
  int64_t batches = 1;
  for (size_t level = 0; level < numLevels; ++level)
    batches *= extents[level].size;
  for (int64_t batch = 0; batch <= batches; ++batch)
    bounds.push_back(batch);
  for (size_t n = numLevels; n < layout.levels.size(); ++n) {
    const TensorLayout::Level &level = layout.levels[n];
    if (level.isFull) {
      for (int64_t &bound : bounds)
        bound *= extents[n].size;
      length *= extents[n].size;
    }
    for (const TensorLayout::Array &type : level.arrays) {
      if (type.holdsPositions) {
        enterChildren(type);
        continue;
      }
      copyRows(type.perEntry * sizeOf(type.type));
      array[-1].size *= type.perEntry;
    }
  }
  copyRows(sizeOf(layout.values));
}

void nacho::separateBatches(const TensorLayout &layout, size_t numLevels,
                            Argument *result) {
  BatchSeparator(layout, numLevels, result).run();
}
