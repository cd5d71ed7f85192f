//===- AtOnce.cpp - Results counted and filled in one call ----------------===//
//
// The lengths of operands bound those of a result that loops over them append
// to. On a device, it costs less to allocate so much, and to copy what is
// filled of it, than to count everything before anything is appended. What goes
// wrong is left to the functions that count first, which say what it was; so
// are parts that append more than a block has room for.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <new>

using namespace nacho;

/// A row of an operand costs as much as so many entries.
static constexpr int64_t kRowCost = 4;
/// Arrays of so many bytes together have pages of their own.
static constexpr int64_t kPagedFrom = 1 << 20;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// Finds bounds for the sizes of the result of a step by the lengths of its
/// arguments.
class LengthBounds {
public:
  LengthBounds(const Step &step, const std::vector<Argument> &args)
      : step(step), args(args) {}

  std::optional<int64_t> extentOf(const std::string &index) const;
  std::optional<int64_t> stepsOf(size_t loop) const;
  std::optional<std::vector<int64_t>> sizes() const;
  bool fitBlocks(int64_t entries) const;

private:
  std::optional<int64_t> entriesOf(size_t input, size_t loop) const;
  std::optional<size_t> loopOf(const std::string &index) const;

  const Step &step;
  const std::vector<Argument> &args;
};
} // namespace

/// Returns the level of an access that an index runs through.
static std::optional<size_t> levelOf(const Step::Indices &indices,
                                     const std::string &index) {
  auto found = std::find(indices.begin(), indices.end(), index);
  if (index.empty() || found == indices.end())
    return std::nullopt;
  return found - indices.begin();
}

std::optional<int64_t> LengthBounds::extentOf(const std::string &index) const {
  for (size_t input = 0; input < step.operands.size(); ++input)
    for (const Step::Indices &indices : step.indicesRead[input])
      if (std::optional<size_t> level = levelOf(indices, index))
        return args[step.extentOf(input, *level)].size;
  return std::nullopt;
}

/// The entries of an operand's level that a loop steps through: those of the
/// last level, if the only loop steps through the operand as a whole.
std::optional<int64_t> LengthBounds::entriesOf(size_t input,
                                               size_t loop) const {
  const std::vector<Step::Indices> &accesses = step.indicesRead[input];
  const std::vector<TensorLayout::Level> &levels = step.operands[input].levels;
  if (step.inputs[input].isStep || accesses.size() != 1 || levels.empty())
    return std::nullopt;
  size_t level = levels.size() - 1;
  if (step.order.size() > 1) {
    // Each entry is met once if a loop is as deep as the level.
    std::optional<size_t> found = levelOf(accesses.front(), step.order[loop]);
    if (found != loop)
      return std::nullopt;
    level = *found;
  }
  TensorLayout::Place place = step.coordinatesOf(input, level);
  if (levels[level].isFull || place.stride == 0)
    return std::nullopt;
  return args[place.array].size / place.stride;
}

/// A loop takes no more steps than the operands that it follows have entries,
/// or, if it takes those of both, than one of them has.
std::optional<int64_t> LengthBounds::stepsOf(size_t loop) const {
  if (step.fullLoops[loop] || step.loopInputs[loop].empty())
    return std::nullopt;
  bool isInnermost = loop + 1 == step.order.size();
  bool takesBoth = isInnermost && step.merged && !step.merged->isUnion;
  int64_t sum = 0, least = -1;
  for (int64_t input : step.loopInputs[loop]) {
    std::optional<int64_t> entries = entriesOf(input, loop);
    if (!entries)
      return std::nullopt;
    sum += *entries;
    least = least < 0 ? *entries : std::min(least, *entries);
  }
  return takesBoth ? least : sum;
}

/// The loop that visits the coordinates of a level of the result. A single loop
/// may visit those of several.
std::optional<size_t> LengthBounds::loopOf(const std::string &index) const {
  if (step.order.size() == 1)
    return 0;
  return levelOf(step.order, index);
}

/// The extents stay 0: nothing needs them before the device has written them.
std::optional<std::vector<int64_t>> LengthBounds::sizes() const {
  size_t rank = step.result.levels.size();
  std::vector<int64_t> found(step.numSizes());
  found[step.rowSizeAt()] = 1;
  for (size_t level = rank; level-- > 0;) {
    const TensorLayout::Level &stored = step.result.levels[level];
    bool isShared =
        level + 1 < rank && step.result.levels[level + 1].sharesPositions();
    std::optional<size_t> loop = loopOf(step.indicesMade[level]);
    std::optional<int64_t> bound;
    if (stored.isFull)
      bound = extentOf(step.indicesMade[level]);
    else if (isShared)
      bound = found[level + 1];
    else if (loop)
      bound = stepsOf(*loop);
    if (!bound)
      return std::nullopt;
    found[level] = *bound;
  }
  return found;
}

