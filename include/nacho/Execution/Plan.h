//===- Plan.h - One kernel on one set of operands -------------------------===//
//
// Runs the steps of a kernel. `plan` does everything up to the allocation of
// the result, `execute` everything after, and may be called again and again.
// The plan keeps the results that one step hands on to later ones.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_PLAN_H
#define NACHO_PLAN_H

#include "nacho/Execution/Device.h"
#include "nacho/Execution/Kernel.h"
#include "nacho/Execution/LonePart.h"
#include "nacho/Execution/WorkspaceMemory.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/FunctionRef.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace nacho {

struct IndexOverflow : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct CostOverflow : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct CoordinateOutOfRange : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct OperandsChanged : std::runtime_error {
  OperandsChanged()
      : std::runtime_error("changed: the operands are not those that were "
                           "checked and counted") {}
};

/// Throws the error that a status stands for, or returns a refusal that another
/// variant can serve.
std::optional<Refusal> throwOrRefuse(int32_t status);

/// The arguments that pass arrays.
std::vector<Argument> argumentsOf(const std::vector<Buffer> &buffers);

/// Throws CostOverflow if the cost of a step is too large to be divided.
void requireCost(int64_t cost);

/// One step of a plan. A function returns a refusal if the program of the step
/// cannot compute the call; the plan then begins again with another program.
class StepPlan {
public:
  StepPlan(const Step &step, const Choice &choice);
  /// The plan of some of the parts, which are not empty, by what another plan
  /// knows of them.
  StepPlan(const Step &step, const std::vector<LonePart> &given);
  /// Looks up what plan() finds out, for a step that depends on lengths alone.
  /// If it is known, planAsKnown() does the rest, and need not wait.
  bool findKnown(const std::vector<Argument> &args, int64_t threads);
  /// Says that the caller does not wait for what execute() does on a device.
  void allowLateStatus();
  /// Keeps what plan() has found out, if findKnown() was asked for it.
  void keepPlan() const;
  /// Lets the status of execute(), on a device, be read with what the plan of
  /// the next step finds out, if neither step needs it sooner.
  void reportTo(StepPlan &next);
  void planAsKnown(const std::vector<Argument> &args, int64_t threads);
  /// Plans the step and computes its result, which the next execute() returns,
  /// if lengths bound the result's. Returns false if plan() has to find out
  /// more, or what is wrong.
  bool runAtOnce(const std::vector<Argument> &args, int64_t threads);
  /// Drops that result: the operands may be others now.
  void dropReady() { ready.clear(); }

  std::optional<Refusal> partition(const std::vector<Argument> &args,
                                   int64_t within, int64_t threads);
  std::optional<Refusal> plan(const std::vector<Argument> &args,
                              int64_t threads);
  /// Throws OutOfMemory if the result has more entries than the limit of memory
  /// has room for, and this shows before all of them are counted.
  void throwIfTooLarge(const std::vector<Argument> &args,
                       int64_t threads) const;
  /// Runs the step by the functions of `by`: this step, or the same step of a
  /// program that differs in branches only. `made` becomes the arrays of the
  /// result, level by level, then its values. See Plan::execute() for `room`.
  std::optional<Refusal>
  execute(const Step &by, const std::vector<Argument> &args,
          std::vector<Buffer> &made, int64_t threads,
          const std::optional<Argument> &room = std::nullopt);
  /// Fills `results`, which execute() has made, once more. Not for steps that
  /// make drafts.
  std::optional<Refusal> executeAgain(const std::vector<Argument> &args,
                                      const std::vector<Buffer> &results,
                                      int64_t threads);
  /// The seconds that each part takes alone on one thread: the least of so many
  /// runs. The parts must have been planned.
  std::vector<double> timeParts(const std::vector<Argument> &args,
                                int64_t repeats);
  /// What another plan has to know of a part, once this one was planned.
  LonePart lonePart(int64_t number) const;
  /// Counts what some of the parts append: `counts` become their rows. The
  /// arguments are those windows that the parts read.
  std::optional<Refusal> countParts(const LonePart &given,
                                    const std::vector<Argument> &args,
                                    std::vector<int64_t> &counts);
  /// Scans the counts of all parts. Returns their offsets; `sizes` become those
  /// of the result. Of the arguments, the extents are read.
  std::vector<int64_t> scanCounts(const std::vector<Argument> &args,
                                  std::vector<int64_t> counts);
  /// Computes some of the parts. `results` become what they write, `sums` their
  /// rows. The arguments are those windows that the parts read.
  std::optional<Refusal>
  computeParts(const LonePart &given, const std::vector<Argument> &args,
               const std::vector<WindowArgument> &results,
               const Step::Sums &sums);
  /// Adds what parts have computed of entries that cuts divide to the whole
  /// result, in the order in which execute() does. `sums` has all rows.
  void combine(const std::vector<Argument> &args,
               const std::vector<Argument> &results, const Step::Sums &sums);
  /// The arguments that pass the result, in `buffers`, to another step.
  std::vector<Argument> arguments(const std::vector<Buffer> &buffers) const;

