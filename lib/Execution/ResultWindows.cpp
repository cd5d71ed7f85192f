//===- ResultWindows.cpp - The elements of a result that parts write ------===//

#include "nacho/Execution/LonePart.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

using namespace nacho;

namespace {
/// The places in the result at which the parts before a cut end.
class ResultPlace {
public:
  ResultPlace(const Step &step, const std::vector<int64_t> &sizes,
              const int64_t *cut, const int64_t *counts)
      : step(step), levels(step.result.levels), sizes(sizes), cut(cut),
        counts(counts) {
    for (size_t level = 0; level < levels.size(); ++level)
      if (!levels[level].isFull)
        numStructural = level + 1;
    for (size_t level = 0; level < numStructural; ++level)
      if (!levels[level].isFull &&
          (level + 1 == numStructural || !levels[level + 1].sharesPositions()))
        counted.push_back(level);
    // Each level that counts has four columns; there is one for the entries if
    // every append makes an entry of the last level, which then does not count.
    if (step.countColumns % kColumns == 1)
      counted.pop_back();
    if (int64_t(counted.size()) != step.countColumns / kColumns)
      throw std::logic_error("the columns of the counts are not known");
  }

  size_t numStructural = 0; ///< The levels up to the last that is not full.

  /// The number of positions of a level of the structure before the cut.
  int64_t positionsOf(size_t level) const {
    if (levels[level].isFull)
      return positionsOfFull(level);
    const int64_t *row = rowOf(level);
    return row ? finishedIn(row) : counts[step.countColumns - 1];
  }

  /// The extent of a level of the result.
  int64_t extent(size_t level) const {
    return sizes[levels.size() + 1 + level];
  }
  int64_t coordinate(size_t loop) const {
    return loop < step.order.size() ? cut[1 + loop] : 0;
  }

private:
  static constexpr int64_t kColumns = 4; ///< spans, head, mid, tail

  /// The columns of the first level, from `level` on, that counts.
  const int64_t *rowOf(size_t level) const {
    for (size_t n = 0; n < counted.size(); ++n)
      if (counted[n] >= level)
        return counts + kColumns * n;
    return nullptr;
  }
  static int64_t finishedIn(const int64_t *row) {
    return row[0] ? row[1] + row[2] : 0;
  }
  static bool isOpen(const int64_t *row) { return row[0] ? row[3] : row[1]; }

  /// The position of the cut's coordinates in a run of full levels; but if
  /// their parent has no entries so far, that of the next parent.
  int64_t positionsOfFull(size_t level) const {
    size_t first = level;
    while (first > 0 && levels[first - 1].isFull)
      --first;
    int64_t number = first ? positionsOf(first - 1) : 0;
    bool isInside = first == 0 || isOpen(rowOf(first - 1));
    for (size_t m = first; m <= level; ++m)
      number = number * extent(m) + (isInside ? coordinate(m) : 0);
    return number;
  }

  const Step &step;
  const std::vector<TensorLayout::Level> &levels;
  const std::vector<int64_t> &sizes;
  const int64_t *cut, *counts;
  std::vector<size_t> counted; ///< The levels that count positions.
};
} // namespace

/// Whether the loop over a level is cut, and all loops around it are over
/// levels of the result, too. Loops inside of others add to entries of these.
static bool isOuterLoop(const Step &step, const std::vector<int64_t> &loops,
                        size_t level) {
  int64_t outer = 0;
  while (std::find(loops.begin(), loops.end(), outer) != loops.end())
    ++outer;
  return loops[level] >= 0 && loops[level] < outer;
}

/// The window of the values of a dense result. Its outermost levels are those
/// of the outermost loops.
static std::optional<Window> valuesOfDense(const Step &step,
                                           const ResultPlace &lower,
                                           const ResultPlace &upper,
                                           const std::vector<int64_t> &loops) {
  size_t rank = step.result.levels.size(), outer = 0;
  while (outer < rank && loops[outer] == int64_t(outer))
    ++outer;
  // Every part may have something of every entry: none completes any.
  if (!step.partials.empty() && step.partialRows == 1)
    return Window();
  if (outer == 0)
    return std::nullopt;
  Window values;
  for (size_t level = 0; level < rank; ++level) {
    bool isOuter = level < outer;
    int64_t extent = lower.extent(level);
    values.begin =
        values.begin * extent + (isOuter ? lower.coordinate(level) : 0);
    values.end = values.end * extent + (isOuter ? upper.coordinate(level) : 0);
    // The outer loops visit the elements in another order.
    if (!isOuter && isOuterLoop(step, loops, level))
      return std::nullopt;
  }
  return values;
}

std::optional<std::vector<Window>>
nacho::windowsWritten(const Step &step, const LonePart &part,
                      const std::vector<int64_t> &loops) {
  bool hasCounts = step.countColumns > 0;
  ResultPlace lower(step, part.sizes, part.bounds.data(), part.offsets.data());
  int64_t count = part.count(step);
  ResultPlace upper(step, part.sizes,
                    part.bounds.data() + count * step.boundColumns,
                    part.offsets.data() + count * step.countColumns);
  std::vector<Window> windows;
  for (size_t level = 0; level < step.result.levels.size(); ++level)
    for (const auto &array : step.result.levels[level].arrays) {
      if (!array.holdsPositions) {
        windows.push_back({array.perEntry * lower.positionsOf(level),
                           array.perEntry * upper.positionsOf(level)});
        continue;
      }
      // The first part writes what is before the first position. The only fiber
      // of the first level is known without any part.
      bool isFirst = part.number == 0;
      if (level == 0)
        windows.push_back({0, isFirst ? 2 : 0});
      else
        windows.push_back({isFirst ? 0 : lower.positionsOf(level - 1) + 1,
                           upper.positionsOf(level - 1) + 1});
    }
  if (!hasCounts) {
    std::optional<Window> values = valuesOfDense(step, lower, upper, loops);
    if (!values)
      return std::nullopt;
    windows.push_back(*values);
    return windows;
  }
  int64_t block = 1;
  size_t last = lower.numStructural - 1;
  for (size_t level = last + 1; level < step.result.levels.size(); ++level) {
    // The parts divide the block of an entry.
    if (isOuterLoop(step, loops, level))
      return std::nullopt;
    block *= lower.extent(level);
  }
  windows.push_back(
      {block * lower.positionsOf(last), block * upper.positionsOf(last)});
  return windows;
}
