//===- Executable.h - Executable code of a module -------------------------===//
//
// Executable.h and Device.h are the runtime half of a backend, and all that
// lib/Execution knows of a backend.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_EXECUTABLE_H
#define NACHO_EXECUTION_EXECUTABLE_H

#include "nacho/Execution/Device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace nacho {

/// The functions that a step may export; Step.h says what each does.
enum class Phase {
  partition,
  plan,
  execute,
  compact,
  run,
  assemble,
  scan,
  fill,
  clear,
  compute,
  combine
};
inline constexpr size_t kNumPhases = 11;

/// The name of a phase in the names of functions.
const char *nameOf(Phase phase);

/// The names of the functions of one step, by phase; empty for a phase that the
/// step does not have.
using StepFunctions = std::array<std::string, kNumPhases>;

/// A compiled module. Any number of threads may call its functions at a time.
class Executable {
public:
  virtual ~Executable();

  /// The device in whose memory the arrays of a call must lie.
  virtual Device &device() const = 0;

  /// Calls a function of a step and returns when it is done. Each of its
  /// parameters is one word: an integer, or the address of a memref descriptor
  /// (allocated, aligned, offset, sizes, strides).
  virtual void call(size_t step, Phase phase, const int64_t *words) const = 0;

  /// Whether callers can run this function of a step, which others call, too.
  virtual bool has(size_t /*step*/, Phase /*phase*/) const { return false; }

  /// The module after optimisation, as LLVM IR and as assembly.
  virtual std::string llvm() const = 0;
  virtual std::string assembly() const = 0;
};

} // namespace nacho

#endif // NACHO_EXECUTION_EXECUTABLE_H