  const Step *step;
  int64_t parts;         ///< The number asked for, until plan() fixes it.
  int64_t workers;       ///< The number of workers to balance the cost among.
  bool isShared;         ///< Nacho chose the number of parts, and may lower it.
  bool acceptsImbalance; ///< Unequal parts are not refused.
  bool acceptsOnePart;   ///< One part is not refused for the work of several.
  Indices indices;       ///< Narrow ones refuse what is too long for them.
  /// The cuts, then the sizes and the status: plan() reads back the last cut
  /// together with these.
  Numbers<int64_t> bounds;
  std::vector<int64_t> sizes; ///< The sizes that were last read back.
  /// The cost of the parts that the busiest worker runs, over its share, if the
  /// step leaves rows whole.
  double heaviest = 0;
  /// The caller waits for the result anyway: so execute() waits for its status.
  bool waitsForStatus = true;

  /// The number of sums in a row of partials.
  int64_t rowSize() const { return sizes[step->rowSizeAt()]; }
  /// The types and lengths of the arrays of the result: level by level, then
  /// its values.
  std::vector<std::pair<ElementType, int64_t>> resultArrays() const;
  /// The number of values of the result, or of its draft.
  int64_t numEntries() const;
  /// The extents of the levels of the result.
  const int64_t *extents() const {
    return sizes.data() + step->result.levels.size() + 1;
  }
  /// The cost of all parts.
  int64_t total() const { return cost; }
  /// The cost of each part.
  std::vector<int64_t> partCosts() const;
  /// The most entries that all parts can append, whatever the cost model.
  int64_t mostEntries() const;
  /// The bytes that all workspaces take per slot.
  int64_t workspaceBytes() const;
  /// The bytes that an entry takes in the result, or in a draft.
  int64_t entryBytes() const;

private:
  friend class DeviceParts;
  static Choice choiceOf(int64_t parts);
  void closeCuts(const LonePart &first, const LonePart &last);
  int64_t leastEntryBytes() const;
  std::vector<Buffer> allocate() const;
  std::vector<Buffer> allocateArrays() const;
  std::vector<Buffer> arrayIn(const Argument &room) const;
  std::optional<Refusal> allocateDraft(std::vector<Buffer> &draft) const;
  void shrink(std::vector<Buffer> &buffers) const;
  std::optional<std::vector<Buffer>> tryAllocate() const;
  bool fit(std::vector<Buffer> &buffers) const;
  bool canCountSizes() const;
  bool fillAtOnce(const std::vector<Argument> &args, int64_t threads);
  void cutAsKnown(const std::vector<Argument> &args, int64_t threads);
  void fillLater(const Step &by, const std::vector<Argument> &args,
                 const std::vector<Argument> &results, const Step::Sums &sums,
                 int64_t threads);
  std::optional<Refusal> fill(const Step &by, const std::vector<Argument> &args,
                              const std::vector<Argument> &results,
                              Step::Drafted drafted, int64_t threads);
  std::vector<Buffer> makeDrafts(int64_t threads) const;
  std::optional<Refusal> executeInTurn(const Step &by,
                                       const std::vector<Argument> &args,
                                       std::vector<Buffer> &made,
                                       int64_t threads);
  std::optional<Refusal> compact(const Step &by,
                                 const std::vector<Argument> &args,
                                 std::vector<Buffer> &made, int64_t *moved,
                                 int64_t threads);
  std::optional<Refusal> callPlan(const std::vector<Argument> &args,
                                  int64_t threads);
  std::optional<Refusal> fixParts(const std::vector<Argument> &args,
                                  int64_t threads);
  void cut(const std::vector<Argument> &args, int64_t within, int64_t threads);
  void divide(int64_t intoParts);
  void adaptParts(const std::vector<Argument> &args, int64_t threads);
  std::optional<Refusal> acceptDraft(const std::vector<Argument> &args);
  void refineParts(const std::vector<Argument> &args);
  void boundByLengths(const std::vector<Argument> &args);
  int64_t partsWithTables(const std::vector<Argument> &args) const;
  int64_t partsWithRows() const;
  void orderParts(int64_t threads);
  /// The places in `bounds` of the last cut, the sizes, and the status.
  int64_t lastAt() const { return parts * step->boundColumns; }
  int64_t sizesAt() const { return lastAt() + step->boundColumns; }
  int64_t statusAt() const { return sizesAt() + int64_t(step->numSizes()); }
  Numbers<int64_t> unwrittenBounds() const;
  Numbers<int64_t> unwrittenOffsets() const;
  int32_t *statusWord() {
    return reinterpret_cast<int32_t *>(bounds.data() + statusAt());
  }
  /// The status of the steps that made operands, next to that of the step.
  int32_t *earlierWord() { return statusWord() + 1; }
  int64_t excess() const;
  int32_t readPlanned();
  void awaitRecord();
  void sizeWorkspaces(const std::vector<Argument> &args);
  int64_t widestExtent(const std::vector<Argument> &args) const;
  int64_t threadsWithWorkspaces(int64_t threads) const;
  void sizeBuckets(const std::vector<Argument> &args, int64_t threads);
  Step::Parts allParts();
  Step::Scratch scratch(const std::vector<Workspace> &prepared) const;
  /// Calls a function of the step with workspaces, and returns its status.
  using StepCall =
      FunctionRef<int32_t(const std::vector<Workspace> &, int64_t threads)>;
  std::optional<Refusal> callWithWorkspaces(int64_t threads, bool hasSums,
                                            StepCall call);
  std::vector<Workspace> prepareWorkspaces(int64_t threads, bool hasSums);
  bool addsToResult() const;
  std::optional<Refusal> refuseOnePart(int64_t threads) const;
  bool mayBeUnequal() const;
  int64_t extentToPass(size_t level) const;
  /// Whether rows that are too heavy are refused before time is spent on
  /// counting them: a device that guards its counts spends none on these.
  bool isRefusedFirst() const {
    return mayBeUnequal() && !step->isDraft() && !step->guardsCounts();
  }
  int64_t positionsAt(size_t level, int64_t parents) const;
  bool changesFirst() const;
  std::optional<Refusal> refuseImbalance();
  std::optional<Refusal> refuseLength(int64_t length) const;
  std::optional<Refusal> refuseLengths(const std::vector<Argument> &args) const;
  std::optional<Refusal> refuseResult() const;
  std::optional<Refusal>
  refuseOperands(const std::vector<Argument> &args) const;
  std::optional<Refusal> refuseDraft() const;
  void checkIndexTypes() const;
  void checkCost() const;

