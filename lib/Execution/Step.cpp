//===- Step.cpp - Calls of the functions of a step ------------------------===//

#include "nacho/Execution/Step.h"
#include "nacho/Runtime/Abi.h"

#include <array>

using namespace nacho;

const char *nacho::nameOf(Phase phase) {
  static const char *const names[kNumPhases] = {
      "partition", "plan", "execute", "compact", "run",    "assemble",
      "scan",      "fill", "clear",   "compute", "combine"};
  return names[static_cast<size_t>(phase)];
}

/// A call of a function of a step, built by adding its parameters in order.
class Step::Call {
public:
  /// `maxBuffers` bounds the number of memref parameters: their descriptors
  /// must not move, since words hold their addresses. There are fewer integers.
  Call(const Step &step, size_t maxBuffers) : step(step) {
    if (maxBuffers <= kFew)
      return;
    manyDescriptors.resize(maxBuffers);
    manyWords.resize(2 * maxBuffers);
    descriptor = manyDescriptors.data();
    word = words = manyWords.data();
  }
  Call(const Call &) = delete;

  void addInteger(int64_t value) { *word++ = value; }

  void addScalar(void *data) { addDescriptor({asWord(data), asWord(data), 0}); }

  void addVector(void *data, int64_t size) {
    addDescriptor({asWord(data), asWord(data), 0, size, 1});
  }

  void addRows(void *data, int64_t rows, int64_t columns) {
    addDescriptor({asWord(data), asWord(data), 0, rows, columns, columns, 1});
  }

  void addOperands(const std::vector<TensorLayout> &layouts,
                   const std::vector<Argument> &args) {
    const Argument *arg = args.data();
    for (const TensorLayout &layout : layouts) {
      if (layout.levels.empty()) {
        addScalar((arg++)->data);
        continue;
      }
      size_t extents = layout.levels.size();
      for (size_t n = layout.numArguments() - extents; n > 0; --n, ++arg)
        addVector(arg->data, arg->size);
      for (size_t n = 0; n < extents; ++n, ++arg)
        addInteger(arg->size);
    }
  }

  void addGuard(Guard guard) {
    addInteger(guard.excess);
    addScalar(guard.earlier);
  }

  void addWorkspace(const Workspace &workspace) {
    if (workspace.keys)
      addRows(workspace.keys, workspace.rows, workspace.places);
    addRows(workspace.marks, workspace.rows, workspace.markWords);
    if (workspace.sums)
      addRows(workspace.sums, workspace.rows, workspace.places);
  }

  /// Adds the last parameter, the number of threads, and calls the function.
  void run(Phase phase, int64_t threads) {
    addInteger(threads);
    step.executable->call(step.number, phase, words);
  }

  /// Calls a function whose last parameters are a status and the number of
  /// threads. Returns the status: bits that say what went wrong.
  int32_t runWithStatus(Phase phase, int64_t threads) {
    Numbers<int32_t> status(step.device(), 1);
    addScalar(status.data());
    run(phase, threads);
    return status.read()[0];
  }

private:
  using Descriptor = std::array<int64_t, 7>;

  static int64_t asWord(void *data) { return reinterpret_cast<int64_t>(data); }

  void addDescriptor(const Descriptor &added) {
    *descriptor = added;
    addInteger(asWord((descriptor++)->data()));
  }

  const Step &step;
  /// Few parameters need no memory to be allocated, which would take longer
  /// than a small call.
  static constexpr size_t kFew = 32;
  Descriptor fewDescriptors[kFew];
  int64_t fewWords[2 * kFew];
  std::vector<Descriptor> manyDescriptors;
  std::vector<int64_t> manyWords;
  Descriptor *descriptor = fewDescriptors; ///< The next one.
  int64_t *words = fewWords, *word = words;
};

/// The type of the keys of a workspace for coordinates of a type.
static ElementType keyType(ElementType coordinate) {
  bool isNarrow =
      coordinate == ElementType::i8 || coordinate == ElementType::i16;
  return isNarrow ? ElementType::i32 : coordinate;
}

