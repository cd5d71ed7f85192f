//===- Backend.h - What the compiler needs of a target --------------------===//
//
// The compile half of a backend; lib/Execution has the runtime half. All
// backends share the stages up to `assemble`, after which a module holds the
// operations of ParallelOps.td for each backend to lower.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_COMPILER_BACKEND_H
#define NACHO_COMPILER_BACKEND_H

#include "nacho/Compiler/Pipelines.h"
#include "nacho/Execution/Executable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace nacho {

/// A module to be compiled.
struct CompileRequest {
  /// Everything that the code depends on besides the compiler and the machine:
  /// the text of the module and the options, which is the key for a cache.
  std::vector<std::string> key;
  /// What each step exports.
  std::vector<StepFunctions> steps;
  /// Lowers the module to the last stage of the backend; to be called at most
  /// once, and only if no cache has the code.
  llvm::function_ref<mlir::FailureOr<mlir::ModuleOp>()> lower;
  /// For diagnostics.
  mlir::Location loc;
};

class Backend {
public:
  virtual ~Backend();

  /// What `target` is called by users, and `--nacho-<name>` does.
  virtual llvm::StringRef name() const = 0;
  virtual llvm::StringRef summary() const = 0;

  virtual Capabilities capabilities() const = 0;

  /// The stages after `assemble`.
  virtual std::vector<Stage> loweringStages() const = 0;

  /// The width of the vector registers in which kernels of this machine compare
  /// coordinates; 0 if they should do without.
  virtual unsigned vectorBits() const { return 0; }

  /// What executables run on; null if there is no runtime, and modules are only
  /// lowered.
  virtual Device *device() const { return nullptr; }

  /// Compiles a module, if there is a device. On failure there are diagnostics.
  virtual mlir::FailureOr<std::unique_ptr<Executable>>
  compile(const CompileRequest &request) const;

  /// All stages, in order.
  std::vector<Stage> stages() const;

  /// The stages up to the one of that name; none if there is no such stage.
  std::vector<Stage> stagesUntil(llvm::StringRef last) const;
};

} // namespace nacho

#endif // NACHO_COMPILER_BACKEND_H