  std::vector<Buffer> ready; ///< What runAtOnce() has made; empty if nothing.
  std::vector<WorkspaceMemory> workspaces;
  /// The order in which threads start the parts; empty if parts are equal.
  Numbers<int64_t> order;
  Numbers<int64_t> offsets;
  Buffer buckets;             ///< Empty if parts do not append to buckets.
  KnownPlans::Key foreseen;   ///< Empty if what plan() finds out is not kept.
  bool hasLateStatus = false; ///< Nobody waits for the status of execute().
  /// The next step, if it expects the status of execute().
  StepPlan *reportsTo = nullptr;
  bool isPlannedAsKnown = false; ///< Nobody has read the status of the search.
  bool expectsReport = false;    ///< earlierWord() is written, or will be.
  /// The cost before each cut, if plan() has read them all.
  std::vector<int64_t> cutCosts;
  int64_t cost = 0; ///< See total().
};

/// The number of elements of every array, and the extents.
std::vector<int64_t> sizesOf(const std::vector<Argument> &args);
/// Whether sizesOf() would return these sizes.
bool haveSizes(const std::vector<Argument> &args,
               const std::vector<int64_t> &sizes);

class Plan {
public:
  Plan(std::shared_ptr<const Kernel> kernel, const Asked &asked);

  /// Runs all steps but the last, and only cuts the last one: first into
  /// parts / inner parts, then each of those into `inner` parts.
  void partition(const std::vector<Argument> &args, int64_t inner);
  void plan(const std::vector<Argument> &args);
  /// Plans another call, of the choice that was made for the last one: the
  /// operands are of the same sizes, and so few that nothing else counts.
  void planAgain(const std::vector<Argument> &args);
  /// Computes the result. With `isPlanned` the caller promises that the
  /// operands are those of plan(), unchanged, so that the results of inner
  /// steps are reused. With `isTrusted` that they are valid: otherwise a result
  /// that is not canonical is refused, since their arrays must have changed.
  /// If there is `room`, which only a dense result may have, the result is
  /// written there, and not to memory of its own; no operand may be there.
  /// Throws std::invalid_argument if it is not as long as the result.
  std::vector<Buffer>
  execute(const std::vector<Argument> &args, bool isPlanned, bool isTrusted,
          const std::optional<Argument> &room = std::nullopt);
  /// Says that the caller leaves the result on the device: execute() need not
  /// wait for what goes wrong there, and whoever waits next is told.
  void leaveOnDevice() { leavesOnDevice = true; }

