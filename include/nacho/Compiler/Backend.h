//===- Backend.h - The interface of a target ------------------------------===//
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
  /// The key for a cache: the module and the options. The code depends on
  /// nothing else but the compiler and the machine.
  std::string key;
  /// The names of the functions that each step exports.
  std::vector<StepFunctions> steps;
  /// The sanitizer that the code is instrumented for: see CompileOptions.def.
  std::string sanitizer;
  /// Lowers the module to the last stage of the backend. The backend calls this
  /// at most once, and only if no cache has the code.
  llvm::function_ref<mlir::FailureOr<mlir::ModuleOp>()> lower;
  /// The location at which diagnostics are reported.
  mlir::Location loc;
};

class Backend {
public:
  virtual ~Backend();

  /// The name by which users choose the target. Its pipeline is
  /// `--nacho-<name>`, with `summary` as its help text.
  virtual llvm::StringRef name() const = 0;
  virtual llvm::StringRef summary() const = 0;

  virtual Capabilities capabilities() const = 0;

  /// The stages after `assemble`.
  virtual std::vector<Stage> loweringStages() const = 0;

  /// The width of the vector registers in which kernels compare coordinates on
  /// this machine; 0 if kernels should not use vectors.
  virtual unsigned vectorBits() const { return 0; }
  /// Whether kernels that merge by keys, which have 64 bits, compare them in
  /// registers of 512 bits on this machine.
  virtual bool hasWideKeys() const { return false; }
  /// Whether this machine gathers the elements of a vector from memory faster
  /// than it loads one after the other.
  virtual bool hasFastGathers() const { return false; }

  /// The sanitizer that kernels are instrumented for unless the caller asks for
  /// another: "none", but in a build of Nacho that is instrumented itself.
  virtual llvm::StringRef sanitizer() const { return "none"; }

  /// The reason why this process can run nothing on the device of the backend;
  /// empty if it can.
  virtual std::string refusal() const { return ""; }

  /// The device that executables run on; null if the backend has no runtime and
  /// can only lower modules.
  virtual Device *device() const { return nullptr; }

  /// The GPU that PTX is for unless the caller names another.
  virtual std::string chip() const { return CompileOptions().chip; }

  /// Compiles a module. Reports failures as diagnostics; always fails without a
  /// device.
  virtual mlir::FailureOr<std::unique_ptr<Executable>>
  compile(const CompileRequest &request) const;

  /// The reason why code that could be kept on disk is not, or nothing.
  virtual std::string cacheRefusal() const { return ""; }
  /// The directory that keeps compiled code; empty if none does.
  virtual std::string cacheDirectory() const { return ""; }

  /// All stages, in order.
  std::vector<Stage> stages() const;

  /// The stages up to and including `last`; none if there is no such stage.
  std::vector<Stage> stagesUntil(llvm::StringRef last) const;
};

} // namespace nacho

#endif // NACHO_COMPILER_BACKEND_H
