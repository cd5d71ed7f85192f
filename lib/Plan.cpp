//===- Plan.cpp - One kernel on one set of operands -----------------------===//

#include "nacho/Plan.h"

#include "Foresight.h"
#include "nacho/Runtime.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <queue>
#include <utility>

using namespace nacho;

size_t nacho::sizeOf(ElementType type) {
  // In the order of the enumeration.
  static const size_t sizes[] = {1, 1, 1, 2, 4, 8, 4, 8, 8, 16};
  return sizes[static_cast<int>(type)];
}

/// x * y, or no memory for so much.
static int64_t checkedProduct(int64_t x, int64_t y) {
  int64_t product;
  if (__builtin_mul_overflow(x, y, &product))
    throw std::bad_alloc();
  return product;
}

static void checkStatus(int32_t status) {
  if (status & kNoMemory)
    throw std::bad_alloc();
  if (status & kCoordinateOutOfRange)
    throw CoordinateOutOfRange("coordinate-out-of-range: a coordinate of an "
                               "operand is outside its extent");
  if (status & kRowTooWide)
    throw RowsTooHeavy();
  if (status & kDraftFull)
    throw DraftTooLarge();
  if (status & kOperandsChanged)
    throw OperandsChanged();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Buffer::Buffer(ElementType type, int64_t size)
    : type(type), size(size),
      data(allocateBuffer(checkedProduct(size, sizeOf(type)))) {}

Buffer::Buffer(Buffer &&other) noexcept
    : type(other.type), size(other.size), data(other.take()) {}

Buffer::~Buffer() {
  if (data)
    releaseBuffer(data);
}

void *Buffer::take() { return std::exchange(data, nullptr); }

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/// Places of a workspace before anything is known of the operands; and up to
/// which extent every coordinate has one.
static constexpr int64_t kFirstPlaces = 1 << 18;
static constexpr int64_t kDensePlaces = Workspace::kDensePlaces;
/// A word of marks has a bit for each.
static constexpr int64_t kLeastPlaces = 64;

static int64_t powerOfTwo(int64_t least) {
  int64_t power = kLeastPlaces;
  while (power < least)
    power = checkedProduct(power, 2);
  return power;
}

void WorkspaceMemory::limitTo(int64_t entries) {
  places = std::max(places, std::min(kFirstPlaces, powerOfTwo(2 * entries)));
}

void WorkspaceMemory::coverExtent(int64_t extent) {
  // Of a table with keys one place has to stay free.
  int64_t least = layout.keys ? extent + 1 : extent;
  if (least <= kDensePlaces)
    places = powerOfTwo(least);
}

void WorkspaceMemory::grow() {
  if (layout.keys)
    places = checkedProduct(places, 8);
}

Workspace WorkspaceMemory::prepare(int64_t threads, bool hasElements) {
  int64_t rows = std::max<int64_t>(threads, 1);
  if (made.places != places || made.rows < rows) {
    made = Workspace();
    elements.reset();
    made.rows = rows;
    made.places = places;
    made.marked = layout.keys ? places : kDensePlaces;
    marks.emplace(ElementType::i64, rows * Workspace::wordsFor(made.marked));
    made.marks = static_cast<int64_t *>(marks->data);
    std::memset(marks->data, 0, marks->numBytes());
    if (layout.keys) {
      keys.emplace(*layout.keys, checkedProduct(rows, places));
      made.keys = keys->data;
      std::memset(keys->data, -1, keys->numBytes());
    }
  }
  Workspace workspace = made;
  if (hasElements) {
    if (!elements)
      elements.emplace(layout.elements, made.rows * places);
    workspace.sums = elements->data;
  }
  return workspace;
}

int64_t WorkspaceMemory::numBytesPerThread() const {
  int64_t bytes = places * sizeOf(layout.elements) +
                  Workspace::wordsFor(made.marked) * sizeOf(ElementType::i64);
  return bytes + (layout.keys ? places * sizeOf(*layout.keys) : 0);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// With less work than that it is not worth asking.
static constexpr int64_t kForeseeFrom = 1 << 17;

StepPlan::StepPlan(const Step &step, int64_t parts, int64_t workers)
    : step(&step), parts(parts), workers(workers),
      bounds((parts + 1) * step.boundColumns) {
  for (const WorkspaceLayout &layout : step.workspaces())
    workspaces.emplace_back(layout);
}

/// What the operands tell of how large workspaces should be. Extents of results
/// are only known later.
void StepPlan::sizeWorkspaces(const std::vector<Argument> &args) {
  auto memory = workspaces.begin();
  if (step->scattered) {
    int64_t entries = 0;
    for (const Argument &arg : args)
      if (arg.data)
        entries = std::max(entries, arg.size);
    memory++->limitTo(entries);
  }
  for (const Step::Table &table : step->tables) {
    size_t extents = step->extentOf(table.input, 0);
    memory->limitTo(args[extents - 1].size);
    memory++->coverExtent(args[extents + table.level].size);
  }
}

/// Calls with workspaces, one per thread, until they are large enough.
template <typename F>
void StepPlan::callWithWorkspaces(int64_t threads, bool hasSums, F f) {
  while (true) {
    std::vector<Workspace> prepared;
    for (size_t n = 0; n < workspaces.size(); ++n) {
      bool isSums = n == 0 && step->scattered;
      prepared.push_back(workspaces[n].prepare(threads, hasSums || !isSums));
    }
    int32_t status = f(prepared);
    checkStatus(status);
    if (!(status & kWorkspaceFull))
      return;
    for (WorkspaceMemory &memory : workspaces)
      memory.grow();
  }
}

void StepPlan::partition(const std::vector<Argument> &args, int64_t within,
                         int64_t threads) {
  step->partition(args, bounds.data(), parts, within, threads);
  if (within == parts)
    checkBalance();
}

void StepPlan::plan(const std::vector<Argument> &args, int64_t threads) {
  std::vector<int64_t> counts(step->isDraft ? 0 : parts * step->countColumns);
  offsets.resize((parts + 1) * step->countColumns);
  sizes.resize(step->numSizes());
  sizeWorkspaces(args);
  // Rows that are too heavy need not be counted to be refused.
  if (step->hasWholeRows && !step->isDraft)
    partition(args, parts, threads);
  callWithWorkspaces(
      threads, /*hasSums=*/false, [&](const std::vector<Workspace> &prepared) {
        return step->plan(args, bounds.data(), counts.data(), offsets.data(),
                          sizes.data(), prepared, parts, threads);
      });
  if (step->isDraft) {
    checkBalance();
    checkDraft();
  }
  checkIndexTypes();
  isForeseen = (alwaysBranches() || total() >= kForeseeFrom) &&
               canForesee(*step, args, bounds, parts);
}

static std::vector<Argument> argumentsOf(const std::vector<Buffer> &buffers) {
  std::vector<Argument> args;
  for (const Buffer &buffer : buffers)
    args.push_back(buffer.argument());
  return args;
}

std::vector<Buffer> StepPlan::execute(const Step &by,
                                      const std::vector<Argument> &args,
                                      int64_t threads) {
  if (!step->isDraft) {
    std::vector<Buffer> made = allocate();
    fill(by, args, argumentsOf(made), threads);
    return made;
  }
  std::vector<Buffer> made = allocateDraft();
  counts.resize(parts * step->countColumns);
  moved.resize((parts + 1) * step->countColumns);
  fill(by, args, argumentsOf(made), threads);
  // One part has left nothing free but at the end.
  if (parts == 1 && !step->isSorted && total() / 2 <= numEntries()) {
    shrink(made);
    return made;
  }
  std::vector<Buffer> compacted = allocate();
  checkStatus(by.compact(args, bounds.data(), offsets.data(), moved.data(),
                         argumentsOf(made), argumentsOf(compacted), parts,
                         threads));
  return compacted;
}

void StepPlan::executeAgain(const std::vector<Argument> &args,
                            const std::vector<Buffer> &results,
                            int64_t threads) {
  fill(*step, args, argumentsOf(results), threads);
}

void StepPlan::fill(const Step &by, const std::vector<Argument> &args,
                    const std::vector<Argument> &results, int64_t threads) {
  // A dense result without entries needs no work, nor memory for it.
  if (!step->countColumns && !numEntries())
    return;
  int64_t rowSize = sizes[step->rowSizeAt()];
  int64_t rows = step->partials.empty() ? 0 : 2 * parts;
  std::vector<Buffer> memory;
  std::vector<void *> partials;
  for (ElementType type : step->partials) {
    memory.emplace_back(type, checkedProduct(rows, rowSize));
    partials.push_back(memory.back().data);
  }
  std::vector<int64_t> visited(rows + 1);
  if (step->scattered)
    workspaces.front().coverExtent(
        sizes[step->result.levels.size() + 1 + *step->scattered]);
  callWithWorkspaces(
      threads, /*hasSums=*/true, [&](const std::vector<Workspace> &prepared) {
        return by.execute(args, bounds.data(), offsets.data(),
                          {counts.data(), moved.data(), sizes.data()}, results,
                          partials, visited.data(), rowSize, prepared, parts,
                          threads);
      });
}

/// Whole rows may cost a part an eighth more than its share. Workers that take
/// the next part when they are done with one may take twice their share: rows
/// that several have a part of are twice to three times as much work.
void StepPlan::checkBalance() const {
  if (!step->hasWholeRows)
    return;
  int64_t share = total() / workers;
  int64_t most = workers < parts ? 2 * share : share + share / 8;
  int64_t columns = step->boundColumns;
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<int64_t>>
      busy{std::greater<int64_t>(), std::vector<int64_t>(workers)};
  for (int64_t part = 0; part < parts; ++part) {
    int64_t cost = bounds[(part + 1) * columns] - bounds[part * columns];
    int64_t done = busy.top() + cost;
    if (done > most + 8)
      throw RowsTooHeavy();
    busy.pop();
    busy.push(done);
  }
}

std::vector<Buffer> StepPlan::allocate() const {
  std::vector<Buffer> buffers;
  int64_t parents = 1;
  for (size_t level = 0; level < step->result.levels.size(); ++level) {
    const TensorLayout::Level &layout = step->result.levels[level];
    if (layout.hasPositions)
      buffers.emplace_back(layout.positions, parents + 1);
    if (layout.hasCoordinates)
      buffers.emplace_back(layout.coordinates, sizes[level]);
    parents = positionsAt(level, parents);
  }
  buffers.emplace_back(step->result.values, parents);
  return buffers;
}

/// Who has no room for a draft may have room for the result.
std::vector<Buffer> StepPlan::allocateDraft() const {
  try {
    return allocate();
  } catch (const std::bad_alloc &) {
    throw DraftTooLarge();
  }
}

/// From what a draft has room for to what is in it.
void StepPlan::shrink(std::vector<Buffer> &buffers) const {
  auto buffer = buffers.begin();
  for (size_t level = 0; level < step->result.levels.size(); ++level) {
    const TensorLayout::Level &layout = step->result.levels[level];
    buffer += layout.hasPositions;
    if (layout.hasCoordinates)
      (buffer++)->size = sizes[level];
  }
  buffer->size = numEntries();
}

std::vector<Argument>
StepPlan::arguments(const std::vector<Buffer> &buffers) const {
  std::vector<Argument> args;
  for (const Buffer &buffer : buffers)
    args.push_back(buffer.argument());
  size_t rank = step->result.levels.size();
  for (size_t level = 0; level < rank; ++level)
    args.push_back({nullptr, sizes[rank + 1 + level]});
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
  for (const TensorLayout::Level &layout : step->result.levels)
    if (layout.hasCoordinates)
      bytes += sizeOf(layout.coordinates);
  return bytes;
}

int64_t StepPlan::total() const {
  return bounds[parts * step->boundColumns] - bounds[0];
}

/// The number of positions of a level, under so many parents.
int64_t StepPlan::positionsAt(size_t level, int64_t parents) const {
  bool isDense = !step->result.levels[level].hasCoordinates;
  return isDense ? checkedProduct(parents, sizes[level]) : sizes[level];
}

/// Memory that is not written to is not taken, but huge pages are taken whole,
/// and what is written is there twice for a while.
static constexpr int64_t kLargestDraft = int64_t(1) << 30;

void StepPlan::checkDraft() const {
  for (const TensorLayout::Level &layout : step->result.levels)
    if (layout.hasPositions && layout.positions == ElementType::i32 &&
        total() > std::numeric_limits<int32_t>::max())
      throw DraftTooLarge();
  if (total() > kLargestDraft / entryBytes())
    throw DraftTooLarge();
  // Operands that are edited meanwhile can make a cut of anything.
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t *cut = &bounds[part * step->boundColumns];
    const int64_t *next = cut + step->boundColumns;
    size_t depth = step->order.size();
    if (cut[0] > next[0] ||
        std::lexicographical_compare(next + 1, next + 1 + depth, cut + 1,
                                     cut + 1 + depth))
      throw DraftTooLarge();
  }
}

/// Positions count up to the number of entries of their level.
void StepPlan::checkIndexTypes() const {
  for (size_t level = 0; level < step->result.levels.size(); ++level) {
    const TensorLayout::Level &layout = step->result.levels[level];
    if (layout.hasPositions && layout.positions == ElementType::i32 &&
        sizes[level] > std::numeric_limits<int32_t>::max())
      throw IndexOverflow("index-overflow: the result has " +
                          std::to_string(sizes[level]) +
                          " entries, more than 32-bit positions can count");
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The number of elements, or the extent, of every argument.
static std::vector<int64_t> sizesOf(const std::vector<Argument> &args) {
  std::vector<int64_t> sizes;
  for (const Argument &arg : args)
    sizes.push_back(arg.size);
  return sizes;
}

int64_t Plan::listBytes(size_t step) const {
  int64_t bytes = 0;
  for (const Buffer &buffer : results[step])
    bytes += buffer.numBytes();
  return bytes;
}

Plan::Plan(std::shared_ptr<const Kernel> kernel, int64_t parts, int64_t workers)
    : kernel(std::move(kernel)), parts(parts), workers(workers) {
  startSteps();
}

void Plan::startSteps() {
  steps.clear();
  for (const Step &step : kernel->steps)
    steps.emplace_back(step, parts, workers);
}

std::vector<Argument>
Plan::argumentsOf(const Step &step, const std::vector<Argument> &args) const {
  std::vector<size_t> begins = {0};
  for (const TensorLayout &operand : kernel->operands)
    begins.push_back(begins.back() + operand.numArguments());
  std::vector<Argument> found;
  for (const StepInput &input : step.inputs) {
    if (input.isStep) {
      std::vector<Argument> made =
          steps[input.index].arguments(results[input.index]);
      found.insert(found.end(), made.begin(), made.end());
    } else {
      found.insert(found.end(), args.begin() + begins[input.index],
                   args.begin() + begins[input.index + 1]);
    }
  }
  return found;
}

/// Everything that the last step needs.
void Plan::planInner(const std::vector<Argument> &args, int64_t threads) {
  results.clear();
  for (size_t n = 0; n + 1 < steps.size(); ++n) {
    std::vector<Argument> inputs = argumentsOf(*steps[n].step, args);
    steps[n].plan(inputs, threads);
    results.push_back(steps[n].execute(*steps[n].step, inputs, threads));
  }
}

/// Counts if what does not count is not for these operands.
template <typename F>
void Plan::draftOrCount(F f) {
  try {
    f();
  } catch (const DraftTooLarge &) {
    kernel = kernel->counting();
    startSteps();
    f();
  }
}

void Plan::partition(const std::vector<Argument> &args, int64_t inner,
                     int64_t threads) {
  draftOrCount([&] { planInner(args, threads); });
  StepPlan &target = steps.back();
  std::vector<Argument> inputs = argumentsOf(*target.step, args);
  int64_t parts = target.parts, columns = target.step->boundColumns;
  if (inner == 1 || inner == parts)
    return target.partition(inputs, parts, threads);
  StepPlan outer(*target.step, parts / inner, parts / inner);
  outer.partition(inputs, outer.parts, threads);
  for (int64_t row = 0; row <= outer.parts; ++row)
    std::copy_n(outer.bounds.begin() + row * columns, columns,
                target.bounds.begin() + row * inner * columns);
  target.partition(inputs, inner, threads);
}

void Plan::plan(const std::vector<Argument> &args, int64_t threads) {
  draftOrCount([&] { planSteps(args, threads); });
}

std::vector<Buffer> Plan::execute(const std::vector<Argument> &args,
                                  bool isPlanned, int64_t threads) {
  auto isDraft = [](const Step &step) { return step.isDraft; };
  if (std::any_of(kernel->steps.begin(), kernel->steps.end(), isDraft) &&
      (!isPlanned || isSpent.exchange(true)))
    throw std::logic_error("a plan without counts can be executed once");
  std::vector<Buffer> made;
  bool isAgain = false;
  draftOrCount([&] {
    if (std::exchange(isAgain, true))
      planSteps(args, threads);
    made = executeSteps(args, isPlanned, threads);
  });
  return made;
}

void Plan::planSteps(const std::vector<Argument> &args, int64_t threads) {
  planInner(args, threads);
  std::vector<Argument> inputs = argumentsOf(kernel->last(), args);
  StepPlan &last = steps.back();
  last.plan(inputs, threads);
  planned = sizesOf(args);
  if (last.step->isDraft &&
      !hasFewMatches(*last.step, inputs, last.bounds, last.parts))
    throw DraftTooLarge();
}

std::vector<Buffer> Plan::executeSteps(const std::vector<Argument> &args,
                                       bool isPlanned, int64_t threads) {
  if (sizesOf(args) != planned)
    throw OperandsChanged();
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  if (steps.size() > 1 || !kernel->last().workspaces().empty())
    lock.lock();
  for (size_t n = 0; n < steps.size(); ++n) {
    bool isLast = n + 1 == steps.size();
    if (!isLast && isPlanned)
      continue;
    std::vector<Argument> inputs = argumentsOf(*steps[n].step, args);
    if (!isLast) {
      steps[n].executeAgain(inputs, results[n], threads);
      continue;
    }
    const Kernel &by =
        steps[n].isForeseen ? kernel->branching(steps[n].total()) : *kernel;
    return steps[n].execute(by.steps[n], inputs, threads);
  }
  return {};
}
