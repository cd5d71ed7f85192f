//===- Step.h - One nest of a kernel, and how it is called ----------------===//
//
// This file describes the ABI. A kernel is a sequence of steps, each with one
// nest. The result of a step is an operand of later steps; the result of the
// last step is the result of the kernel. A step @kernel exports the functions
// below, in which `operands` stands for its operands in order, each passed as:
//
//   of each level:  its arrays             memref<?xiN>
//   then:           values                 memref<?xT>, of rank 0 memref<T>
//                   extent of each level   index
//
// Which arrays a level has is up to its kind (lib/Levels): a compressed level
// has positions and coordinates, and a dense level has none.
//
//   @kernel_partition(operands, bounds, within, threads)
//     Cuts every interval of `within` rows of `bounds` into `within` parts.
//     Rows 0, within, 2 * within, ... must hold cuts, unless `within` is the
//     number of parts (one less than the rows): then `bounds` may hold
//     anything.
//   @kernel_plan(operands, bounds, [counts, offsets,] sizes, [excess, earlier,]
//                [[keys,] marks,] [keys, marks, positions...,] [buckets,]
//                status, threads)
//     Finds the cuts, counts what each part appends, and scans the counts.
//     sizes[l] becomes the number of coordinates that level l of the result
//     stores, or the extent of a dense level. After these follow the size of a
//     row of partials, and the extents of all levels.
//   @kernel_execute(operands, bounds, [order,] [offsets,] result,
//                   [partials..., visited,] [[keys,] marks, sums,]
//                   [keys, marks, positions...,] [buckets,] status, threads)
//     Fills the buffers of the result, which the caller has allocated: for each
//     level as above, and then the values.
//
// Where a block of a device has a tile of parts, and either a single operand is
// sparse and the sizes of the result follow from extents, or parts append in
// order, a step also exports:
//
//   @kernel_run(operands, bounds, [counts, offsets,] result,
//               [partials..., visited,] sizes, status, threads)
//     Does what plan and execute do, for parts whose number is known, and for a
//     result that is as long as it may get: a block computes the parts that it
//     has cut.
//
// A step that makes a draft instead of counting exports these instead, and
// @kernel_partition:
//
//   @kernel_plan(operands, bounds, offsets, sizes, status, threads)
//     Finds the cuts. Offsets and sizes become those of a draft to which each
//     part can append as many entries as the part costs.
//   @kernel_execute(operands, bounds, [order,] offsets, counts, moved, sizes,
//                   draft, ...)
//     Fills the draft. `counts` becomes what each part has appended, `moved`
//     the offsets of these entries in the result, `sizes` those of the result.
//   @kernel_compact(operands, bounds, offsets, moved, draft, result, status,
//                   threads)
//     Moves the entries from the draft to the result.
//
// If parts move their entries in turn, there is no function compact, and
// `execute` does not take offsets and counts, but, before the result, the
// arrays of a draft. Each thread has as much of these as any of them; the
// positions are not used. A single part has the arrays of the result there.
//
// The order in which the parts are started, their numbers, is passed if there
// is no bound for what parts differ by, unless they are started together.
//
// Unless it makes a draft, fills buckets, or keeps where rows of a list are, a
// step also exports the functions that `plan` calls after @kernel_partition,
// and those that `execute` calls, so that its parts can be run one by one, with
// the same arguments. What a step does not need is not there. `execute` sorts
// the entries of a sorted list; of a scanned list, it adds up the costs that
// `compute` stores.
//
//   @kernel_assemble(operands, bounds, counts, ..., status, threads)
//     Counts what each part appends (or one of them: see OnlyPart).
//   @kernel_scan(operands, bounds, [counts, offsets,] sizes, threads)
//     Scans the counts, and stores the sizes. Reads extents of the operands
//     only.
//   @kernel_fill(operands, result, threads)
//     Writes all values of the result, those of an entry without elements.
//   @kernel_clear(operands, ..., threads)
//     Empties the partials.
//   @kernel_compute(operands, ..., status, threads)
//     Runs the parts (or one of them: see OnlyPart).
//   @kernel_combine(operands, ..., threads)
//     Adds up the partials of entries to which several parts contribute. Reads
//     extents and scalars of the operands only.
//
// If a step starts parts together and counts (see Step::guardsCounts), its plan
// also takes two scalars: the cost above two shares that is not too much for a
// part, and the status of earlier steps. Nothing is counted if that is set, or
// if a part costs too much, and then it is set.
//
// Counts and offsets are passed if the result has levels that are not dense.
// Partials and visited are passed if several parts may contribute to an entry,
// or if parts keep rows of sums in memory: for each part, each array of
// partials has one or two rows, and visited as many numbers. They need not be
// initialised. If each part has a single row, of elements like those of the
// result, then `values` is the row of the only part.
//
// Keys, marks and sums are the arrays of the workspace of the result; keys,
// marks and positions those of a table. They have a row for each slot (see
// nacho.workspace). They are passed empty, and the call leaves them empty.
//
// Buckets (memref<?x?xiN>, as wide as the positions of the result) are passed
// if parts append to buckets: two rows for each part, with a number for each
// bucket. They need not be initialised.
//
// A row of `bounds` (memref<?xCxindex>) is a cut: the cost before it, its
// coordinates, its positions. Buffers without elements must still have an
// address that can be read. Extents of the same index must be the same in all
// operands.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_STEP_H
#define NACHO_EXECUTION_STEP_H

