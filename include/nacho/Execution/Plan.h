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

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace nacho {

struct IndexOverflow : std::runtime_error {
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

/// The kernel does whole rows in one part, and these operands have a row that
/// is too long for a workspace, or costs more than a part should.
struct RowsTooHeavy : std::runtime_error {
  RowsTooHeavy() : std::runtime_error("rows are too heavy to be left whole") {}
};

/// There is no memory for as many entries as parts might append to a draft. The
/// kernel has to count the entries first: see Kernel::counting().
struct DraftTooLarge : std::runtime_error {
  DraftTooLarge() : std::runtime_error("a draft is too large") {}
};

/// The memory of one workspace of a step, with a row for each slot. It is kept
/// from call to call; kernels leave every row empty.
class WorkspaceMemory {
public:
  WorkspaceMemory(Device &device, const WorkspaceLayout &layout)
      : device(&device), layout(layout) {}

  /// Makes room for what is expected of operands with `entries` entries: at
  /// least two places for each, up to a limit.
  void limitTo(int64_t entries);
  /// Gives each coordinate below `extent` a place, unless `extent` is large.
  void coverExtent(int64_t extent);
  /// Called when a kernel found the workspace full. A workspace without keys
  /// does not grow: coverExtent() gave it all the places that it needs.
  void grow();
  /// Allocates the workspace if need be. Without `hasElements` it has no sums.
  Workspace prepare(int64_t threads, bool hasElements);
  /// The bytes of one row of keys, marks and elements.
  int64_t numBytesPerThread() const;

private:
  Device *device;
  WorkspaceLayout layout;
  int64_t places = 0;
  Workspace made;
  std::optional<Buffer> keys, marks, elements;
};

/// One step of a plan.
class StepPlan {
public:
  StepPlan(const Step &step, int64_t parts, int64_t workers);

  void partition(const std::vector<Argument> &args, int64_t within,
                 int64_t threads);
  void plan(const std::vector<Argument> &args, int64_t threads);
  /// Runs the step by the functions of `by`: this step, or the same step of a
  /// variant. Returns the arrays of the result, level by level, then its
  /// values.
  std::vector<Buffer> execute(const Step &by, const std::vector<Argument> &args,
                              int64_t threads);
  /// Fills `results`, which execute() has returned, once more. Not for steps
  /// that make drafts.
  void executeAgain(const std::vector<Argument> &args,
                    const std::vector<Buffer> &results, int64_t threads);
  /// The arguments that pass the result, in `buffers`, to another step.
  std::vector<Argument> arguments(const std::vector<Buffer> &buffers) const;

  const Step *step;
  int64_t parts;
  int64_t workers; ///< Between whom the work is to be balanced.
  /// A branch predictor would do well in the innermost loop.
  bool isForeseen = false;
  Numbers<int64_t> bounds;
  std::vector<int64_t> sizes; ///< `kernelSizes`, as last read back.

  /// The number of values of the result, or of its draft.
  int64_t numEntries() const;
  /// The cost of all parts.
  int64_t total() const;
  /// The bytes that all workspaces take per slot.
  int64_t workspaceBytes() const;
  /// The bytes that an entry takes in the result, or in a draft.
  int64_t entryBytes() const;

private:
  std::vector<Buffer> allocate() const;
  std::vector<Buffer> allocateDraft() const;
  void shrink(std::vector<Buffer> &buffers) const;
  void fill(const Step &by, const std::vector<Argument> &args,
            const std::vector<Argument> &results, Step::Drafted drafted,
            int64_t threads);
  void readSizes();
  void checkDraft() const;
  void sizeWorkspaces(const std::vector<Argument> &args);
  template <typename F>
  void callWithWorkspaces(int64_t threads, bool hasSums, F f);
  int64_t positionsAt(size_t level, int64_t parents) const;
  void checkBalance() const;
  void checkIndexTypes() const;

  std::vector<WorkspaceMemory> workspaces;
  Numbers<int64_t> offsets;
  Numbers<int64_t> kernelSizes; ///< Kernels write the sizes here.
};

class Plan {
public:
  /// With fewer workers than parts, a worker takes the next part when it is
  /// done with one; otherwise each worker does one part.
  Plan(std::shared_ptr<const Kernel> kernel, int64_t parts, int64_t workers);

  /// Runs all steps but the last, and only cuts the last one: first into
  /// parts / inner parts, then each of those into `inner` parts.
  void partition(const std::vector<Argument> &args, int64_t inner,
                 int64_t threads);
  void plan(const std::vector<Argument> &args, int64_t threads);
  /// Computes the result. With `isPlanned` the caller promises that the
  /// operands are those of plan(), unchanged, so that the results of inner
  /// steps are reused.
  std::vector<Buffer> execute(const std::vector<Argument> &args, bool isPlanned,
                              int64_t threads);

  const StepPlan &last() const { return steps.back(); }
  const std::vector<StepPlan> &all() const { return steps; }
  /// The bytes of the result of a step other than the last.
  int64_t listBytes(size_t step) const;

private:
  std::vector<Argument> argumentsOf(const Step &step,
                                    const std::vector<Argument> &args) const;
  void planInner(const std::vector<Argument> &args, int64_t threads);
  void planSteps(const std::vector<Argument> &args, int64_t threads);
  std::vector<Buffer> executeSteps(const std::vector<Argument> &args,
                                   bool isPlanned, int64_t threads);
  void startSteps();
  template <typename F>
  void draftOrCount(F f);

  std::shared_ptr<const Kernel> kernel;
  int64_t parts, workers;
  std::vector<StepPlan> steps;
  /// The results of all steps but the last.
  std::vector<std::vector<Buffer>> results;
  std::vector<int64_t> planned; ///< The sizes of the arguments of plan().
  std::mutex mutex;             ///< Guards the results and the workspaces.
  /// execute() was called on drafts, which allow only one call.
  std::atomic<bool> isSpent = false;
};

} // namespace nacho

#endif // NACHO_PLAN_H
