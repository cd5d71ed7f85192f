//===- StepRefusals.cpp - Refusals of a step ------------------------------===//
//
// A step refuses a call that another program may compute: parts with whole rows
// that are too unequal, one part for the work of several, or a draft that would
// be too large. It throws if no program can.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/LonePart.h"
#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

using namespace nacho;

/// Whether the cost of a coordinate has no bound: that of a row which stays
/// whole, or of a row for which parts fill tables.
static bool hasUnboundedRows(const Step &step) {
  if (step.hasFixedParts || step.rows == Rows::heavyApart)
    return false;
  return step.rows != Rows::shared ||
         std::any_of(
             step.tables.begin(), step.tables.end(),
             [](const Step::OperandLevel &table) { return table.level > 0; });
}

bool StepPlan::mayBeUnequal() const {
  return !acceptsImbalance && hasUnboundedRows(*step);
}

/// Refuses operands that are too long, and to fill the table of a vector anew
/// for so many parts that this takes longer than the rest of their work.
std::optional<Refusal>
StepPlan::refuseOperands(const std::vector<Argument> &args) const {
  if (auto refusal = refuseLengths(args))
    return refusal;
  if (acceptsImbalance || step->hasFixedParts || partsWithTables(args) >= parts)
    return std::nullopt;
  return Refusal{Refusal::heavyRows, "each of " + std::to_string(parts) +
                                         " parts would fill a table"};
}

/// The cost of what the busiest worker does, if each takes the next part when
/// it is done with one. Parts that are equal but for tables are started in
/// their order.
static int64_t busiestOf(const std::vector<int64_t> &costs, int64_t workers,
                         bool areOrdered) {
  if (workers >= int64_t(costs.size()))
    return *std::max_element(costs.begin(), costs.end());
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<int64_t>>
      busy{std::greater<int64_t>(), std::vector<int64_t>(workers)};
  int64_t busiest = 0;
  for (int64_t part : Chooser::startOrder(costs, areOrdered ? workers : 1)) {
    int64_t done = busy.top() + costs[part];
    busiest = std::max(busiest, done);
    busy.pop();
    busy.push(done);
  }
  return busiest;
}

/// The most that a worker may get where parts fill tables or have pieces of
/// rows, as a multiple of its share: a worker that is done takes the next part.
static constexpr double kMostOfManyParts = 2;
/// The same where parts of a CPU own whole rows, and nobody asked for a number
/// of parts: to list the pieces of heavy rows, or their products, and to add
/// these up takes so many times as long.
static constexpr double kMostOfWholeRows = 8;
/// With one part for each worker, the alternative are parts that divide rows.
static constexpr double kMostOfOnePart = 1 + 1. / 8;
/// The alternative to parts that divide rows into pieces allows as much.
static constexpr double kMostOfPieces = 1 + 1. / 4;
/// The entries that a thread of a device may have in any case. By the model of
/// a GPU, a thread takes a quarter of a microsecond for each, and to divide
/// heavier rows takes 1.4 ms more, in some forty launches.
static constexpr int64_t kLeastEntriesOnDevice = 4096;
/// The entries by which a worker may exceed what it may get: a search cuts
/// between entries.
static constexpr int64_t kEntriesOfSearch = 8;

/// The cost above two shares with which parts of a device are counted: no part
/// that costs more is accepted.
int64_t StepPlan::excess() const {
  if (!mayBeUnequal())
    return indices == Indices::narrow ? kLongestNarrow : kMostCost;
  return (kLeastEntriesOnDevice + kEntriesOfSearch) * step->entryCost;
}

