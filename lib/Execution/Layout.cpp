//===- Layout.cpp - Layouts of tensors and workspaces ---------------------===//

#include "nacho/Execution/Layout.h"

#include "nacho/Runtime/Memory.h"

#include <algorithm>

using namespace nacho;

size_t nacho::sizeOf(ElementType type) {
  // In the order of the enumeration.
  static const size_t sizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return sizes[static_cast<int>(type)];
}

int64_t nacho::checkedProduct(int64_t x, int64_t y) {
  int64_t product;
  if (__builtin_mul_overflow(x, y, &product))
    throw OutOfMemory(OutOfMemory::kUncountable);
  return product;
}

int64_t TensorLayout::Array::length(int64_t parents, int64_t entries) const {
  return perParent * parents + checkedProduct(perEntry, entries) + extra;
}

bool TensorLayout::Level::sharesPositions() const {
  return !isFull &&
         std::none_of(arrays.begin(), arrays.end(),
                      [](const Array &array) { return array.holdsPositions; });
}

size_t TensorLayout::numArrays() const {
  size_t count = 0;
  for (const Level &level : levels)
    count += level.arrays.size();
  return count;
}
