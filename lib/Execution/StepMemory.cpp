//===- StepMemory.cpp - The memory of a step ------------------------------===//
//
// The arrays of the result of a step, or of a draft of it, and their sizes;
// what threads need for themselves, and how many parts that leaves.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Abi.h"

#include <new>
#include <stdexcept>

using namespace nacho;

/// The number of positions of a level of the result below `parents` positions
/// of the level above.
int64_t StepPlan::positionsAt(size_t level, int64_t parents) const {
  bool isFull = step->result.levels[level].isFull;
  return isFull ? checkedProduct(parents, sizes[level]) : sizes[level];
}

std::vector<Buffer> StepPlan::allocate() const {
  const char *purpose = step->list == Step::List::none
                            ? "the result"
                            : "a list of what loops visit";
  return allocateFor(purpose, [&] { return allocateArrays(); });
}

std::vector<Buffer> StepPlan::allocateArrays() const {
  std::vector<std::pair<ElementType, int64_t>> arrays = resultArrays();
  std::vector<Buffer> buffers;
  buffers.reserve(arrays.size());
  for (auto [type, length] : arrays)
    buffers.emplace_back(step->device(), type, length);
  return buffers;
}

/// The only array of a dense result, in memory of the caller.
std::vector<Buffer> StepPlan::arrayIn(const Argument &room) const {
  std::vector<std::pair<ElementType, int64_t>> arrays = resultArrays();
  if (arrays.size() != 1 || arrays.front().second != room.size)
    throw std::invalid_argument("the memory for a result has another size");
  std::vector<Buffer> buffers;
  buffers.emplace_back(step->device(), arrays.front().first, room);
  return buffers;
}

std::vector<std::pair<ElementType, int64_t>> StepPlan::resultArrays() const {
  std::vector<std::pair<ElementType, int64_t>> arrays;
  arrays.reserve(step->result.numArrays() + 1);
  int64_t parents = 1;
  for (size_t level = 0; level < step->result.levels.size(); ++level) {
    int64_t entries = positionsAt(level, parents);
    for (const TensorLayout::Array &array : step->result.levels[level].arrays)
      arrays.emplace_back(array.type, array.length(parents, entries));
    parents = entries;
  }
  arrays.emplace_back(step->result.values, parents);
  return arrays;
}

/// Allocates a draft, or refuses: memory may still suffice for the result.
std::optional<Refusal>
StepPlan::allocateDraft(std::vector<Buffer> &draft) const {
  try {
    draft = allocate();
  } catch (const std::bad_alloc &) {
    return Refusal{Refusal::counts, "there is no memory for a draft"};
  }
  return std::nullopt;
}

/// Reduces the sizes of the arrays of a draft to what the draft contains.
void StepPlan::shrink(std::vector<Buffer> &buffers) const {
  auto buffer = buffers.begin();
  for (auto [type, length] : resultArrays())
    (buffer++)->size = length;
}

std::vector<Argument>
StepPlan::arguments(const std::vector<Buffer> &buffers) const {
  size_t rank = step->result.levels.size();
  std::vector<Argument> args;
  args.reserve(buffers.size() + rank);
  for (const Buffer &buffer : buffers)
    args.push_back(buffer.argument());
  for (size_t level = 0; level < rank; ++level)
    args.push_back({nullptr, extentToPass(level)});
  return args;
}

/// The extent of a level of the result, as other steps get it. Levels of a list
/// that have positions in place of coordinates say that these have no bound,
/// but narrow indices bound them.
int64_t StepPlan::extentToPass(size_t level) const {
  int64_t extent = extents()[level];
  return indices == Indices::narrow ? std::min(extent, kLongestNarrow) : extent;
}

int64_t StepPlan::numEntries() const {
  int64_t entries = 1;
  for (size_t level = 0; level < step->result.levels.size(); ++level)
    entries = positionsAt(level, entries);
  return entries;
}

int64_t StepPlan::workspaceBytes() const {
  int64_t bytes = 0;
  for (const WorkspaceMemory &memory : workspaces)
    bytes += memory.numBytesPerThread();
  return bytes;
}

