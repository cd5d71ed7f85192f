//===- Chooser.cpp - The choice of a variant for a call -------------------===//

#include "nacho/Execution/Chooser.h"
#include "Thresholds.h"
#include "nacho/Execution/Program.h"
#include "nacho/Runtime/Abi.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

using namespace nacho;

/// The largest power of two that is not above `number`: it divides evenly among
/// most numbers of threads.
static int64_t powerBelow(int64_t number) {
  int64_t power = 1;
  while (2 * power <= number)
    power *= 2;
  return power;
}

static int64_t partsOfDevice(int64_t work, int64_t entriesPerPart) {
  return std::clamp<int64_t>(work / entriesPerPart, 1, kMostPartsOfDevice);
}

/// The number of parts, if nobody asked for one. It depends on the work alone:
/// sums that are cut come out the same with any number of threads, since the
/// order in which parts are added up does not depend on that.
static int64_t partsFor(int64_t work, const KernelFacts &kernel) {
  if (kernel.entriesPerPart)
    return partsOfDevice(work, kernel.entriesPerPart);
  if (work < kWholeBelow)
    return 1;
  int64_t fewest = kFewestParts;
  if (kernel.canMergeKeys)
    fewest = std::clamp<int64_t>(work / kLeastPartOfList, 2, kFewestParts);
  int64_t most =
      std::clamp(2 * (work / kMostEntriesPerPart), kManyParts, kMostParts);
  return powerBelow(std::clamp(work / kEntriesPerPart, fewest, most));
}

/// Sets the numbers of threads and parts.
static void chooseWorkers(Choice &choice, int64_t available,
                          const KernelFacts &kernel) {
  Asked &asked = choice.asked;
  // What is stored at coordinates is cut. Threads take dense rows together.
  if (kernel.entriesPerPart && choice.facts.stored)
    asked.work = choice.facts.stored;
  choice.isShared = !asked.parts;
  choice.parts = choice.isShared ? partsFor(asked.work, kernel) : asked.parts;
  if (kernel.entriesPerPart) {
    choice.threads = choice.parts;
    return;
  }
  bool isLittle = asked.work < kSerialBelow ||
                  (choice.facts.isCrowded && asked.work < kAloneBelow);
  int64_t most = asked.threads ? asked.threads : isLittle ? 1 : available;
  choice.threads = std::min(most, choice.parts);
}

/// A block that keeps what its parts append has memory for their entries: of
/// each, a coordinate that is read, a slot for one that is written, and a word
/// for its value. A row takes as much at most: of each operand, its positions,
/// and where it ends in the slots. Of two operands, it counts as two entries,
/// which leaves room where tiles are unequal: they are cut by costs, and a row
/// costs as much as several entries.
void Choice::adaptParts(const Program &program, int64_t entriesPerPart) {
  auto hasWorkspaces = [](const Step &step) {
    return !step.workspaces().empty();
  };
  if (!entriesPerPart || !isShared)
    return;
  bool keepsRows = program.steps.size() == 1 && program.last().fillsAtOnce();
  rows = keepsRows ? facts.fibers : 0;
  if (keepsRows)
    parts = threads =
        partsOfDevice(asked.work + rows + entriesPerPart - 1, entriesPerPart);
  if (std::any_of(program.steps.begin(), program.steps.end(), hasWorkspaces))
    parts = threads = std::min(parts, kMostPartsWithWorkspaces);
}

void Chooser::shareCost(Choice &choice, int64_t cost, int64_t available) const {
  const Asked &asked = choice.asked;
  if (kernel.entriesPerPart || asked.threads || choice.facts.isCrowded ||
      asked.work >= kSerialBelow || cost < kSharedFrom || choice.parts == 1)
    return;
  choice.threads = std::min(available, choice.parts);
  choice.cost = cost;
}

bool Chooser::wantsCrowd(const Asked &asked) const {
  return kernel.unites && asked.purpose == Purpose::call &&
         asked.threads != 1 && !asked.parts && asked.work >= kSerialBelow;
}

bool Chooser::wantsOverlap(const Asked &asked, const Facts &facts) const {
  return !kernel.entriesPerPart && kernel.intersectsKeys &&
         facts.entries >= kOverlapFrom && !pins.merge.isSet() &&
         wantsKeys(asked, facts);
}

bool Chooser::wantsKeys(const Asked &asked, const Facts &facts) const {
  if (!kernel.canMergeKeys || asked.purpose == Purpose::plan ||
      facts.keyBits > kMostBits)
    return false;
  if (pins.merge.isSet())
    return pins.merge.nearest(Merge::levels) == Merge::keys;
  // A block of a GPU reads the entries of its tile at once, and skips none.
  if (kernel.entriesPerPart)
    return true;
  if (facts.overlap < kLeastOverlap)
    return false;
  return facts.entries < kWorthKeys || facts.entries / kLongRow < facts.rows;
}

