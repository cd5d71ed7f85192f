//===- Chooser.cpp - Which variant computes a call ------------------------===//

#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/Program.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace nacho;

//===----------------------------------------------------------------------===//
// Thresholds
//===----------------------------------------------------------------------===//

/// With fewer entries to read and write, which take some 50 microseconds, one
/// thread computes a call: waking others would take longer than they save.
/// Entries that are merged with those of other operands take kPerMerged times
/// as long as those of a matrix that is multiplied by a vector.
static constexpr int64_t kSerialBelow = 3 << 14, kPerMerged = 4;
/// With fewer entries, a call is not cut: finding the cuts would take longer
/// than a fiftieth of the work.
static constexpr int64_t kWholeBelow = 1 << 13;
/// How many entries a part has, if that gives some parts, but not too many: as
/// many as are needed to keep the threads of most machines equally busy.
static constexpr int64_t kEntriesPerPart = 1 << 18;
static constexpr int64_t kFewestParts = 8, kManyParts = 32;
/// From this many entries on, a part takes a notable part of a second, and only
/// between parts does a thread find out that it shall stop. So there are more.
static constexpr int64_t kMostEntriesPerPart = 1 << 24, kMostParts = 1 << 10;
/// Finding a cut of lists takes as long as merging a thousand entries: if there
/// are few entries, a part of them has at least as many.
static constexpr int64_t kLeastPartOfList = 1 << 15;

/// The most parts of a step whose parts are fixed, as many as threads can run,
/// and the least cost of each.
static constexpr int64_t kMostFixedParts = 64;
static constexpr int64_t kLeastFixedCost = 1 << 16;

/// Products that cost at least so much are worth sorting, if there are not
/// several rows of sums and there are more than kSortedCost threads: one thread
/// takes so many times as long to list, sort and add up products as to scatter
/// them over one row.
static constexpr int64_t kLeastSorted = 1 << 18, kSortedCost = 6;

/// If all parts cost the same but for this fraction, their order is kept: then
/// neighbours, which share cache lines, run at the same time.
static constexpr int64_t kNotable = 8;

/// So many parts may fill tables of their own, and more if that takes a small
/// part of their work: an entry of a table takes as long as some elements.
static constexpr int64_t kFewTables = 8, kElementsPerTableEntry = 8;

/// A key has at most as many bits.
static constexpr unsigned kMostBits = 62;
/// With fewer entries, merging by keys instead of level by level, or the other
/// way round, does not gain the time that it takes to compile it.
static constexpr int64_t kWorthKeys = 1 << 20;
/// From so many entries per row on, merging level by level is faster than by
/// keys.
static constexpr int64_t kLongRow = 16;

/// With fewer entries, a sample of the operands' first coordinates takes about
/// as long as merging all entries.
static constexpr int64_t kOverlapFrom = 1 << 14;
/// If a smaller part of the entries overlaps, an intersection level by level,
/// which skips the others, is faster than one by keys.
static constexpr double kLeastOverlap = 0.25;

/// The least cost of a union at which it pays to take a sample of it.
static constexpr int64_t kSampleFrom = 1 << 17;
/// Two steps in this many may be mispredicted for a merge to be foreseen: a
/// step that selects takes about as long as one that branches, and a bit more
/// than a quarter of what a misprediction costs.
static constexpr int64_t kSurpriseRate = 7;
/// One step in this many may be a match for matches to be few: then moving the
/// draft of the matches takes less time than counting them in another merge.
static constexpr int64_t kMatchRate = 4;
/// Merging this many entries with branches instead of selects saves about the
/// time that it takes to compile the variant.
static constexpr int64_t kWorthBranches = 1 << 24;

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// The largest power of two that is not above `number`: it divides evenly among
/// most numbers of threads.
static int64_t powerBelow(int64_t number) {
  int64_t power = 1;
  while (2 * power <= number)
    power *= 2;
  return power;
}

/// The number of parts, if nobody asked for one. It depends on the work alone:
/// sums that are cut come out the same with any number of threads, since the
/// order in which parts are added up does not depend on that.
static int64_t partsFor(int64_t work, bool cutsLists) {
  if (work < kWholeBelow)
    return 1;
  int64_t fewest = kFewestParts;
  if (cutsLists)
    fewest = std::clamp<int64_t>(work / kLeastPartOfList, 2, kFewestParts);
  int64_t most =
      std::clamp(2 * (work / kMostEntriesPerPart), kManyParts, kMostParts);
  return powerBelow(std::clamp(work / kEntriesPerPart, fewest, most));
}

static int64_t serialBelow(const Facts &facts) {
  return facts.sparse > 1 ? kSerialBelow / kPerMerged : kSerialBelow;
}