std::vector<WorkspaceLayout> Step::workspaces() const {
  std::vector<WorkspaceLayout> layouts;
  if (scattered) {
    WorkspaceLayout &sums = layouts.emplace_back();
    sums.elements = result.values;
    if (rows == Rows::shared)
      sums.keys = keyType(result.levels[*scattered].coordinateType);
    sums.isFlat = !sums.keys && !tables.empty();
  }
  for (const OperandLevel &table : tables) {
    WorkspaceLayout &numbers = layouts.emplace_back();
    const TensorLayout &operand = operands[table.input];
    numbers.elements = keyType(operand.levels[table.level].coordinateType);
    numbers.keys = numbers.elements;
    numbers.isTable = true;
  }
  return layouts;
}

ElementType Step::bucketType() const {
  for (const TensorLayout::Level &level : result.levels)
    for (const TensorLayout::Array &array : level.arrays)
      if (array.holdsPositions)
        return array.type;
  return ElementType::i64;
}

size_t Step::extentOf(size_t input, size_t level) const {
  size_t begin = 0;
  for (size_t n = 0; n < input; ++n)
    begin += operands[n].numArguments();
  const TensorLayout &layout = operands[input];
  return begin + layout.numArguments() - layout.levels.size() + level;
}

size_t Step::firstArrayOf(size_t input, size_t level) const {
  const TensorLayout &layout = operands[input];
  // One argument, the values, comes between the arrays and the extents.
  size_t number = extentOf(input, 0) - 1 - layout.numArrays();
  for (size_t above = 0; above < level; ++above)
    number += layout.levels[above].arrays.size();
  return number;
}

TensorLayout::Place Step::coordinatesOf(size_t input, size_t level) const {
  const TensorLayout &layout = operands[input];
  TensorLayout::Place place = layout.levels[level].coordinates;
  place.array += firstArrayOf(input, 0);
  return place;
}

void Step::partition(const std::vector<Argument> &args, Parts parts,
                     int64_t within, int64_t threads) const {
  Call call(*this, args.size() + 1);
  call.addOperands(operands, args);
  call.addRows(parts.bounds, parts.count + 1, boundColumns);
  call.addInteger(within);
  call.run(Phase::partition, threads);
}

void Step::plan(const std::vector<Argument> &args, Parts parts, Planned planned,
                Scratch scratch, int64_t threads) const {
  Call call(*this, args.size() + 3 * scratch.workspaces.size() + 7);
  call.addOperands(operands, args);
  call.addRows(parts.bounds, parts.count + 1, boundColumns);
  if (countColumns && !isDraft())
    call.addRows(planned.counts, parts.count, countColumns);
  if (countColumns)
    call.addRows(parts.offsets, parts.count + 1, countColumns);
  call.addVector(planned.sizes, numSizes());
  if (guardsCounts())
    call.addGuard(planned.guard);
  if (!isDraft())
    for (const Workspace &workspace : scratch.workspaces)
      call.addWorkspace(workspace);
  if (buckets)
    call.addRows(scratch.bucketRows, 2 * parts.count, scratch.buckets);
  call.addScalar(planned.status);
  call.run(Phase::plan, threads);
}

int32_t Step::assemble(const std::vector<Argument> &args, Parts parts,
                       int64_t *counts, Scratch scratch,
                       int64_t threads) const {
  Call call(*this, args.size() + 3 * scratch.workspaces.size() + 3);
  call.addOperands(operands, args);
  call.addRows(parts.bounds, parts.count + 1, boundColumns);
  call.addRows(counts, parts.count, countColumns);
  for (const Workspace &workspace : scratch.workspaces)
    call.addWorkspace(workspace);
  return call.runWithStatus(Phase::assemble, threads);
}

void Step::scan(const std::vector<Argument> &args, Parts parts, int64_t *counts,
                int64_t *sizes, int64_t threads) const {
  Call call(*this, args.size() + 4);
  call.addOperands(operands, args);
  call.addRows(parts.bounds, parts.count + 1, boundColumns);
  if (countColumns) {
    call.addRows(counts, parts.count, countColumns);
    call.addRows(parts.offsets, parts.count + 1, countColumns);
  }
  call.addVector(sizes, numSizes());
  call.run(Phase::scan, threads);
}

