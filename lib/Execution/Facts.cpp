//===- Facts.cpp - Facts about operands, before they are read -------------===//

#include "nacho/Execution/Chooser.h"

#include <algorithm>

using namespace nacho;

/// The product of the extents of some levels, which `mask` has bits for; at
/// most so large that those of all operands can be added up.
static int64_t extentOf(const Argument *extents, size_t mask) {
  constexpr int64_t most = INT64_MAX / 64;
  int64_t product = 1;
  for (size_t level = 0; mask >> level; ++level)
    if ((mask >> level & 1) &&
        __builtin_mul_overflow(product, extents[level].size, &product))
      return most;
  return std::min(product, most);
}

/// The number of rows of a tensor: what an array of positions of the last level
/// says, or, for a list, the product of the extents of all but the last index.
static int64_t rowsOf(const TensorLayout &layout, const Argument *arrays,
                      const Argument *extents) {
  const Argument *array = arrays;
  for (size_t level = 0; level + 1 < layout.levels.size(); ++level)
    array += layout.levels[level].arrays.size();
  for (const TensorLayout::Array &each : layout.levels.back().arrays) {
    if (each.holdsPositions && each.wordSize == 0)
      return (array->size - each.extra) / each.perParent;
    ++array;
  }
  return extentOf(extents, (size_t(1) << (layout.levels.size() - 1)) - 1);
}

/// The fibers of all levels of a tensor but the first: what arrays of positions
/// say.
static int64_t fibersOf(const TensorLayout &layout, const Argument *arrays) {
  int64_t fibers = 0;
  for (size_t level = 0; level < layout.levels.size(); ++level)
    for (const TensorLayout::Array &each : layout.levels[level].arrays) {
      if (level && each.holdsPositions && each.wordSize == 0)
        fibers += (arrays->size - each.extra) / each.perParent;
      ++arrays;
    }
  return fibers;
}

static unsigned bitsOf(int64_t extent) {
  unsigned bits = 0;
  while (extent > 1 && bits < 63 && ((extent - 1) >> bits))
    ++bits;
  return bits;
}

static bool storesCoordinates(const TensorLayout &layout) {
  return std::any_of(layout.levels.begin(), layout.levels.end(),
                     [](const auto &level) { return !level.isFull; });
}

Facts nacho::factsOf(const std::vector<TensorLayout> &operands,
                     const std::vector<Argument> &args,
                     const KernelFacts &kernel) {
  Facts facts;
  for (const Argument &each : args)
    facts.longest = std::max(facts.longest, each.size);
  const Argument *next = args.data();
  bool isFirst = true;
  for (size_t n = 0; n < operands.size(); ++n) {
    const TensorLayout &layout = operands[n];
    const Argument *arrays = next, *values = arrays + layout.numArrays();
    const Argument *extents = values + 1;
    next += layout.numArguments();
    if (layout.levels.empty())
      continue;
    facts.entries += values->size;
    if (storesCoordinates(layout)) {
      facts.stored += values->size;
      facts.fibers += fibersOf(layout, arrays);
    }
    facts.rows += rowsOf(layout, arrays, extents);
    for (auto [operand, rows] : kernel.transposed)
      if (operand == n)
        facts.transposedRows += extentOf(extents, rows);
    for (size_t level = 0; isFirst && level < layout.levels.size(); ++level)
      facts.keyBits += bitsOf(extents[level].size);
    isFirst = false;
  }
  return facts;
}