#include "nacho/Execution/Executable.h"
#include "nacho/Execution/KnownPlans.h"
#include "nacho/Execution/Layout.h"
#include "nacho/Execution/Variant.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nacho {

/// The source of an operand of a step.
struct StepInput {
  bool isStep;  ///< It is the result of a step; else an operand of the kernel.
  size_t index; ///< The number of that step or operand.
  /// It is a list, whose levels have positions in operands besides coordinates.
  bool isList = false;
};

/// One nest of a compiled module.
class Step {
public:
  std::vector<StepInput> inputs;
  std::vector<TensorLayout> operands;
  TensorLayout result;
  /// Whether the result is a list for later steps, which the user did not ask
  /// for: its entries come in order, or are sorted; or it is a sorted list of
  /// the pieces into which heavy rows are cut.
  enum class List { none, inOrder, sorted, ofPieces } list = List::none;
  /// A digest of the loops of the step before they are assembled: with the same
  /// loops and the same inputs, a step makes the same result.
  uint64_t loopsDigest = 0;
  /// The most by which the cost before a cut can fall short of its query, for
  /// any operands; -1 if there is no such bound.
  int64_t delta = 0;
  /// A part that costs c appends at most c / entryCost entries.
  int64_t entryCost = 1;
  /// The names of the loops that are cut. A cut has a coordinate for each.
  std::vector<std::string> order;
  /// The operands that have a position in a cut, by loop: the numbers of their
  /// accesses in the statement, or -1 - n for the result of step n.
  std::vector<std::vector<int64_t>> loops;
  /// The same operands, by their numbers among the inputs of the step.
  std::vector<std::vector<int64_t>> loopInputs;
  /// Of each of these loops, whether it visits all coordinates, whatever the
  /// operands store.
  std::vector<bool> fullLoops;
  /// The names of the loops over the levels of an operand or of the result. A
  /// name is empty if no loop is known.
  using Indices = std::vector<std::string>;
  /// Of each input, the indices of each access to it.
  std::vector<std::vector<Indices>> indicesRead;
  Indices indicesMade;
  int64_t boundColumns = 0; ///< The size of a row of `bounds`.
  /// The size of a row of `counts` and `offsets`; 0 if the step has neither.
  int64_t countColumns = 0;
  std::vector<ElementType> partials; ///< The types of partials.
  int64_t partialRows = 2; ///< The rows that each part has in each of them.
  /// The number of parts depends on the cost of the step and on the size of a
  /// row of partials alone: with another number, sums would differ.
  bool hasFixedParts = false;
  /// Parts that may be unequal are started together, by a device.
  bool startsTogether = false;
  /// Unless entries are counted, `execute` fills a draft, and `compact` makes
  /// it the result. The parts of a union have drafts for a part each, and move
  /// their entries to the result in turn; a single part drafts the result.
  Fill fill = Fill::counted;
  /// The level of the result whose coordinates are collected in a workspace;
  /// none if the step appends in order.
  std::optional<size_t> scattered;
  /// Unless rows are shared, that workspace collects whole rows of the result,
  /// and has no keys: whole rows of operands without rows too heavy for that,
  /// which are refused; those that other steps leave, which compute the heavy
  /// ones apart; or the pieces into which heavy rows are cut.
  Rows rows = Rows::shared;
  /// A level of an operand.
  struct OperandLevel {
    size_t input, level;
  };
  /// The levels in whose fibers workspaces tell the positions of coordinates.
  std::vector<OperandLevel> tables;
  /// The level whose coordinates are the buckets of the result, if parts append
  /// to buckets.
  std::optional<OperandLevel> buckets;
  /// What the last levels of a list have for each entry: the position of an
  /// entry in a level of `of`, or where children of one end; or any number.
  struct Kept {
    std::optional<StepInput> of;
    size_t level = 0;
    bool isEnd = false;
  };
  std::vector<Kept> kept;
  /// A level of a list among the inputs that keeps positions of another input.
  struct KeptLevel {
    size_t list, level;
    OperandLevel of;
  };
  std::vector<KeptLevel> recalled;
  /// Set if the innermost loop merges the coordinates of two operands. Their
  /// positions are the last two columns of `bounds`.
  struct Merge {
    /// The places of the coordinates; `array` is the number of an argument.
    std::array<TensorLayout::Place, 2> operands;
    bool isUnion;  ///< Else the loop is an intersection.
    bool isNarrow; ///< Coordinates have 32 bits, else 64.
  };
  std::optional<Merge> merged;
  /// What was found out for arguments of some lengths, if nothing else counts.
  std::shared_ptr<KnownPlans> known = std::make_shared<KnownPlans>();