/// Adds the parameters of `execute` before the status.
void Step::addFilled(Call &call, const std::vector<Argument> &args, Parts parts,
                     Drafted drafted, const std::vector<Argument> &results,
                     const Sums &sums, Scratch scratch, int64_t *counts) const {
  call.addOperands(operands, args);
  call.addRows(parts.bounds, parts.count + 1, boundColumns);
  if (counts)
    call.addRows(counts, parts.count, countColumns);
  if (hasOrder())
    call.addVector(parts.order, parts.count);
  if (countColumns && !movesInTurn())
    call.addRows(parts.offsets, parts.count + 1, countColumns);
  if (isDraft()) {
    if (!movesInTurn())
      call.addRows(drafted.counts, parts.count, countColumns);
    call.addRows(drafted.moved, parts.count + 1, countColumns);
    call.addVector(drafted.sizes, numSizes());
  }
  for (const Argument &buffer : drafted.drafts)
    call.addVector(buffer.data, buffer.size);
  for (const Argument &buffer : results)
    call.addVector(buffer.data, buffer.size);
  for (void *rows : sums.partials)
    call.addRows(rows, partialRows * parts.count, sums.rowSize);
  if (!sums.partials.empty())
    call.addVector(sums.visited, partialRows * parts.count);
  for (const Workspace &workspace : scratch.workspaces)
    call.addWorkspace(workspace);
  if (buckets)
    call.addRows(scratch.bucketRows, 2 * parts.count, scratch.buckets);
}

/// The most memrefs among the parameters of `execute`.
static size_t numFilled(const std::vector<Argument> &args,
                        const std::vector<Argument> &results,
                        const Step::Sums &sums, Step::Scratch scratch) {
  return args.size() + 2 * results.size() + sums.partials.size() +
         3 * scratch.workspaces.size() + 10;
}

int32_t Step::execute(const std::vector<Argument> &args, Parts parts,
                      Drafted drafted, const std::vector<Argument> &results,
                      const Sums &sums, Scratch scratch,
                      int64_t threads) const {
  Call call(*this, numFilled(args, results, sums, scratch));
  addFilled(call, args, parts, drafted, results, sums, scratch);
  return call.runWithStatus(Phase::execute, threads);
}

void Step::executeLater(const std::vector<Argument> &args, Parts parts,
                        const std::vector<Argument> &results, const Sums &sums,
                        Scratch scratch, int32_t *status,
                        int64_t threads) const {
  Call call(*this, numFilled(args, results, sums, scratch));
  addFilled(call, args, parts, /*drafted=*/{}, results, sums, scratch);
  call.addScalar(status);
  call.run(Phase::execute, threads);
}

void Step::runLater(const std::vector<Argument> &args, Parts parts,
                    int64_t *counts, const std::vector<Argument> &results,
                    const Sums &sums, Scratch scratch, int64_t *sizes,
                    int32_t *status, int64_t threads) const {
  Call call(*this, numFilled(args, results, sums, scratch));
  addFilled(call, args, parts, /*drafted=*/{}, results, sums, scratch, counts);
  call.addVector(sizes, numSizes());
  call.addScalar(status);
  call.run(Phase::run, threads);
}

int32_t Step::runPhase(Phase phase, const std::vector<Argument> &args,
                       Parts parts, const std::vector<Argument> &results,
                       const Sums &sums, Scratch scratch,
                       int64_t threads) const {
  Call call(*this, numFilled(args, results, sums, scratch));
  addFilled(call, args, parts, /*drafted=*/{}, results, sums, scratch);
  if (phase == Phase::compute)
    return call.runWithStatus(phase, threads);
  call.run(phase, threads);
  return 0;
}

void Step::runFill(const std::vector<Argument> &args,
                   const std::vector<Argument> &results,
                   int64_t threads) const {
  Call call(*this, args.size() + results.size());
  call.addOperands(operands, args);
  for (const Argument &buffer : results)
    call.addVector(buffer.data, buffer.size);
  call.run(Phase::fill, threads);
}

int32_t Step::compact(const std::vector<Argument> &args, Parts parts,
                      int64_t *moved, const std::vector<Argument> &draft,
                      const std::vector<Argument> &results,
                      int64_t threads) const {
  Call call(*this, args.size() + draft.size() + results.size() + 4);
  call.addOperands(operands, args);
  call.addRows(parts.bounds, parts.count + 1, boundColumns);
  call.addRows(parts.offsets, parts.count + 1, countColumns);
  call.addRows(moved, parts.count + 1, countColumns);
  for (const std::vector<Argument> *buffers : {&draft, &results})
    for (const Argument &buffer : *buffers)
      call.addVector(buffer.data, buffer.size);
  return call.runWithStatus(Phase::compact, threads);
}