/// Refuses parts, which own whole rows or fill tables, if the busiest of the
/// workers has too much of the total cost. `isShared` says whether workers take
/// one part after the other.
static std::optional<Refusal> refuseBusiest(const Step &step, int64_t busiest,
                                            int64_t total, int64_t workers,
                                            int64_t parts, bool isShared) {
  int64_t share = total / workers;
  double factor = step.rows == Rows::pieces ? kMostOfPieces : kMostOfOnePart;
  if (isShared && step.rows == Rows::whole)
    factor = kMostOfWholeRows;
  else if (workers < parts)
    factor = kMostOfManyParts;
  auto most = static_cast<int64_t>(factor * double(share));
  if (!step.device().isHost())
    most = std::max(static_cast<int64_t>(kMostOfManyParts * double(share)),
                    kLeastEntriesOnDevice * step.entryCost);
  most += kEntriesOfSearch * step.entryCost;
  if (busiest <= most)
    return std::nullopt;
  return Refusal{
      Refusal::heavyRows,
      (step.rows != Rows::shared ? "with whole rows, a worker would have "
                                 : "with tables, a worker would have ") +
          std::to_string(busiest) + " of a cost of " + std::to_string(total) +
          ", a share being " + std::to_string(share) + ", and the most " +
          std::to_string(most),
      share, !step.tables.empty()};
}

std::optional<Refusal> StepPlan::refuseLength(int64_t length) const {
  if (indices == Indices::wide || length <= kLongestNarrow)
    return std::nullopt;
  return Refusal{Refusal::wideIndices,
                 "up to " + std::to_string(length) + " entries, rows or steps"};
}

/// Refuses operands that are too long for kernels whose indices have 32 bits.
std::optional<Refusal>
StepPlan::refuseLengths(const std::vector<Argument> &args) const {
  int64_t longest = 0;
  for (const Argument &arg : args)
    longest = std::max(longest, arg.size);
  return refuseLength(longest);
}

/// Refuses a result that is too long, or that costs too much: a step costs one
/// at least.
std::optional<Refusal> StepPlan::refuseResult() const {
  if (indices == Indices::wide)
    return std::nullopt;
  int64_t longest = std::max(total(), buckets.size);
  auto arrays = allocateFor("the result", [&] { return resultArrays(); });
  for (auto [type, length] : arrays)
    longest = std::max(longest, length);
  for (size_t level = 0; level < step->result.levels.size(); ++level)
    if (step->list == Step::List::none)
      longest = std::max(longest, extents()[level]);
  if (!step->partials.empty())
    longest =
        std::max(longest, allocateFor("the sums of each part", [&] {
                   return checkedProduct(step->partialRows * parts, rowSize());
                 }));
  return refuseLength(longest);
}

std::optional<Refusal> StepPlan::refuseImbalance() {
  if (!mayBeUnequal())
    return std::nullopt;
  int64_t busiest = busiestOf(partCosts(), workers, step->hasUnequalParts());
  heaviest = total() ? double(busiest) * workers / double(total()) : 1;
  return refuseBusiest(*step, busiest, total(), workers, parts, isShared);
}

std::optional<Refusal> nacho::refuseCosts(const Step &step,
                                          const std::vector<int64_t> &costs,
                                          int64_t workers) {
  if (!hasUnboundedRows(step))
    return std::nullopt;
  int64_t total = std::accumulate(costs.begin(), costs.end(), int64_t(0));
  workers = std::min<int64_t>(workers, costs.size());
  return refuseBusiest(step, busiestOf(costs, workers, step.hasUnequalParts()),
                       total, workers, costs.size(),
                       workers < int64_t(costs.size()));
}

/// Refuses to scatter all products in one part, if the threads could sort them
/// in less time.
std::optional<Refusal> StepPlan::refuseOnePart(int64_t threads) const {
  if (acceptsOnePart ||
      !Chooser::wantsSorting(mostEntries(), rowSize(), threads,
                             step->device().entriesPerPart()))
    return std::nullopt;
  return Refusal{Refusal::sorting,
                 "rows of " + std::to_string(rowSize()) +
                     " sums are too long for many parts of a cost of " +
                     std::to_string(mostEntries())};
}

