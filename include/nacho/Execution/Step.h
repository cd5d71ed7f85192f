//===- Step.h - One nest of a kernel, and how it is called ----------------===//
//
// The ABI. A kernel is a list of steps, each with one nest; the result of a
// step is an operand of later ones, that of the last is the kernel's. A step
// @kernel exports these functions; `operands` below stands for its operands in
// order, each level by level:
//
//   of each level:  its arrays             memref<?xiN>
//   then:           values                 memref<?xT>, of rank 0 memref<T>
//                   extent of each level   index
//
// Which arrays a level has is up to its kind (lib/Levels): a compressed level
// has positions and coordinates, and a dense level has none.
//
//   @kernel_partition(operands, bounds, within, threads)
//     Cuts each `within` rows of `bounds` into as many parts. With `within` =
//     the number of parts, which is the rows less one, there need be nothing in
//     it.
//   @kernel_plan(operands, bounds, [counts, offsets,] sizes, [[keys,] marks,]
//                status, threads)
//     Cuts, counts and scans; sizes[l] is the number of coordinates that level
//     l of the result stores, or the extent of a dense one; then come the
//     size of a row of partial entries, and the extents of all levels.
//   @kernel_execute(operands, bounds, [offsets,] result,
//                   [partials..., visited,] [[keys,] marks, sums,]
//                   [keys, marks, positions...,] status, threads)
//     Fills the buffers of the result, which the caller has allocated: for each
//     level as above, and then the values.
//
// A step that does not count has other two, and one more:
//
//   @kernel_plan(operands, bounds, offsets, sizes, status, threads)
//     Cuts. Offsets and sizes are those of a draft, to which each part can
//     append as many entries as it costs.
//   @kernel_execute(operands, bounds, offsets, counts, moved, sizes, draft,
//   ...)
//     As above, but for the draft. Of the entries that there are then, `moved`
//     are the offsets, and `sizes` the sizes.
//   @kernel_compact(operands, bounds, offsets, moved, draft, result, status,
//                   threads)
//
// Counts and offsets are there if the result has levels that are not dense.
// Partials and visited are there if parts may have to share an entry: two rows
// and two numbers for each part, for which nothing need be in them. Keys, marks
// and sums, or positions, are workspaces, a row for each thread (see
// nacho.workspace): empty when they are passed, and again afterwards.
//
// Rows of `bounds` (memref<?xCxindex>) are: cost, coordinates, positions.
// Buffers without elements must still have an address that can be read.
// Extents of the same index must be the same in all operands.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_STEP_H
#define NACHO_EXECUTION_STEP_H

#include "nacho/Execution/Executable.h"
#include "nacho/Execution/Layout.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nacho {

/// Where an operand of a step comes from.
struct StepInput {
  bool isStep;  ///< The result of an earlier step, else an operand.
  size_t index; ///< The number of either.
};

/// One nest of a compiled module.
class Step {
public:
  std::vector<StepInput> inputs;
  std::vector<TensorLayout> operands;
  TensorLayout result;
  /// Entries are sorted: the step is no part of the assignment as it was given.
  bool isSorted = false;
  int64_t delta = 0; ///< -1 if there is no bound that holds for all operands.
  /// The names of the loops that are cut, so many coordinates a cut has; and of
  /// each the operands that have positions in it, by their accesses; -1, -2,
  /// ... are the results of the first step, the second, ...
  std::vector<std::string> order;
  std::vector<std::vector<int64_t>> loops;
  /// The same, by the numbers of the step's inputs.
  std::vector<std::vector<int64_t>> loopInputs;
  int64_t boundColumns = 0; ///< Of a row of `bounds`.
  int64_t countColumns = 0; ///< Of `counts` and `offsets`; 0 without these.
  std::vector<ElementType> partials; ///< The types of partial entries.
  /// What is executed is a draft, to be compacted.
  bool isDraft = false;
  /// The level of the result of which coordinates are collected in workspaces.
  std::optional<size_t> scattered;
  /// These have whole rows, and no keys: no row must be too heavy for that.
  bool hasWholeRows = false;
  /// The children of an operand's fibers that are found by their coordinates:
  /// the number of the operand, and their level.
  struct Table {
    size_t input, level;
  };
  std::vector<Table> tables;
  /// The innermost loop merges the coordinates of two operands, whose positions
  /// are the last of `bounds`.
  struct Merge {
    /// The places of the coordinates, where arrays are numbers of arguments.
    std::array<TensorLayout::Place, 2> operands;
    bool isUnion;  ///< Else an intersection.
    bool isNarrow; ///< They are of 32 bits.
  };
  std::optional<Merge> merged;

  /// The workspaces that calls take: what is scattered, and the tables.
  std::vector<WorkspaceLayout> workspaces() const;
  /// Which argument is the extent of a level of an operand; just before those
  /// come its values.
  size_t extentOf(size_t input, size_t level) const;
  /// The place of the coordinates of an operand's level that is not full, where
  /// the array is the number of an argument.
  TensorLayout::Place coordinatesOf(size_t input, size_t level) const;

  /// The numbers in `sizes`, and which is the size of a row.
  size_t numSizes() const { return 2 * result.levels.size() + 1; }
  size_t rowSizeAt() const { return result.levels.size(); }

  void partition(const std::vector<Argument> &args, int64_t *bounds,
                 int64_t parts, int64_t within, int64_t threads) const;
  int32_t plan(const std::vector<Argument> &args, int64_t *bounds,
               int64_t *counts, int64_t *offsets, int64_t *sizes,
               const std::vector<Workspace> &workspaces, int64_t parts,
               int64_t threads) const;
  /// Each of `partials` has 2 * parts rows of `rowSize` elements, `visited` as
  /// many numbers.
  /// `drafted` are the counts, `moved` and the sizes, of a draft.
  struct Drafted {
    int64_t *counts, *moved, *sizes;
  };
  int32_t execute(const std::vector<Argument> &args, int64_t *bounds,
                  int64_t *offsets, Drafted drafted,
                  const std::vector<Argument> &results,
                  const std::vector<void *> &partials, int64_t *visited,
                  int64_t rowSize, const std::vector<Workspace> &workspaces,
                  int64_t parts, int64_t threads) const;
  int32_t compact(const std::vector<Argument> &args, int64_t *bounds,
                  int64_t *offsets, int64_t *moved,
                  const std::vector<Argument> &draft,
                  const std::vector<Argument> &results, int64_t parts,
                  int64_t threads) const;

  /// Where the arrays lie that the calls are given.
  Device &device() const { return executable->device(); }

  /// From here on calls are those of a step of an executable, which must
  /// outlive this.
  void bind(const Executable &compiled, size_t step) {
    executable = &compiled;
    number = step;
  }

private:
  class Call;
  const Executable *executable = nullptr;
  size_t number = 0;
};

} // namespace nacho

#endif // NACHO_EXECUTION_STEP_H