  bool isDraft() const { return fill != Fill::counted; }
  /// Whether parts move what they have drafted themselves.
  bool movesInTurn() const { return fill == Fill::unionsDrafted; }
  /// Whether the result is a sorted list.
  bool isSorted() const { return list >= List::sorted; }
  /// Whether `run` may count and append a sparse result, whose sizes lengths
  /// bound.
  bool fillsAtOnce() const;
  /// Bounds for the sizes of the result by the lengths of the arguments; none
  /// if these tell nothing.
  std::optional<std::vector<int64_t>>
  boundByLengths(const std::vector<Argument> &args) const;
  /// The same for what `run` counts and appends, if blocks have room for it.
  std::optional<std::vector<int64_t>>
  boundSizes(const std::vector<Argument> &args, int64_t parts) const;
  /// Whether the cost and the sizes of the step follow from the lengths of its
  /// arguments.
  bool dependsOnLengthsAlone() const;
  /// Whether parts may differ in cost by more than a bound for all operands.
  bool hasUnequalParts() const { return delta < 0; }
  /// Whether calls pass the order in which parts are started.
  bool hasOrder() const { return hasUnequalParts() && !startsTogether; }
  /// Whether parts are only counted if their operands are right, and if none of
  /// them costs too much.
  bool guardsCounts() const {
    return startsTogether && countColumns && !isDraft();
  }

  /// The workspaces that calls take: the one for `scattered`, if any, comes
  /// first, then the tables.
  std::vector<WorkspaceLayout> workspaces() const;
  /// The number of the argument that is the extent of a level of an operand.
  /// The argument before the extents of an operand has its values.
  size_t extentOf(size_t input, size_t level) const;
  /// The number of the argument that is the first array of a level of an
  /// operand, or would be if the level had any.
  size_t firstArrayOf(size_t input, size_t level) const;
  /// The place of the coordinates of a level of an operand; `array` is the
  /// number of an argument. The level must not be full.
  TensorLayout::Place coordinatesOf(size_t input, size_t level) const;

  /// The type of the numbers that the step has for each bucket, if any: that of
  /// the positions of its result.
  ElementType bucketType() const;

  /// The length of `sizes`, and the place in it of the size of a row of
  /// partials.
  size_t numSizes() const { return 2 * result.levels.size() + 1; }
  size_t rowSizeAt() const { return result.levels.size(); }

