//===- Plan.h - One kernel on one set of operands -------------------------===//
//
// Runs the steps of a kernel: everything up to the allocation of the result
// (`plan`), and everything after (`execute`), again and again if need be. What
// one step hands on to another is kept in between.
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

/// A kernel that has to have whole rows at once is not for these operands: a
/// row is too long, or too large a part of the work.
struct RowsTooHeavy : std::runtime_error {
  RowsTooHeavy() : std::runtime_error("rows are too heavy to be left whole") {}
};

/// There is no room for as many entries as parts may append; which have to be
/// counted then.
struct DraftTooLarge : std::runtime_error {
  DraftTooLarge() : std::runtime_error("a draft is too large") {}
};

/// A workspace of a step, with a row for each slot: kept from call to call, and
/// empty in between.
class WorkspaceMemory {
public:
  WorkspaceMemory(Device &device, const WorkspaceLayout &layout)
      : device(&device), layout(layout) {}

  /// No more places than twice the entries of an operand are needed at first;
  /// up to a moderate extent every coordinate gets one.
  void limitTo(int64_t entries);
  void coverExtent(int64_t extent);
  /// It was full. One without keys has what the extent needs.
  void grow();
  Workspace prepare(int64_t threads, bool hasElements);
  /// The bytes of a thread, with elements.
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
  /// Runs the step, or the same one of another kernel; returns the result, by
  /// level, and then the values.
  std::vector<Buffer> execute(const Step &by, const std::vector<Argument> &args,
                              int64_t threads);
  /// The same once more, unless the step makes drafts.
  void executeAgain(const std::vector<Argument> &args,
                    const std::vector<Buffer> &results, int64_t threads);
  /// The result as arguments of another step.
  std::vector<Argument> arguments(const std::vector<Buffer> &buffers) const;

  const Step *step;
  int64_t parts;
  int64_t workers; ///< Who are to have the same work.
  /// A branch predictor does well in the innermost loop.
  bool isForeseen = false;
  Numbers<int64_t> bounds;
  std::vector<int64_t> sizes; ///< As they were read back last.

  int64_t numEntries() const;
  int64_t total() const;
  /// Bytes of the workspaces, by thread; and of an entry of the result, or of a
  /// draft of it.
  int64_t workspaceBytes() const;
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
  Numbers<int64_t> kernelSizes; ///< What kernels write.
};

class Plan {
public:
  /// Of the given number of workers each does some of the parts; or one.
  Plan(std::shared_ptr<const Kernel> kernel, int64_t parts, int64_t workers);

  /// Only cuts the last step: into parts / inner parts first, and each of those
  /// into `inner`.
  void partition(const std::vector<Argument> &args, int64_t inner,
                 int64_t threads);
  void plan(const std::vector<Argument> &args, int64_t threads);
  /// With `isPlanned` the operands are those that were planned, and have not
  /// changed since.
  std::vector<Buffer> execute(const std::vector<Argument> &args, bool isPlanned,
                              int64_t threads);

  const StepPlan &last() const { return steps.back(); }
  const std::vector<StepPlan> &all() const { return steps; }
  /// The bytes of what a step hands on to later ones.
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
  std::vector<int64_t> planned; ///< The sizes of the operands.
  std::mutex mutex;             ///< Of the results.
  /// Drafts have been made results.
  std::atomic<bool> isSpent = false;
};

} // namespace nacho

#endif // NACHO_PLAN_H