int64_t StepPlan::entryBytes() const {
  int64_t bytes = sizeOf(step->result.values);
  for (const TensorLayout::Level &level : step->result.levels)
    for (const TensorLayout::Array &array : level.arrays)
      bytes += array.perEntry * sizeOf(array.type);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Memory of parts and threads
//===----------------------------------------------------------------------===//

/// The size of the largest array of the operands.
static int64_t mostElements(const std::vector<Argument> &args) {
  int64_t most = 0;
  for (const Argument &arg : args)
    if (arg.data)
      most = std::max(most, arg.size);
  return most;
}

/// The number of entries for which the tables of a device's many threads have
/// room at first.
static constexpr int64_t kDeviceTableEntries = 256;
/// The fewest threads of a device with workspaces, whatever memory these take.
static constexpr int64_t kLeastDeviceThreads = 32;

/// The number of threads of a device whose workspaces do not take too much
/// memory, or most of what the call has left.
int64_t StepPlan::threadsWithWorkspaces(int64_t threads) const {
  int64_t bytes = step->device().workspaceBytes();
  if (bytes == 0 || workspaces.empty())
    return threads;
  if (MemoryBudget *budget = Spending::current().get())
    bytes = std::min(bytes, budget->left() / 2);
  int64_t most = bytes / std::max<int64_t>(workspaceBytes(), 1);
  return std::min(threads, std::max(most, kLeastDeviceThreads));
}

/// The largest extent of a level that has coordinates. The host also looks at
/// lists, but for levels that have no bound; see extentToPass().
int64_t StepPlan::widestExtent(const std::vector<Argument> &args) const {
  int64_t widest = 1;
  bool isHost = step->device().isHost();
  for (size_t input = 0; input < step->operands.size(); ++input) {
    size_t first = step->extentOf(input, 0);
    size_t last = first + step->operands[input].levels.size();
    bool isList = step->inputs[input].isList;
    for (size_t n = first; n < last; ++n)
      if (!isList || (isHost && args[n].size < kLongestNarrow))
        widest = std::max(widest, args[n].size);
  }
  return widest;
}

/// Chooses the first sizes of the workspaces by the operands. The workspace of
/// the result is fitted to its extent later, in fill(), because the extent is
/// not known yet.
void StepPlan::sizeWorkspaces(const std::vector<Argument> &args) {
  bool isHost = step->device().isHost();
  int64_t most = isHost ? mostElements(args)
                        : std::min(mostElements(args), kDeviceTableEntries);
  // All marks would take longer to clear than a small result takes to compute.
  int64_t widest = widestExtent(args);
  for (WorkspaceMemory &memory : workspaces)
    memory.fitMarks(widest);
  auto memory = workspaces.begin();
  WorkspaceMemory *sums = step->scattered ? &*memory++ : nullptr;
  if (sums)
    sums->expectEntries(most);
  for (const Step::OperandLevel &table : step->tables) {
    size_t extents = step->extentOf(table.input, 0);
    int64_t extent = args[extents + table.level].size;
    memory->expectEntries(isHost ? args[extents - 1].size : most);
    if (isHost)
      memory->coverExtent(extent);
    else
      memory->expectExtent(extent);
    // The result may have no other coordinates than the table.
    if (isHost && sums)
      sums->coverExtent(extent);
    ++memory;
  }
}

/// Each part fills the table of a vector anew. The most parts with which that
/// does not take longer than the rest of their work.
int64_t StepPlan::partsWithTables(const std::vector<Argument> &args) const {
  int64_t most = parts;
  for (const Step::OperandLevel &table : step->tables) {
    if (table.level > 0)
      continue;
    size_t array = step->coordinatesOf(table.input, table.level).array;
    most = std::min(
        most, Chooser::partsWithTable(mostElements(args), args[array].size));
  }
  return most;
}

/// The most parts of which each may have rows of sums that it shares with its
/// neighbours.
int64_t StepPlan::partsWithRows() const {
  if (step->partials.empty() || step->hasFixedParts)
    return parts;
  return Chooser::partsWithRows(mostEntries(), step->partialRows * rowSize());
}

/// The parts that are worth their counts with an entry per bucket or more.
static constexpr int64_t kFewParts = 2;

/// The parts of each thread, unless parts were asked for, so that a thread that
/// is late has less to do; a single thread has one, and one row of counts.
static constexpr int64_t kBucketPartsPerThread = 2;

/// Makes room for the counts of all buckets. The counts of all parts are few
/// compared to the entries, so there are fewer parts than asked for if there
/// are many buckets; the result is the same for any parts.
void StepPlan::sizeBuckets(const std::vector<Argument> &args, int64_t threads) {
  if (!step->buckets)
    return;
  auto [input, level] = *step->buckets;
  int64_t extent = args[step->extentOf(input, level)].size;
  int64_t perBucket = mostElements(args) / std::max<int64_t>(extent, 1);
  if (isShared)
    parts = std::min(parts, threads > 1 ? kBucketPartsPerThread * threads : 1);
  parts = std::min(parts,
                   std::max<int64_t>(perBucket / 4, perBucket ? kFewParts : 1));
  buckets = allocateFor("the counts of the rows of a transposition", [&] {
    return Buffer(step->device(), step->bucketType(),
                  checkedProduct(2 * parts, extent));
  });
}
