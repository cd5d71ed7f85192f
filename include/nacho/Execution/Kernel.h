//===- Kernel.h - A module with all its variants --------------------------===//

#ifndef NACHO_EXECUTION_KERNEL_H
#define NACHO_EXECUTION_KERNEL_H

#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/Program.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nacho {

/// The reason why a module could not be compiled.
struct Failure {
  std::string text; ///< The diagnostics.
  /// The operand of a statement that is refused, by its number, or its result.
  std::optional<size_t> operand;
  bool isResult = false;
  bool isUnsupported = false; ///< The module is valid.
  bool isDense = false; ///< The result would be, though it is to be sparse.
  std::string reason;   ///< What follows the tensor's name in a sentence.
};

/// A module could not be compiled.
struct CompileError : std::runtime_error {
  explicit CompileError(Failure failure)
      : std::runtime_error(failure.text), failure(std::move(failure)) {}

  Failure failure;
};

/// A module whose variants are compiled when they are first needed. Any number
/// of threads may use a kernel at a time. The compiler derives a class that
/// knows how to compile.
class Kernel {
public:
  Kernel(Device &device, std::vector<TensorLayout> operands,
         const Chooser &chooser);
  virtual ~Kernel();

  Device &device;
  const std::vector<TensorLayout> operands;
  const Chooser chooser;

  /// The program of a variant. Throws CompileError.
  std::shared_ptr<const Program> program(const Variant &variant) const;

  /// Counts entries that were merged. Returns how many in all calls so far.
  int64_t addMerged(int64_t entries) const { return merged += entries; }

protected:
  /// Compiles a variant. On failure returns null and sets `error` to the
  /// diagnostics; also if a signal has stopped it (see Stop.h).
  virtual std::shared_ptr<const Program> compile(const Variant &variant,
                                                 Failure &error) const = 0;

private:
  /// The place of a program, which the first thread that needs it compiles.
  struct Place {
    Place(int forks, std::shared_ptr<const Program> program)
        : forks(forks), program(std::move(program)) {}

    const int forks;      ///< The number of the process by timesForked().
    std::mutex compiling; ///< Held while the program is made.
    std::shared_ptr<const Program> program;
  };
  Place &placeOf(const Variant &variant) const;
  std::shared_ptr<const Program> withoutDrafts(const Variant &variant) const;

  mutable std::unordered_map<Variant, std::unique_ptr<Place>> places;
  mutable std::atomic<int64_t> merged = 0;
};

} // namespace nacho

#endif // NACHO_EXECUTION_KERNEL_H