  /// The parts of a call. `offsets` is only used if the step has counts, and
  /// `order`, the numbers of the parts as they are started, by `execute` if
  /// it takes an order.
  struct Parts {
    int64_t count;
    int64_t *bounds, *offsets, *order;
  };
  /// The memory that threads or parts have to themselves.
  struct Scratch {
    const std::vector<Workspace> &workspaces;
    void *bucketRows; ///< Numbers for each bucket, in 2 * parts rows.
    int64_t buckets;  ///< The number of buckets.
  };
  /// The sums of parts, in partialRows rows for each.
  struct Sums {
    std::vector<void *> partials; ///< Each has rows of `rowSize` elements.
    int64_t *visited = nullptr;   ///< A number for each row.
    int64_t rowSize = 0;
  };

  void partition(const std::vector<Argument> &args, Parts parts, int64_t within,
                 int64_t threads) const;
  /// What has to hold for parts to be counted, in a step that guards its
  /// counts.
  struct Guard {
    int64_t excess = 0; ///< The cost above two shares that is not too much.
    /// The status of earlier steps; the plan may set it.
    int32_t *earlier = nullptr;
  };
  /// The results of `plan` besides the cuts.
  struct Planned {
    int64_t *counts; ///< Unused if the step makes a draft.
    int64_t *sizes;
    int32_t *status; ///< Bits that say what went wrong; must be 0 before.
    Guard guard = {};
  };
  void plan(const std::vector<Argument> &args, Parts parts, Planned planned,
            Scratch scratch, int64_t threads) const;
  /// The buffers that `execute` fills for a draft; see the top of this file.
  struct Drafted {
    int64_t *counts, *moved, *sizes;
    /// The drafts of all threads, if parts move their entries in turn.
    std::vector<Argument> drafts = {};
  };
  /// Returns a status. `drafted` is only used if the step makes a draft.
  int32_t execute(const std::vector<Argument> &args, Parts parts,
                  Drafted drafted, const std::vector<Argument> &results,
                  const Sums &sums, Scratch scratch, int64_t threads) const;
  /// The same, of a step that makes no draft. `status` gets bits later.
  void executeLater(const std::vector<Argument> &args, Parts parts,
                    const std::vector<Argument> &results, const Sums &sums,
                    Scratch scratch, int32_t *status, int64_t threads) const;
  /// The same after what `plan` does, by the function `run`, which also writes
  /// the sizes, and counts that are otherwise unused.
  void runLater(const std::vector<Argument> &args, Parts parts, int64_t *counts,
                const std::vector<Argument> &results, const Sums &sums,
                Scratch scratch, int64_t *sizes, int32_t *status,
                int64_t threads) const;
  /// Counts what parts append. Returns a status.
  int32_t assemble(const std::vector<Argument> &args, Parts parts,
                   int64_t *counts, Scratch scratch, int64_t threads) const;
  /// Finds the offsets of the parts by their counts, and the sizes.
  void scan(const std::vector<Argument> &args, Parts parts, int64_t *counts,
            int64_t *sizes, int64_t threads) const;
  /// Runs one of the functions that `execute` calls: clear, compute or combine.
  /// Returns a status, of compute alone.
  int32_t runPhase(Phase phase, const std::vector<Argument> &args, Parts parts,
                   const std::vector<Argument> &results, const Sums &sums,
                   Scratch scratch, int64_t threads) const;
  /// Runs the function `fill`.
  void runFill(const std::vector<Argument> &args,
               const std::vector<Argument> &results, int64_t threads) const;
  /// Whether callers can run this function, which others call, too.
  bool has(Phase phase) const { return executable->has(number, phase); }
  int32_t compact(const std::vector<Argument> &args, Parts parts,
                  int64_t *moved, const std::vector<Argument> &draft,
                  const std::vector<Argument> &results, int64_t threads) const;

  /// The device in whose memory the arrays of all calls must lie.
  Device &device() const { return executable->device(); }

  /// Makes this call the functions of step `step` of `compiled`, which must
  /// outlive this.
  void bind(const Executable &compiled, size_t step) {
    executable = &compiled;
    number = step;
  }

private:
  class Call;
  void addFilled(Call &call, const std::vector<Argument> &args, Parts parts,
                 Drafted drafted, const std::vector<Argument> &results,
                 const Sums &sums, Scratch scratch,
                 int64_t *counts = nullptr) const;
  const Executable *executable = nullptr;
  size_t number = 0;
};

} // namespace nacho

#endif // NACHO_EXECUTION_STEP_H