/// Whether dense operands are better transposed. The copies take memory.
bool Chooser::wantsTransposed(const Asked &asked, const Facts &facts) const {
  return !kernel.transposed.empty() && !asked.memory &&
         facts.stored / kWorthTransposing >= facts.transposedRows;
}

/// Chooses indices of 32 bits if all numbers that are known before fit them.
Indices Chooser::chooseIndices(const Choice &choice) const {
  bool fit = std::max(choice.parts, choice.facts.longest) <= kLongestNarrow;
  return kernel.entriesPerPart && fit ? Indices::narrow : Indices::wide;
}

/// Chooses how to fill a result. A device that finds cuts inside of tiles has
/// read there what it counts; a draft would be written, and read again. Parts
/// of a number that was asked for may be too large for drafts in a cache.
/// Threads wait for the one whose turn it is, which has to have a processor.
Fill Chooser::chooseFill(const Choice &choice) const {
  const Asked &asked = choice.asked;
  if (asked.purpose != Purpose::call)
    return Fill::counted;
  Fill fill =
      pins.fill.nearest(kernel.entriesPerPart ? Fill::counted : Fill::drafted);
  bool canWait = choice.threads == 1 || !choice.facts.isCrowded;
  bool movesInTurn = fill != Fill::counted && kernel.unites && canWait &&
                     choice.isShared && asked.work >= kSerialBelow;
  return movesInTurn ? pins.fill.nearest(Fill::unionsDrafted) : fill;
}

Choice Chooser::choose(const Asked &asked, const Facts &facts,
                       int64_t available) const {
  Choice choice;
  choice.asked = asked;
  choice.facts = facts;
  chooseWorkers(choice, available, kernel);
  choice.acceptsOnePart = pins.products.isSet();
  Variant wanted;
  wanted.rows = Rows::whole;
  if (wantsTransposed(asked, facts))
    wanted.dense = Dense::transposed;
  wanted.indices = chooseIndices(choice);
  choice.variant = pins.nearest(wanted);
  choice.variant.merge = wantsKeys(asked, facts) ? Merge::keys : Merge::levels;
  choice.variant.fill = chooseFill(choice);
  return choice;
}

Choice Chooser::chooseForLoneParts(const Asked &asked,
                                   const Facts &facts) const {
  Choice choice = choose(asked, facts, /*available=*/1);
  choice.variant.fill = pins.fill.nearest(Fill::counted);
  choice.variant.dense = pins.dense.nearest(Dense::stored);
  choice.variant.indices = Indices::wide;
  if (facts.entries >= kWorthKeys)
    choice.variant.merge = pins.merge.nearest(Merge::levels);
  return choice;
}

/// Heavy rows are cut into pieces or, if that is not possible or a piece is too
/// heavy, computed apart. If that is not possible either, parts share rows.
/// Pieces with tables take longer than rows that are computed apart, by parts
/// that need each other.
std::optional<Choice> Chooser::withoutHeavyRows(Choice choice) const {
  Rows &rows = choice.variant.rows;
  auto orElse = [&](Rows value, Rows other) {
    return pins.rows.allows(value) ? value : other;
  };
  switch (rows) {
  case Rows::whole:
    rows = orElse(Rows::heavyApart, Rows::shared);
    if (choice.refusals.back().share >= kLeastPieceShare &&
        (choice.areAlone || !choice.refusals.back().fillsTables))
      rows = orElse(Rows::pieces, rows);
    return choice;
  case Rows::pieces:
    rows = orElse(Rows::finePieces, Rows::heavyApart);
    return choice;
  case Rows::finePieces:
    rows = Rows::heavyApart;
    return choice;
  case Rows::heavyApart:
    rows = Rows::shared;
    return choice;
  case Rows::shared:
    break;
  }
  if (choice.acceptsImbalance)
    return std::nullopt;
  choice.acceptsImbalance = true;
  return choice;
}

std::optional<Choice> Chooser::withSharedRows(Choice choice) {
  if (choice.variant.rows == Rows::shared)
    return std::nullopt;
  choice.variant.rows = Rows::shared;
  return choice;
}

std::optional<Choice> Chooser::instead(const Choice &choice,
                                       const Refusal &refusal) const {
  Choice other = choice;
  other.refusals.push_back(refusal);
  switch (refusal.needs) {
  case Refusal::heavyRows:
    return withoutHeavyRows(other);
  case Refusal::splitRows:
    return withSharedRows(other);
  case Refusal::sorting:
    if (choice.acceptsOnePart)
      return std::nullopt;
    other.variant.products = Products::sorted;
    other.acceptsOnePart = true;
    return other;
  case Refusal::wideIndices:
    if (choice.variant.indices == Indices::wide)
      return std::nullopt;
    other.variant.indices = Indices::wide;
    return other;
  case Refusal::counts:
    break;
  }
  if (choice.variant.fill == Fill::counted)
    return std::nullopt;
  other.variant.fill = Fill::counted;
  return other;
}