  /// The seconds that each part of the last step takes alone, after plan().
  std::vector<double> timeParts(const std::vector<Argument> &args,
                                int64_t repeats);

  /// The choice that was made last: after a refusal, it is not the first one.
  const Choice &chosen() const { return choice; }
  const std::shared_ptr<const Program> &current() const { return program; }
  /// Describes each decision that made a difference, and why it was made.
  std::vector<std::string> describe() const;

  const StepPlan &last() const { return steps.back(); }
  const std::vector<StepPlan> &all() const { return steps; }
  /// The arguments of the last step, after plan().
  std::vector<Argument> lastArguments(const std::vector<Argument> &args) const {
    std::vector<Argument> made;
    return argumentsOf(*last().step, args, made);
  }
  /// The result of a step other than the last.
  const std::vector<Buffer> &resultOf(size_t step) const {
    return results[step];
  }
  /// Its bytes.
  int64_t listBytes(size_t step) const;

private:
  using Attempt = FunctionRef<std::optional<Refusal>()>;

  std::vector<Buffer> compute(const std::vector<Argument> &args, bool isPlanned,
                              const std::optional<Argument> &room);
  void begin(const std::vector<Argument> &args);
  void startSteps();
  size_t countSteps(const Program &other) const;
  void attempt(Attempt run);
  const std::vector<Argument> &argumentsOf(const Step &step,
                                           const std::vector<Argument> &args,
                                           std::vector<Argument> &made) const;
  std::optional<Refusal> planInner(const std::vector<Argument> &args,
                                   bool countsLast);
  std::optional<Refusal> planSteps(const std::vector<Argument> &args);
  bool isPlannedByLengths() const;
  void takeSample(const std::vector<Argument> &inputs);
  Sample sampleParts(const Step &step,
                     const std::vector<Argument> &inputs) const;
  std::optional<Refusal> cutLast(const std::vector<Argument> &args,
                                 int64_t inner);
  std::optional<Refusal> executeSteps(const std::vector<Argument> &args,
                                      bool isPlanned, std::vector<Buffer> &made,
                                      const std::optional<Argument> &room);
  std::shared_ptr<const Program> programWithBranches() const;

  std::shared_ptr<const Kernel> kernel;
  Asked asked;
  std::vector<size_t> begins;           ///< The first argument of each operand.
  std::shared_ptr<MemoryBudget> budget; ///< Null if there is no limit.
  Choice choice;
  std::shared_ptr<const Program> program; ///< The program that `choice` names.
  std::vector<StepPlan> steps;
  /// The results of all steps but the last; of fewer while it is planned.
  std::vector<std::vector<Buffer>> results;
  std::vector<int64_t> planned; ///< The sizes of the arguments of plan().
  bool leavesOnDevice = false;
  std::mutex mutex; ///< Guards the results and the workspaces.
  /// execute() was called on drafts, which allow only one call.
  std::atomic<bool> isSpent = false;
};

} // namespace nacho

#endif // NACHO_PLAN_H
