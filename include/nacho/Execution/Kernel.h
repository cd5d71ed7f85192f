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

/// The other ways to compile a kernel that plans ask for.
enum class Variant {
  counting,  ///< Counts the entries of every result before computing them.
  branching, ///< Branches on which operand of a union comes next.
};

/// A list of steps. Immutable: any number of threads may call it. The compiler
/// derives from it, since it knows how to compile the variants.
class Kernel : public std::enable_shared_from_this<Kernel> {
public:
  virtual ~Kernel();

  std::vector<TensorLayout> operands;
  std::vector<Step> steps;

  const Step &last() const { return steps.back(); }

  /// The variant in which no step makes drafts: this kernel, if none does.
  std::shared_ptr<const Kernel> counting() const;

  /// The variant with branches, once this kernel has merged so many entries
  /// that compiling it has paid; until then this kernel.
  const Kernel &branching(int64_t entries) const;

  Device &device() const { return executable->device(); }
  std::string llvm() const { return executable->llvm(); }
  std::string assembly() const { return executable->assembly(); }

protected:
  /// Compiles a variant. On failure returns null, and the diagnostics in
  /// `error`.
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
  mutable std::atomic<int64_t> merged = 0; ///< Entries.
};

} // namespace nacho

#endif // NACHO_EXECUTION_KERNEL_H
