//===- ChoiceText.cpp - Choices explained in words ------------------------===//

#include "Thresholds.h"
#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/Program.h"

#include <algorithm>
#include <cstdio>

using namespace nacho;

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
  else if (pins.merge.isSet())
    why = "as asked for";
  else if (kernel.entriesPerPart)
    why = "the parts of a tile read all of its entries";
  else if (facts.overlap < kLeastOverlap)
    why = "only " + shown(100 * facts.overlap) +
          " % of the entries have a first coordinate that all operands have";
  else if (facts.entries < kWorthKeys)
    why = "fewer than " + std::to_string(kWorthKeys) + " entries";
  else
    why = shown(double(facts.entries) / std::max<int64_t>(facts.rows, 1)) +
          " entries per row";
  if (choice.variant.merge == Merge::levels)
    return "lists merged level by level: " + why;
  return "lists merged by keys of " + counted(facts.keyBits, "bit", "bits") +
         ": " + why;
}

std::string Chooser::describeRows(const Choice &choice) const {
  const Refusal *heavy = find(choice, Refusal::heavyRows);
  if (choice.variant.rows >= Rows::pieces)
    return "heavy rows in pieces, by columns: " +
           (heavy ? heavy->reason : "as asked for");
  if (choice.variant.rows == Rows::heavyApart)
    return "heavy rows entry by entry, others whole: " +
           (heavy ? heavy->reason : "as asked for");
  if (choice.variant.rows == Rows::whole)
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
  if (choice.variant.fill != Fill::counted)
    return "drafts: entries are appended without counting them first";
  const Refusal *refusal = find(choice, Refusal::counts);
  return "entries are counted first: " +
         (refusal ? refusal->reason : "as asked for");
}

std::string Chooser::describeBranches(const Choice &choice) const {
  if (!choice.sample)
    return choice.variant.branching == Branching::branches
               ? "union merged with branches: as asked for"
               : "";
  const Sample &sample = *choice.sample;
  std::string of = ": a processor would guess " +
                   std::to_string(sample.surprises) + " of " +
                   std::to_string(sample.steps) + " sampled branches wrongly";
  if (!isForeseen(sample))
    return "union merged with selects" + of;
  return "union merged with branches, once " + std::to_string(kWorthBranches) +
         " entries were merged" + of;
}

std::string Chooser::describeTransposed(const Choice &choice) const {
  std::string text = choice.variant.dense == Dense::transposed
                         ? "dense operands transposed: "
                         : "dense operands not transposed: ";
  if (pins.dense.isSet())
    return text + "as asked for";
  if (choice.asked.memory)
    return text + "memory is limited";
  return text + counted(choice.facts.stored, "entry", "entries") + " for " +
         counted(choice.facts.transposedRows, "row", "rows");
}

std::string Chooser::describeIndices(const Choice &choice) const {
  if (!kernel.entriesPerPart || choice.variant.indices == Indices::narrow)
    return "";
  const Refusal *refusal = find(choice, Refusal::wideIndices);
  std::string why =
      refusal ? refusal->reason
      : pins.indices.isSet()
          ? "as asked for"
          : "a length or an extent of " + std::to_string(choice.facts.longest);
  return "indices of 64 bits in kernels: " + why;
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
  if (program.hasWholeRows() || !pins.rows.allows(Rows::whole) ||
      find(choice, Refusal::splitRows) || find(choice, Refusal::heavyRows))
    lines.push_back(describeRows(choice));
  if (program.makesDrafts() || !pins.fill.allows(Fill::drafted) ||
      find(choice, Refusal::counts))
    lines.push_back(describeDraft(choice));
  if (choice.variant.products == Products::sorted)
    lines.push_back(describeProducts(choice));
  if (!kernel.transposed.empty())
    lines.push_back(describeTransposed(choice));
  lines.push_back(describeIndices(choice));
  lines.push_back(describeFixedParts(choice));
  const std::optional<Step::Merge> &merged = program.last().merged;
  if (merged && merged->isUnion)
    lines.push_back(describeBranches(choice));
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

std::string Chooser::describeWorkers(const Choice &choice,
                                     bool areProducts) const {
  const Asked &asked = choice.asked;
  areProducts = areProducts && !kernel.entriesPerPart;
  std::string work = (areProducts ? "computes about " : "reads about ") +
                     std::to_string(asked.work) +
                     (areProducts ? " products" : " entries");
  if (choice.rows)
    work += " and " + counted(choice.rows, "row", "rows");
  std::string chosen = std::to_string(choice.parts) + " part(s)";
  if (kernel.entriesPerPart)
    return chosen + (asked.parts ? " (as asked for)"
                                 : " (" + work + ", " +
                                       std::to_string(kernel.entriesPerPart) +
                                       " for each part)");
  chosen += " on " + std::to_string(choice.threads) + " thread(s) (";
  if (asked.threads || asked.parts)
    return chosen + "as asked for)";
  work += " ";
  std::string limit = std::to_string(kSerialBelow) + ")";
  if (choice.cost)
    return chosen + work + "and costs " + std::to_string(choice.cost) +
           " >= " + std::to_string(kSharedFrom) + ")";
  if (choice.facts.isCrowded && asked.work < kAloneBelow)
    return chosen + "serial: no other processor is idle)";
  if (asked.work < kSerialBelow)
    return chosen + "serial: " + work + "< " + limit;
  return chosen + work + ">= " + limit;
}
