//===- PartWindows.cpp - The elements of operands that parts need ---------===//

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

/// The smallest window that has the elements of both.
static Window around(const Window &one, const Window &other) {
  if (one.begin == one.end)
    return other;
  if (other.begin == other.end)
    return one;
  return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
}

namespace {
/// The windows of one operand, level by level: a part reads the positions
/// between those of its cuts, and the one of the cut at its end, in which it
/// may end; below the levels that have positions in cuts, all children of
/// these. Of an operand whose positions a list keeps, it reads those between
/// the least and the largest one of its entries, and all of their children.
///
/// Positions are rebased: those of a level that stores coordinates begin at 0
/// in the window. The positions of a full level follow from its coordinates,
/// which are those of the whole tensor.
class OperandWindows {
public:
  OperandWindows(const Step &step, const LonePart &part, size_t input,
                 const std::vector<Argument> &args)
      : step(step), part(part), input(input), layout(step.operands[input]),
        args(args) {}

  /// Finds them by the cuts. Returns false if the loops do not visit the
  /// operand in order.
  bool findBetweenCuts() {
    size_t depth = numCutLevels();
    if (depth == 0 || !knowsLevels(/*first=*/0, depth))
      return false;
    for (size_t level = 0; level < layout.levels.size(); ++level) {
      Window all = childrenOf(level, entries[level]);
      entries.push_back(level < depth ? betweenCuts(level, all) : all);
      if (level + 1 == depth && depth < step.order.size())
        extendToRun(level);
    }
    if (step.inputs[input].isList && entries[1].begin > 0) {
      // The entry before has the sum of the costs up to there.
      --entries[1].begin;
      ++numBefore;
    }
    finish(/*first=*/0);
    return true;
  }

  /// Finds them by the positions that lists keep. Returns false if the loops
  /// find others, too, or may read all of a list.
  bool findKept(const std::vector<bool> &areWindows) {
    std::optional<size_t> level;
    Window positions;
    for (const Step::KeptLevel &kept : step.recalled) {
      if (kept.of.input != input)
        continue;
      OperandWindows list(step, part, kept.list, args);
      bool isOther = level && *level != kept.of.level;
      if (isOther || !areWindows[kept.list] || !list.findBetweenCuts())
        return false;
      level = kept.of.level;
      list.addKept(kept.level, positions);
    }
    if (!level || !knowsLevels(*level + 1, /*known=*/0))
      return false;
    // Of some fibers, lists keep the ends, too.
    if (!layout.levels[*level].isFull)
      positions.end = std::min(positions.end, numEntries(*level));
    entries.resize(1 + *level);
    entries.push_back(
        {std::min(positions.begin, positions.end), positions.end});
    while (entries.size() <= layout.levels.size())
      entries.push_back(childrenOf(entries.size() - 1, entries.back()));
    finish(*level + 1);
    return true;
  }

  /// Stores the windows of the arguments, and rebases the positions in lists
  /// and in cuts.
  void store(std::vector<ReadWindow> &windows,
             std::vector<int64_t> &bounds) const {
    size_t next = step.firstArrayOf(input, 0);
    for (size_t level = 0; level < layout.levels.size(); ++level)
      for (const TensorLayout::Array &array : layout.levels[level].arrays)
        set(windows[next++], array, level);
    setIndexed(windows[next], entries.back(), bases.back());
    for (const Step::KeptLevel &kept : step.recalled)
      if (kept.of.input == input)
        windows[step.firstArrayOf(kept.list, kept.level)].subtracted =
            bases[kept.of.level + 1];
    size_t column = 1 + step.order.size(), level = firstOfLoops;
    for (const std::vector<int64_t> &inputs : step.loopInputs)
      for (int64_t number : inputs) {
        int64_t base = number == int64_t(input) ? bases[++level] : 0;
        for (size_t row = 0; row < bounds.size(); row += step.boundColumns)
          bounds[row + column] -= base;
        ++column;
      }
  }

private:
  bool isIn(size_t loop) const {
    const std::vector<int64_t> &inputs = step.loopInputs[loop];
    return std::count(inputs.begin(), inputs.end(), int64_t(input)) == 1;
  }

  /// The number of outermost levels whose coordinates the outermost loops
  /// visit, in this order, and of which nothing else is read.
  size_t numCutLevels() const {
    size_t depth = 0;
    while (depth < step.loopInputs.size() && depth < layout.levels.size() &&
           isIn(depth))
      ++depth;
    for (const Step::OperandLevel &table : step.tables)
      if (table.input == input)
        depth = std::min(depth, table.level);
    return depth;
  }

