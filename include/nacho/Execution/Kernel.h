//===- Kernel.h - A compiled module, as plans see it ----------------------===//

#ifndef NACHO_EXECUTION_KERNEL_H
#define NACHO_EXECUTION_KERNEL_H

#include "nacho/Execution/Executable.h"
#include "nacho/Execution/Step.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nacho {

/// The variants of a kernel that plans may ask for.
enum class Variant {
  counting,  ///< Counts the entries of every result before computing them.
  branching, ///< Merges unions with branches instead of selects.
};

/// The steps of a compiled module, in the order in which they run. Any number
/// of threads may use a kernel at a time. The compiler derives a class that
/// knows how to compile the variants.
class Kernel : public std::enable_shared_from_this<Kernel> {
public:
  virtual ~Kernel();

  std::vector<TensorLayout> operands;
  std::vector<Step> steps;

  const Step &last() const { return steps.back(); }

  /// The variant in which no step makes a draft. Returns this kernel if none of
  /// its steps makes one.
  std::shared_ptr<const Kernel> counting() const;

  /// Called before this kernel merges `entries` entries. Returns the variant
  /// with branches as soon as this kernel has merged enough entries, in all
  /// calls, for compiling the variant to pay; until then this kernel.
  const Kernel &branching(int64_t entries) const;

  Device &device() const { return executable->device(); }
  std::string llvm() const { return executable->llvm(); }
  std::string assembly() const { return executable->assembly(); }

protected:
  /// Compiles a variant. On failure returns null and sets `error` to the
  /// diagnostics.
  virtual std::shared_ptr<const Kernel> compile(Variant variant,
                                                std::string &error) const = 0;

  std::unique_ptr<const Executable> executable;

private:
  /// A variant that is compiled when it is first asked for.
  struct Lazy {
    std::once_flag once;
    std::shared_ptr<const Kernel> kernel;
  };
  mutable Lazy withCounts, withBranches;
  mutable std::atomic<int64_t> merged = 0; ///< Entries, in all calls.
};

} // namespace nacho

#endif // NACHO_EXECUTION_KERNEL_H
