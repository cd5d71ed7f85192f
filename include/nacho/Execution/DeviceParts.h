//===- DeviceParts.h - Parts that a device runs without the others --------===//
//
// The same parts as in LonePart.h, but all of a group run at a time, each by
// threads of a device. A device has more threads than there are parts that a
// caller knows: it may divide a part into inner ones, whose cuts nobody else
// needs to know.
//
// A group that is not the first follows an empty part: kernels let the first
// part that they run write what is before the first entry of the whole result.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_DEVICEPARTS_H
#define NACHO_EXECUTION_DEVICEPARTS_H

#include "nacho/Execution/Plan.h"

namespace nacho {

/// Parts of a step that follow each other, on a device. A function returns a
/// refusal if the arguments are not those that the parts were planned for.
class DeviceParts {
public:
  /// The parts are not empty. Each is divided into `inner` parts; only a single
  /// one may be, and the costs in its cuts must then be those of what the
  /// arguments have. A step that has rows of sums is divided nowhere else than
  /// it is planned to be.
  DeviceParts(const Step &step, const LonePart &given, int64_t inner);

  /// Counts what the given parts append: `found` become their rows.
  std::optional<Refusal> count(const std::vector<Argument> &args,
                               std::vector<int64_t> &found);
  /// Computes the parts. `results` and `sums`, in the memory of the host,
  /// become what they write, and their rows.
  std::optional<Refusal> compute(const std::vector<Argument> &args,
                                 const std::vector<WindowArgument> &results,
                                 const Step::Sums &sums);

private:
  Step::Parts parts() const;
  void divide(const std::vector<Argument> &args);
  std::optional<Refusal> countAll(const std::vector<Argument> &args);
  void scan(const std::vector<Argument> &args);
  std::optional<Refusal> place(const std::vector<Argument> &args);

  const Step &step;
  const LonePart &given;
  int64_t inner;
  int64_t front; ///< The number of empty parts before the given ones.
  int64_t launched;
  StepPlan plan; ///< Has the workspaces.
  Numbers<int64_t> bounds, order, offsets, counts;
};

/// The cuts that cutsBetween() finds, each by a thread of a device.
std::vector<int64_t> cutsOnDevice(const Step &step,
                                  const std::vector<Argument> &args,
                                  const std::vector<int64_t> &lower,
                                  const std::vector<int64_t> &upper,
                                  const std::vector<int64_t> &queries);

} // namespace nacho

#endif // NACHO_EXECUTION_DEVICEPARTS_H