/// Whether blocks have room for what their parts keep until they are scanned:
/// each for as many entries as it has by default, or other steps, and a few
/// more. A list of rows has room of its own.
bool LengthBounds::fitBlocks(int64_t entries) const {
  int64_t all = 0, room = entries + entries / 8;
  for (size_t loop = 0; loop < step.order.size(); ++loop) {
    if (step.fullLoops[loop]) {
      all += extentOf(step.order[loop]).value_or(0);
      continue;
    }
    for (int64_t input : step.loopInputs[loop])
      all += entriesOf(input, loop).value_or(0);
    if (loop + 1 < step.order.size())
      room += 3 * entries / 8;
  }
  return all <= room;
}

bool Step::fillsAtOnce() const {
  return countColumns && !isDraft() && list == List::none &&
         !hasUnequalParts() && !hasFixedParts && !buckets && partials.empty() &&
         workspaces().empty() && has(Phase::run) &&
         indicesMade.size() == result.levels.size();
}

std::optional<std::vector<int64_t>>
Step::boundByLengths(const std::vector<Argument> &args) const {
  if (indicesMade.size() != result.levels.size())
    return std::nullopt;
  return LengthBounds(*this, args).sizes();
}

std::optional<std::vector<int64_t>>
Step::boundSizes(const std::vector<Argument> &args, int64_t parts) const {
  if (!fillsAtOnce())
    return std::nullopt;
  LengthBounds lengths(*this, args);
  if (!lengths.fitBlocks(parts * device().entriesPerPart()))
    return std::nullopt;
  return lengths.sizes();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Allocates the arrays of a result, or nothing if there is no memory.
std::optional<std::vector<Buffer>> StepPlan::tryAllocate() const {
  try {
    return allocateArrays();
  } catch (const std::bad_alloc &) {
    return std::nullopt;
  }
}

/// Leaves the arrays what they contain, in memory of its size if theirs is much
/// larger: on a host, pages that nothing is written to take addresses only.
/// Returns whether there was memory for that.
bool StepPlan::fit(std::vector<Buffer> &buffers) const {
  int64_t taken = 0, needed = 0;
  for (const Buffer &buffer : buffers)
    taken += buffer.numBytes();
  shrink(buffers);
  for (const Buffer &buffer : buffers)
    needed += buffer.numBytes();
  bool arePages = step->device().isHost() && needed >= kPagedFrom;
  if (taken - needed <= (arePages ? 3 * needed : needed / 3))
    return true;
  std::optional<std::vector<Buffer>> own = tryAllocate();
  if (!own)
    return false;
  for (size_t n = 0; n < own->size(); ++n)
    (*own)[n].copyFrom(buffers[n]);
  buffers = std::move(*own);
  return true;
}

/// Whether positions of the result can count as many entries as there may be.
bool StepPlan::canCountSizes() const {
  try {
    checkIndexTypes();
    return !refuseResult();
  } catch (const IndexOverflow &) {
    return false;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

/// Lets the step fill its result, which becomes `ready`, unless there is no
/// memory for it. Returns false if blocks refuse: they have no room, or
/// operands are wrong.
bool StepPlan::fillAtOnce(const std::vector<Argument> &args, int64_t threads) {
  std::optional<std::vector<int64_t>> most = step->boundSizes(args, parts);
  if (!most || refuseOperands(args))
    return true;
  sizes = std::move(*most);
  cost = 0;
  if (!canCountSizes())
    return true;
  std::optional<std::vector<Buffer>> arrays = tryAllocate();
  if (!arrays)
    return true;
  Numbers<int64_t> counts(step->device(), parts * step->countColumns,
                          /*isWritten=*/true);
  std::vector<Argument> results;
  for (const Buffer &buffer : *arrays)
    results.push_back(buffer.argument());
  untilDone([&] {
    bounds.clear(statusAt(), 1);
    step->runLater(args, allParts(), counts.data(), results, /*sums=*/{},
                   scratch({}), bounds.data() + sizesAt(), statusWord(),
                   threads);
  });
  if (readPlanned() || refuseResult())
    return false;
  checkCost();
  if (fit(*arrays))
    ready = std::move(*arrays);
  return true;
}

/// Parts that cost as much as entries have room for, each, have room for all
/// that they append, since a row costs as much as some entries, and takes less
/// room. If a tile had none, so many parts are tried, unless the cost tells
/// that operands are wrong. If that fails, too, other calls count at once.
bool StepPlan::runAtOnce(const std::vector<Argument> &args, int64_t threads) {
  ready.clear();
  if (!step->fillsAtOnce() || (findKnown(args, threads) && !sizes.empty()))
    return false;
  bool hasRoom = fillAtOnce(args, threads);
  int64_t finer = cost / step->device().entriesPerPart() + 1;
  if (!hasRoom && isShared && finer > parts && finer <= kRowCost * parts) {
    divide(finer);
    hasRoom = fillAtOnce(args, threads);
    if (!ready.empty())
      step->known->add(foreseen, {parts, cost, {}});
  }
  if (hasRoom)
    foreseen.clear();
  return !ready.empty();
}