/// The largest position of a type. Those of 8 and 16 bits are unsigned, as in
/// MLIR; others stay as small as Python's signed ones.
static int64_t largestOf(ElementType type) {
  switch (type) {
  case ElementType::i8:
    return std::numeric_limits<uint8_t>::max();
  case ElementType::i16:
    return std::numeric_limits<uint16_t>::max();
  case ElementType::i32:
    return std::numeric_limits<int32_t>::max();
  default:
    return std::numeric_limits<int64_t>::max();
  }
}

/// The type of an array of a level that cannot hold a position or a coordinate.
/// Coordinates of 32 bits are those of operands, which may have any extent.
static std::optional<ElementType> narrowType(const TensorLayout::Level &level,
                                             bool holdsPositions,
                                             int64_t number) {
  for (const TensorLayout::Array &array : level.arrays) {
    bool isKnown = !holdsPositions && array.type == ElementType::i32;
    if (array.holdsPositions == holdsPositions && !isKnown &&
        number > largestOf(array.type))
      return array.type;
  }
  return std::nullopt;
}

/// Whether the type of a level's positions can count `entries` entries.
static bool canCount(const TensorLayout::Level &level, int64_t entries) {
  return !narrowType(level, /*holdsPositions=*/true, entries);
}

/// Whether a draft may have room for so many bytes. The system provides only
/// the pages that are written, but huge pages as a whole, and while a draft is
/// compacted its entries exist twice: so, if it is large, both together may
/// take half of the memory that is there.
static bool canDraft(int64_t entries, int64_t bytesEach) {
  constexpr int64_t kSmall = int64_t(1) << 30;
  return entries <= kSmall / bytesEach ||
         entries <= availableMemory() / 4 / bytesEach;
}

std::optional<Refusal> StepPlan::refuseDraft() const {
  int64_t most = numEntries();
  auto canCountAll = [&](const TensorLayout::Level &level) {
    return canCount(level, most);
  };
  const std::vector<TensorLayout::Level> &levels = step->result.levels;
  if (!canDraft(most, entryBytes()) ||
      !std::all_of(levels.begin(), levels.end(), canCountAll))
    return Refusal{Refusal::counts, "a draft could have as many as " +
                                        std::to_string(most) + " entries"};
  // Another thread may edit the operands during the search: the cuts, or the
  // offsets, can then be out of order, and parts would append beyond the ends
  // of the draft.
  HostView<int64_t> cuts = bounds.read(), begins = offsets.read();
  int64_t columns = step->countColumns, last = columns - 1;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t *cut = &cuts[part * step->boundColumns];
    const int64_t *next = cut + step->boundColumns;
    size_t depth = step->order.size();
    if (cut[0] > next[0] ||
        begins[part * columns + last] > begins[(part + 1) * columns + last] ||
        std::lexicographical_compare(next + 1, next + 1 + depth, cut + 1,
                                     cut + 1 + depth))
      return Refusal{Refusal::counts, "the cuts are not in order"};
  }
  return std::nullopt;
}

/// Throws if the total overflows: otherwise, no cost of a part does. Watches
/// for signals from now on if the total is high.
void nacho::requireCost(int64_t cost) {
  if (cost < 0 || cost > kMostCost)
    throw CostOverflow("cost-overflow: the work costs more than 2^56");
}

void StepPlan::checkCost() const {
  requireCost(total());
  if (total() >= kWatchedFrom)
    SignalWatch::begin();
}

void StepPlan::checkIndexTypes() const {
  auto bits = [](ElementType type) { return std::to_string(8 * sizeOf(type)); };
  for (size_t n = 0; n < step->result.levels.size(); ++n) {
    const TensorLayout::Level &level = step->result.levels[n];
    if (auto type = narrowType(level, /*holdsPositions=*/true, sizes[n]))
      throw IndexOverflow("index-overflow: the result has " +
                          std::to_string(sizes[n]) + " entries, more than " +
                          bits(*type) + "-bit positions can count");
    if (auto type =
            narrowType(level, /*holdsPositions=*/false, extents()[n] - 1))
      throw IndexOverflow("index-overflow: the result has the extent " +
                          std::to_string(extents()[n]) +
                          ", too large for coordinates of " + bits(*type) +
                          " bits");
  }
}