/// Sets the numbers of threads and parts.
static void chooseWorkers(Choice &choice, int64_t available, bool cutsLists) {
  const Asked &asked = choice.asked;
  choice.isShared = !asked.parts;
  choice.parts =
      choice.isShared ? partsFor(asked.work, cutsLists) : asked.parts;
  choice.threads = asked.threads;
  if (!choice.threads)
    choice.threads = asked.work < serialBelow(choice.facts) ? 1 : available;
  choice.threads = std::min(choice.threads, choice.parts);
}

/// Whether keys are a gain for most operands with this number of indices. Level
/// by level, intersections of matrices skip rows; unions have none to skip.
static bool suitsKeys(unsigned rank, bool intersects) {
  return rank > 2 || !intersects;
}

bool Chooser::wantsOverlap(const Asked &asked, const Facts &facts) const {
  return kernel.intersectsKeys && facts.entries >= kOverlapFrom &&
         !pins.mergeKeys && wantsKeys(asked, facts);
}

bool Chooser::wantsKeys(const Asked &asked, const Facts &facts) const {
  if (!kernel.canMergeKeys || asked.purpose == Purpose::plan ||
      facts.keyBits > kMostBits)
    return false;
  if (pins.mergeKeys)
    return *pins.mergeKeys;
  if (facts.overlap < kLeastOverlap)
    return false;
  if (facts.entries < kWorthKeys)
    return suitsKeys(facts.rank, kernel.intersectsKeys);
  return facts.entries / kLongRow < facts.rows;
}

Choice Chooser::choose(const Asked &asked, const Facts &facts,
                       int64_t available) const {
  Choice choice;
  choice.asked = asked;
  choice.facts = facts;
  chooseWorkers(choice, available, kernel.canMergeKeys);
  choice.variant.mergeKeys = wantsKeys(asked, facts);
  choice.variant.wholeRows = pins.wholeRows.value_or(true);
  choice.variant.heavyRows = pins.heavyRows.value_or(false);
  choice.variant.sortProducts = pins.sortProducts.value_or(false);
  choice.acceptsOnePart = pins.sortProducts.has_value();
  choice.variant.drafts =
      asked.purpose == Purpose::call && pins.drafts.value_or(true);
  choice.variant.branches = pins.branches.value_or(false);
  return choice;
}

/// Heavy rows are computed apart or, if that is not possible, shared by parts.
std::optional<Choice> Chooser::withoutHeavyRows(Choice choice) const {
  if (!choice.variant.heavyRows && pins.heavyRows.value_or(true)) {
    choice.variant.heavyRows = true;
    return choice;
  }
  if (choice.variant.wholeRows)
    return withSharedRows(choice);
  if (choice.acceptsImbalance)
    return std::nullopt;
  choice.acceptsImbalance = true;
  return choice;
}

std::optional<Choice> Chooser::withSharedRows(Choice choice) {
  if (!choice.variant.wholeRows)
    return std::nullopt;
  choice.variant.wholeRows = choice.variant.heavyRows = false;
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
    other.variant.sortProducts = other.acceptsOnePart = true;
    return other;
  case Refusal::counts:
    break;
  }
  if (!choice.variant.drafts)
    return std::nullopt;
  other.variant.drafts = false;
  return other;
}

bool Chooser::wantsSample(bool isUnion, bool isDraft, int64_t cost) const {
  if (isUnion)
    return !pins.branches && cost >= kSampleFrom;
  return isDraft && !pins.drafts;
}

std::optional<Refusal> Chooser::refuseDraft(const Sample &sample) const {
  if (sample.matches * kMatchRate <= sample.steps)
    return std::nullopt;
  return Refusal{Refusal::counts, std::to_string(sample.matches) + " of " +
                                      std::to_string(sample.steps) +
                                      " sampled steps are matches"};
}

/// The rows of several parts together have at most half as many sums as the
/// step costs, so that clearing the rows and adding them up takes less time
/// than scattering.
int64_t Chooser::fixedParts(int64_t cost, int64_t rowSize) {
  return powerBelow(std::min({kMostFixedParts, cost / kLeastFixedCost,
                              cost / 2 / std::max<int64_t>(rowSize, 1)}));
}

