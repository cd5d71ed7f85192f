//===- PartWindows.cpp - The elements of arrays that parts need -----------===//

#include "nacho/Execution/LonePart.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

using namespace nacho;

Argument nacho::wholeOf(void *data, ElementType type, int64_t begin,
                        int64_t size) {
  uintptr_t first = reinterpret_cast<uintptr_t>(data) - begin * sizeOf(type);
  return {reinterpret_cast<void *>(first), size};
}

/// Whether the positions of a level are those of the level above.
static bool sharesPositions(const TensorLayout::Level &level) {
  return !level.isFull &&
         std::none_of(level.arrays.begin(), level.arrays.end(),
                      [](auto &array) { return array.holdsPositions; });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// The windows of one operand, level by level: a part reads the positions
/// between those of its cuts, and the one of the cut at its end, in which it
/// may end; below the levels that have positions in cuts, all children of
/// these.
///
/// Positions are rebased: those of a level that stores coordinates begin at 0
/// in the window. The positions of a full level follow from its coordinates,
/// which are those of the whole tensor.
class OperandWindows {
public:
  OperandWindows(const Step &step, LonePart &part, size_t input,
                 const std::vector<Argument> &args)
      : step(step), part(part), input(input), layout(step.operands[input]),
        args(args), argument(step.extentOf(input, 0) - 1 - layout.numArrays()) {
  }

  void find(std::vector<ReadWindow> &windows) {
    size_t depth = numCutLevels(), rank = layout.levels.size();
    if (depth == 0)
      return;
    for (size_t level = 0; level < rank; ++level) {
      Window all = childrenOf(level, entries[level]);
      entries.push_back(level < depth ? betweenCuts(level, all) : all);
    }
    // Positions that levels share may be in runs of equal coordinates.
    for (size_t level = rank; level-- > 1;)
      if (sharesPositions(layout.levels[level]))
        entries[level] = {
            std::min(entries[level].begin, entries[level + 1].begin),
            std::max(entries[level].end, entries[level + 1].end)};
    for (size_t level = 0; level < rank; ++level)
      bases.push_back(baseOf(level));
    size_t next = argument;
    for (size_t level = 0; level < rank; ++level)
      for (const TensorLayout::Array &array : layout.levels[level].arrays)
        set(windows[next++], array, level);
    setIndexed(windows[next], entries.back(), bases.back());
    for (size_t level = 0; level < depth; ++level)
      for (size_t row = 0; row < part.bounds.size(); row += step.boundColumns)
        part.bounds[row + columnOf(level)] -= bases[level + 1];
  }

private:
  /// The number of outermost levels whose coordinates the outermost loops
  /// visit, in this order, and of which nothing else is read.
  size_t numCutLevels() const {
    size_t depth = 0;
    while (depth < step.loopInputs.size() && depth < layout.levels.size() &&
           std::count(step.loopInputs[depth].begin(),
                      step.loopInputs[depth].end(), int64_t(input)) == 1)
      ++depth;
    for (const Step::OperandLevel &table : step.tables)
      if (table.input == input)
        depth = std::min(depth, table.level);
    return depth;
  }

  /// The place in a cut of the operand's position in the loop of a level.
  size_t columnOf(size_t level) const {
    size_t column = 1 + step.order.size();
    for (size_t loop = 0; loop < level; ++loop)
      column += step.loopInputs[loop].size();
    const std::vector<int64_t> &inputs = step.loopInputs[level];
    return column + (std::find(inputs.begin(), inputs.end(), int64_t(input)) -
                     inputs.begin());
  }

  /// What is subtracted from the positions of a level.
  int64_t baseOf(size_t level) {
    const TensorLayout::Level &kind = layout.levels[level];
    if (kind.isFull)
      return bases[level] * extentOf(level);
    if (!sharesPositions(kind))
      return entries[level + 1].begin;
    entries[level + 1] = entries[level];
    return bases[level];
  }

  int64_t extentOf(size_t level) const {
    return args[step.extentOf(input, level)].size;
  }

  Window betweenCuts(size_t level, Window all) const {
    int64_t begin = part.bounds[columnOf(level)];
    int64_t last = part.bounds.size() - step.boundColumns;
    int64_t end = part.bounds[last + columnOf(level)] + 1;
    const TensorLayout::Level &kind = layout.levels[level];
    // A run of positions that the level shares may go on behind `all`.
    if (!sharesPositions(kind))
      end = std::min(end, all.end);
    if (!kind.isFull)
      end = std::min(end, numEntries(level));
    begin = std::max(begin, all.begin);
    return {begin, std::max(begin, end)};
  }

  Window childrenOf(size_t level, Window parents) const {
    const TensorLayout::Level &kind = layout.levels[level];
    if (kind.isFull)
      return {parents.begin * extentOf(level), parents.end * extentOf(level)};
    size_t number = argument;
    for (size_t above = 0; above < level; ++above)
      number += layout.levels[above].arrays.size();
    for (const TensorLayout::Array &array : kind.arrays) {
      if (array.holdsPositions)
        return {load(number, array.type, parents.begin),
                load(number, array.type, parents.end)};
      ++number;
    }
    return parents;
  }

  /// The number of positions of a level that stores coordinates.
  int64_t numEntries(size_t level) const {
    size_t number = argument;
    for (size_t above = 0; above < level; ++above)
      number += layout.levels[above].arrays.size();
    for (const TensorLayout::Array &array : layout.levels[level].arrays) {
      if (array.perEntry)
        return args[number].size / array.perEntry;
      ++number;
    }
    throw std::logic_error("the level stores no coordinates");
  }

  int64_t load(size_t number, ElementType type, int64_t at) const {
    const Argument &array = args[number];
    if (array.size == 0)
      return 0;
    at = std::min(at, array.size - 1);
    return type == ElementType::i32 ? static_cast<int32_t *>(array.data)[at]
                                    : static_cast<int64_t *>(array.data)[at];
  }

  void set(ReadWindow &window, const TensorLayout::Array &array,
           size_t level) const {
    if (array.holdsPositions) {
      Window parents = entries[level];
      parents.end += array.extra;
      setIndexed(window, parents, bases[level]);
      window.subtracted = bases[level + 1];
      return;
    }
    const Window &own = entries[level + 1];
    int64_t each = array.perEntry;
    setIndexed(window, {each * own.begin, each * own.end},
               each * bases[level + 1]);
  }

  /// Sets the window of an array with elements for positions of a level.
  static void setIndexed(ReadWindow &window, Window elements, int64_t base) {
    window.window = elements;
    window.first = elements.begin - base;
    window.size = elements.end - base;
  }

  const Step &step;
  LonePart &part;
  size_t input;
  const TensorLayout &layout;
  const std::vector<Argument> &args;
  size_t argument; ///< The number of the operand's first argument.
  /// The positions above each level, and at last those of the last level, that
  /// are read, and what is subtracted from them.
  std::vector<Window> entries = {{0, 1}};
  std::vector<int64_t> bases = {0};
};
} // namespace

std::vector<ReadWindow>
nacho::windowsRead(const Step &step, LonePart &part,
                   const std::vector<Argument> &args,
                   const std::vector<bool> &areWindows) {
  std::vector<ReadWindow> windows;
  windows.reserve(args.size());
  for (const Argument &arg : args)
    windows.push_back({{0, arg.size}, /*first=*/0, arg.size});
  for (size_t input = 0; input < step.operands.size(); ++input)
    if (areWindows[input] && !step.operands[input].levels.empty())
      OperandWindows(step, part, input, args).find(windows);
  return windows;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

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
          (level + 1 == numStructural || !sharesPositions(levels[level + 1])))
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
