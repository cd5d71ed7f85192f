//===- InTurn.cpp - Results to which parts move their entries in turn -----===//
//
// The draft of a union is nearly all of its result. So each thread has a draft
// for one part, which a cache holds, and the result has room for all entries
// that operands have together: memory that is not written costs nothing.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Processors.h"

#include <algorithm>

using namespace nacho;

/// The bytes of a draft: with what a part reads, they fit into the cache that a
/// processor has to itself.
static constexpr int64_t kDraftBytes = 192 << 10;
static constexpr int64_t kMostPartsInTurn = 1 << 14;

/// Makes so many parts that their drafts are small, if the lengths of operands
/// tell how many.
void StepPlan::refineParts(const std::vector<Argument> &args) {
  std::optional<std::vector<int64_t>> most = step->boundByLengths(args);
  if (!most)
    return;
  size_t last = step->result.levels.size() - 1;
  int64_t drafts = (*most)[last] / (kDraftBytes / entryBytes()) + 1;
  if (drafts > parts)
    divide(std::min(drafts, kMostPartsInTurn));
}

/// Rows cost as much as some entries, but append nothing: lengths may bound a
/// result better than its cost.
void StepPlan::boundByLengths(const std::vector<Argument> &args) {
  if (std::optional<std::vector<int64_t>> most = step->boundByLengths(args))
    for (size_t level = 0; level < step->result.levels.size(); ++level)
      sizes[level] = std::min(sizes[level], (*most)[level]);
}

/// Allocates drafts for the parts of all threads. Positions need none, of which
/// each is written by one part.
std::vector<Buffer> StepPlan::makeDrafts(int64_t threads) const {
  HostView<int64_t> begins = offsets.read();
  size_t columns = step->countColumns;
  int64_t room = 0;
  for (size_t at = 2 * columns - 1; at < begins.size(); at += columns)
    room = std::max(room, begins[at] - begins[at - columns]);
  int64_t entries = checkedProduct(room, threads);
  std::vector<Buffer> drafts;
  for (const TensorLayout::Level &level : step->result.levels)
    for (const TensorLayout::Array &array : level.arrays)
      drafts.emplace_back(
          step->device(), array.type,
          array.holdsPositions ? 0 : checkedProduct(array.perEntry, entries));
  drafts.emplace_back(step->device(), step->result.values, entries);
  return drafts;
}

std::optional<Refusal>
StepPlan::executeInTurn(const Step &by, const std::vector<Argument> &args,
                        std::vector<Buffer> &made, int64_t threads) {
  // Threads without a processor keep others waiting for their turn.
  threads = std::min({threads, parts, countProcessors()});
  std::vector<Buffer> drafts;
  try {
    made = allocate();
    if (parts > 1)
      drafts = makeDrafts(threads);
  } catch (const std::bad_alloc &) {
    // Whoever counts needs the memory.
    made.clear();
    return Refusal{Refusal::counts, "there is no memory for a draft"};
  }
  Numbers<int64_t> moved(step->device(), (parts + 1) * step->countColumns);
  Numbers<int64_t> found(step->device(), step->numSizes());
  Step::Drafted drafted = {/*counts=*/nullptr, moved.data(), found.data()};
  for (const Buffer &buffer : parts > 1 ? drafts : made)
    drafted.drafts.push_back(buffer.argument());
  if (auto refusal = fill(by, args, argumentsOf(made), drafted, threads)) {
    made.clear();
    return refusal;
  }
  HostView<int64_t> numbers = found.read();
  sizes.assign(numbers.begin(), numbers.end());
  fit(made);
  return std::nullopt;
}