bool Chooser::wantsSorting(int64_t cost, int64_t rowSize, int64_t threads) {
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

bool Chooser::isForeseen(const Sample &sample) {
  return sample.surprises * kSurpriseRate <= 2 * sample.steps;
}

bool Chooser::wantsBranches(const Choice &choice, int64_t merged) {
  return choice.sample && isForeseen(*choice.sample) &&
         merged >= kWorthBranches;
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

static std::string counted(int64_t number, const char *singular,
                           const char *plural) {
  return std::to_string(number) + " " + (number == 1 ? singular : plural);
}

/// A ratio with two digits after the point.
static std::string shown(double ratio) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", ratio);
  return text;
}

static const Refusal *find(const Choice &choice, Refusal::Needs needs) {
  for (const Refusal &refusal : choice.refusals)
    if (refusal.needs == needs)
      return &refusal;
  return nullptr;
}

std::string Chooser::describeKeys(const Choice &choice) const {
  const Facts &facts = choice.facts;
  std::string why;
  if (facts.keyBits > kMostBits)
    why = "a key would need " + std::to_string(facts.keyBits) + " bits";
  else if (choice.asked.purpose == Purpose::plan)
    why = "plans have a loop for every index";
  else if (pins.mergeKeys)
    why = "as asked for";
  else if (facts.overlap < kLeastOverlap)
    why = "only " + shown(100 * facts.overlap) +
          " % of the entries have a first coordinate that all operands have";
  else if (facts.entries < kWorthKeys)
    why = counted(facts.rank, "index", "indices") + ", fewer than " +
          std::to_string(kWorthKeys) + " entries";
  else
    why = shown(double(facts.entries) / std::max<int64_t>(facts.rows, 1)) +
          " entries per row";
  if (!choice.variant.mergeKeys)
    return "lists merged level by level: " + why;
  return "lists merged by keys of " + counted(facts.keyBits, "bit", "bits") +
         ": " + why;
}

std::string Chooser::describeRows(const Choice &choice) const {
  const Refusal *heavy = find(choice, Refusal::heavyRows);
  if (choice.variant.heavyRows)
    return "heavy rows entry by entry, others whole: " +
           (heavy ? heavy->reason : "as asked for");
  if (choice.variant.wholeRows)
    return "whole rows: the busiest worker has " + shown(choice.heaviest) +
           " of its share";
  const Refusal *refusal = find(choice, Refusal::splitRows);
  if (!refusal)
    refusal = heavy;
  return "rows shared by parts: " +
         (refusal ? refusal->reason : "as asked for");
}

std::string Chooser::describeProducts(const Choice &choice) const {
  const Refusal *refusal = find(choice, Refusal::sorting);
  return "products are sorted, and added up sum by sum: " +
         (refusal ? refusal->reason : "as asked for");
}

std::string Chooser::describeDraft(const Choice &choice) const {
  if (choice.variant.drafts)
    return "drafts: entries are appended without counting them first";
  const Refusal *refusal = find(choice, Refusal::counts);
  return "entries are counted first: " +
         (refusal ? refusal->reason : "as asked for");
}

std::string Chooser::describeBranches(const Choice &choice) const {
  if (!choice.sample)
    return choice.variant.branches ? "union merged with branches: as asked for"
                                   : "";
  const Sample &sample = *choice.sample;
  std::string of = ": " + std::to_string(sample.surprises) + " of " +
                   std::to_string(sample.steps) +
                   " sampled steps are surprises";
  if (!isForeseen(sample))
    return "union merged with selects" + of;
  return "union merged with branches, once " + std::to_string(kWorthBranches) +
         " entries were merged" + of;
}

std::string Chooser::describeFixedParts(const Choice &choice) {
  if (!choice.fixedParts)
    return "";
  return counted(choice.fixedParts, "part", "parts") + " with " +
         counted(choice.rowSize, "sum", "sums") +
         " each, whatever number is asked for: the sums do not depend on it";
}

/// A choice that was refused, or that the caller has turned off, is described
/// whether or not it would have made a difference.
std::vector<std::string> Chooser::describe(const Choice &choice,
                                           const Program &program) const {
  std::vector<std::string> lines;
  if (kernel.canMergeKeys)
    lines.push_back(describeKeys(choice));
  if (program.hasWholeRows() || pins.wholeRows == false ||
      find(choice, Refusal::splitRows) || find(choice, Refusal::heavyRows))
    lines.push_back(describeRows(choice));
  if (program.makesDrafts() || pins.drafts == false ||
      find(choice, Refusal::counts))
    lines.push_back(describeDraft(choice));
  if (choice.variant.sortProducts)
    lines.push_back(describeProducts(choice));
  lines.push_back(describeFixedParts(choice));
  const std::optional<Step::Merge> &merged = program.last().merged;
  if (merged && merged->isUnion)
    lines.push_back(describeBranches(choice));
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

std::string Chooser::describeWorkers(const Choice &choice) {
  const Asked &asked = choice.asked;
  std::string chosen = std::to_string(choice.parts) + " part(s) on " +
                       std::to_string(choice.threads) + " thread(s) (";
  if (asked.threads || asked.parts)
    return chosen + "as asked for)";
  std::string work = "about " + std::to_string(asked.work) + " entries ";
  std::string limit = std::to_string(serialBelow(choice.facts)) + ")";
  if (asked.work < serialBelow(choice.facts))
    return chosen + "serial: " + work + "< " + limit;
  return chosen + work + ">= " + limit;
}
