//===- StepMemory.cpp - The memory of a step ------------------------------===//
//
// The arrays of the result of a step, or of a draft of it, and their sizes.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/Plan.h"

#include <new>

using namespace nacho;

/// The number of positions of a level of the result below `parents` positions
/// of the level above.
int64_t StepPlan::positionsAt(size_t level, int64_t parents) const {
  bool isFull = step->result.levels[level].isFull;
  return isFull ? checkedProduct(parents, sizes[level]) : sizes[level];
}

std::vector<Buffer> StepPlan::allocate() const {
  const char *purpose =
      step->isList ? "a list of what loops visit" : "the result";
  return allocateFor(purpose, [&] { return allocateArrays(); });
}

std::vector<Buffer> StepPlan::allocateArrays() const {
  std::vector<Buffer> buffers;
  Device &device = step->device();
  int64_t parents = 1;
  for (size_t level = 0; level < step->result.levels.size(); ++level) {
    int64_t entries = positionsAt(level, parents);
    for (const TensorLayout::Array &array : step->result.levels[level].arrays)
      buffers.emplace_back(device, array.type, array.length(parents, entries));
    parents = entries;
  }
  buffers.emplace_back(device, step->result.values, parents);
  return buffers;
}

/// Where memory does not suffice for the draft, it may suffice for the result.
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
  int64_t parents = 1;
  for (size_t level = 0; level < step->result.levels.size(); ++level) {
    int64_t entries = positionsAt(level, parents);
    for (const TensorLayout::Array &array : step->result.levels[level].arrays)
      (buffer++)->size = array.length(parents, entries);
    parents = entries;
  }
  buffer->size = parents;
}

std::vector<Argument>
StepPlan::arguments(const std::vector<Buffer> &buffers) const {
  size_t rank = step->result.levels.size();
  std::vector<Argument> args;
  args.reserve(buffers.size() + rank);
  for (const Buffer &buffer : buffers)
    args.push_back(buffer.argument());
  for (size_t level = 0; level < rank; ++level)
    args.push_back({nullptr, extents()[level]});
  return args;
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