/// The choices with which calls begin, but for the numbers of threads and
/// parts.
std::vector<Choice> Chooser::beginnings() const {
  std::vector<Choice> choices;
  for (Purpose purpose : {Purpose::call, Purpose::plan}) {
    Asked asked;
    asked.purpose = purpose;
    choices.push_back(choose(asked, {}, 1));
  }
  // The decisions that choose() makes by the facts.
  auto vary = [&](auto Variant::*field, auto value, const auto &pin,
                  bool onlyCalls) {
    for (size_t n = 0, size = choices.size(); n < size; ++n) {
      if (onlyCalls && choices[n].asked.purpose != Purpose::call)
        continue;
      Choice other = choices[n];
      other.variant.*field = pin.nearest(value);
      choices.push_back(std::move(other));
    }
  };
  if (kernel.canMergeKeys)
    for (Merge merge : {Merge::levels, Merge::keys})
      vary(&Variant::merge, merge, pins.merge, /*onlyCalls=*/true);
  if (!kernel.transposed.empty())
    for (Dense dense : {Dense::stored, Dense::transposed})
      vary(&Variant::dense, dense, pins.dense, /*onlyCalls=*/false);
  if (kernel.unites)
    vary(&Variant::fill, Fill::unionsDrafted, pins.fill, /*onlyCalls=*/true);
  return choices;
}

std::vector<Variant> Chooser::reachable() const {
  // A row can be too heavy for few workers, or for a small share of many.
  const Refusal refusals[] = {
      {Refusal::heavyRows, "", 0}, {Refusal::heavyRows, "", kLeastPieceShare},
      {Refusal::splitRows, "", 0}, {Refusal::sorting, "", 0},
      {Refusal::counts, "", 0},    {Refusal::wideIndices, "", 0}};
  std::vector<Variant> variants;
  std::set<std::tuple<size_t, bool, bool>> known;
  std::vector<Choice> open = beginnings();
  while (!open.empty()) {
    Choice choice = std::move(open.back());
    open.pop_back();
    if (!known
             .emplace(choice.variant.number(), choice.acceptsImbalance,
                      choice.acceptsOnePart)
             .second)
      continue;
    if (std::find(variants.begin(), variants.end(), choice.variant) ==
        variants.end())
      variants.push_back(choice.variant);
    for (const Refusal &refusal : refusals)
      if (std::optional<Choice> other = instead(choice, refusal))
        open.push_back(std::move(*other));
  }
  return variants;
}

bool Chooser::wantsSample(int64_t cost) const {
  return !kernel.entriesPerPart && !pins.branching.isSet() &&
         cost >= kSampleFrom;
}

/// The rows of several parts together have at most a third as many sums as the
/// step costs: a second thread makes up for clearing them and adding them up.
int64_t Chooser::fixedParts(int64_t cost, int64_t rowSize) {
  return powerBelow(std::min({kMostFixedParts, cost / kLeastFixedCost,
                              cost / 3 / std::max<int64_t>(rowSize, 1)}));
}

bool Chooser::wantsSorting(int64_t cost, int64_t rowSize, int64_t threads,
                           int64_t entriesPerPart) {
  // There are more threads than rows of sums are worth.
  if (entriesPerPart)
    return cost / entriesPerPart > kMostFixedParts;
  return cost >= kLeastSorted && threads > kSortedCost &&
         fixedParts(cost, rowSize) == 1;
}

std::vector<int64_t> Chooser::startOrder(const std::vector<int64_t> &costs,
                                         int64_t threads) {
  std::vector<int64_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  if (threads == 1 || int64_t(costs.size()) <= threads)
    return order;
  auto [least, most] = std::minmax_element(costs.begin(), costs.end());
  if (*most - *least <= *most / kNotable)
    return order;
  std::sort(order.begin(), order.end(), [&](int64_t one, int64_t other) {
    return costs[one] > costs[other] ||
           (costs[one] == costs[other] && one < other);
  });
  return order;
}

int64_t Chooser::partsWithTable(int64_t elements, int64_t entries) {
  int64_t filling = kElementsPerTableEntry * std::max<int64_t>(entries, 1);
  return std::max(kFewTables, elements / filling);
}

int64_t Chooser::partsWithRows(int64_t entries, int64_t sums) {
  return std::max(kManyParts, entries / std::max<int64_t>(sums, 1));
}

bool Chooser::isForeseen(const Sample &sample) {
  return sample.surprises * kSurpriseRate <= 2 * sample.steps;
}

bool Chooser::wantsBranches(const Choice &choice, int64_t merged) {
  return choice.sample && isForeseen(*choice.sample) &&
         merged >= kWorthBranches;
}