  /// Whether loops that have positions of the operand in cuts visit the levels
  /// from `first` on, one after the other, as `known` of them do.
  bool knowsLevels(size_t first, size_t known) const {
    size_t numLoops = 0, rank = layout.levels.size();
    for (const std::vector<int64_t> &inputs : step.loopInputs)
      numLoops += std::count(inputs.begin(), inputs.end(), int64_t(input));
    bool areAll = first + numLoops == rank;
    for (size_t n = known; n < numLoops && !areAll; ++n)
      // Coordinates of a full level may be known without a loop over it.
      if (first + n >= rank || layout.levels[first + n].isFull)
        return false;
    return std::none_of(step.tables.begin(), step.tables.end(),
                        [&](const Step::OperandLevel &table) {
                          return table.input == input &&
                                 table.level < first + numLoops;
                        });
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

  Window betweenCuts(size_t level, Window all) const {
    int64_t begin = part.bounds[columnOf(level)];
    int64_t last = part.bounds.size() - step.boundColumns;
    int64_t end = part.bounds[last + columnOf(level)] + 1;
    const TensorLayout::Level &kind = layout.levels[level];
    // A run of positions that the level shares may go on behind `all`.
    if (!kind.sharesPositions())
      end = std::min(end, all.end);
    if (!kind.isFull)
      end = std::min(end, numEntries(level));
    begin = std::max(begin, all.begin);
    return {begin, std::max(begin, end)};
  }

  /// Extends the window of a level to the end of a run of equal coordinates, in
  /// which loops over other coordinates are cut: of the run, all is read.
  void extendToRun(size_t level) {
    Window &own = entries[level + 1];
    if (level + 1 == layout.levels.size() || own.begin == own.end ||
        !layout.levels[level + 1].sharesPositions())
      return;
    ElementType type = layout.levels[level].coordinateType;
    TensorLayout::Place place = step.coordinatesOf(input, level);
    auto coordinate = [&](int64_t at) {
      return load(place.array, type, place.offset + place.stride * at);
    };
    while (own.end < numEntries(level) &&
           coordinate(own.end) == coordinate(own.end - 1))
      ++own.end;
  }

  Window childrenOf(size_t level, Window parents) const {
    const TensorLayout::Level &kind = layout.levels[level];
    if (kind.isFull)
      return {parents.begin * extentOf(level), parents.end * extentOf(level)};
    size_t number = step.firstArrayOf(input, level);
    for (const TensorLayout::Array &array : kind.arrays) {
      if (array.holdsPositions)
        return {load(number, array.type, parents.begin),
                load(number, array.type, parents.end)};
      ++number;
    }
    return parents;
  }

  int64_t extentOf(size_t level) const {
    return args[step.extentOf(input, level)].size;
  }

  /// Makes levels that share positions, which may be in runs of equal
  /// coordinates, have the same ones, and finds what is subtracted from them.
  void finish(size_t first) {
    firstOfLoops = first;
    size_t rank = layout.levels.size();
    for (size_t level = rank; level-- > 1;)
      if (layout.levels[level].sharesPositions())
        entries[level] = around(entries[level], entries[level + 1]);
    for (size_t level = 0; level < rank; ++level) {
      const TensorLayout::Level &kind = layout.levels[level];
      if (kind.sharesPositions())
        entries[level + 1] = entries[level];
      int64_t own =
          kind.sharesPositions() ? bases[level] : entries[level + 1].begin;
      bases.push_back(kind.isFull ? bases[level] * extentOf(level) : own);
    }
  }

  /// Extends a window to the positions that a level of this list keeps; what is
  /// not there is kept as a negative number.
  void addKept(size_t level, Window &positions) const {
    size_t number = step.firstArrayOf(input, level);
    ElementType type = layout.levels[level].arrays.front().type;
    const Window &own = entries[level + 1];
    for (int64_t at = own.begin + numBefore; at < own.end; ++at)
      if (int64_t kept = load(number, type, at); kept >= 0)
        positions = around(positions, {kept, kept + 1});
  }

  /// The number of positions of a level that is not full. The level above may
  /// store its coordinates, too.
  int64_t numEntries(size_t level) const {
    size_t number = step.firstArrayOf(input, level);
    for (const TensorLayout::Array &array : layout.levels[level].arrays) {
      if (array.perEntry)
        return args[number].size / array.perEntry;
      ++number;
    }
    if (layout.levels[level].sharesPositions() && level > 0)
      return numEntries(level - 1);
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
  const LonePart &part;
  size_t input;
  const TensorLayout &layout;
  const std::vector<Argument> &args;
  /// The outermost level whose positions are in cuts, if any are.
  size_t firstOfLoops = 0;
  int64_t numBefore = 0; ///< The entries of a list in front of the lower cut.
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
  std::vector<int64_t> bounds = part.bounds;
  for (size_t input = 0; input < step.operands.size(); ++input) {
    if (!areWindows[input] || step.operands[input].levels.empty())
      continue;
    bool isRecalled = std::any_of(
        step.recalled.begin(), step.recalled.end(),
        [&](const Step::KeptLevel &kept) { return kept.of.input == input; });
    OperandWindows operand(step, part, input, args);
    if (isRecalled ? operand.findKept(areWindows) : operand.findBetweenCuts())
      operand.store(windows, bounds);
  }
  part.bounds = bounds;
  return windows;
}
