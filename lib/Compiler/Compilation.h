//===- Compilation.h - A module on its way through the stages -------------===//

#ifndef NACHO_LIB_COMPILATION_H
#define NACHO_LIB_COMPILATION_H

#include "nacho/Compiler/Backend.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Execution/Step.h"
#include "nacho/Runtime/Fork.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <mutex>

namespace nacho {

/// A context of MLIR with a module at the stage `assign`, for one compilation
/// at a time.
struct ParsedModule {
  ParsedModule();

  std::mutex mutex;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Type> given;
};

/// A module that is parsed once for all that is done with it before its first
/// program is compiled. Parsed modules take much more memory than texts, so
/// what comes later parses the text again.
class AssignedModule {
public:
  AssignedModule(std::string text, std::shared_ptr<ParsedModule> parsed)
      : text(std::move(text)), parsed(std::move(parsed)) {}

  std::shared_ptr<ParsedModule> get() const;
  /// Frees the memory of the parsed module, when nobody uses it.
  void drop() const;

private:
  std::string text;
  mutable std::mutex mutex;
  mutable std::shared_ptr<ParsedModule> parsed; ///< Null if it was dropped.
};

/// A module on its way, and the diagnostics on it. A thread has one compilation
/// of the copies of a module at a time.
class Compilation {
public:
  /// Clears `errors`. While the compilation lives, it adds all diagnostics but
  /// remarks to `errors`, and remarks to `remarks`. With `namesPlaces`, errors
  /// say where in the text they are.
  explicit Compilation(Failure &errors, bool namesPlaces = true);

  /// Goes on with a copy of a module.
  Compilation(const AssignedModule &from, Failure &errors,
              bool namesPlaces = true);

  /// Parses a module. Its values keep the names that they have in the text.
  mlir::LogicalResult parse(llvm::StringRef text);

  /// The only function of the module. Fails with a diagnostic if the module has
  /// another number of functions.
  mlir::FailureOr<mlir::func::FuncOp> onlyFunction();

  /// The types that the function of a copied module had before the stage
  /// `assign`: arguments, then results.
  llvm::ArrayRef<mlir::Type> given() const { return owner->given; }

  /// Runs the passes after the last stage that was run, up to stage `last`.
  mlir::LogicalResult runTo(llvm::StringRef last, const Backend &backend,
                            const CompileOptions &options);

  /// The module as text, in which values are called by their names.
  std::string print();

  /// Parses a module, and lowers it to the stage `assign`. Gives it up, so that
  /// others can go on with copies; returns null on failure.
  std::shared_ptr<ParsedModule> assign(llvm::StringRef text);

private:
  NoFork noFork; ///< MLIR and LLVM know nothing of forks.
  std::shared_ptr<ParsedModule> owner;
  std::unique_lock<std::mutex> lock;

public:
  mlir::MLIRContext &context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> remarks; ///< The remarks on the statements.

private:
  Compilation(std::shared_ptr<ParsedModule> owner, Failure &errors,
              bool namesPlaces);
  void collect(mlir::Diagnostic &diagnostic);
  mlir::LogicalResult run(llvm::ArrayRef<Stage> stages,
                          const Capabilities &capabilities,
                          const PipelineOptions &options, bool mayStop = true);

  bool namesPlaces;
  size_t numDone = 0; ///< The number of the backend's stages that are done.
  Failure &errors;
  mlir::ScopedDiagnosticHandler handler;
};

/// Lowers a module from loops to the stage `assemble`, and reads its steps and
/// their names there.
mlir::LogicalResult lowerToSteps(Compilation &compilation,
                                 const Backend &backend,
                                 const CompileOptions &options,
                                 std::vector<Step> &steps,
                                 std::vector<std::string> &names);

} // namespace nacho

#endif // NACHO_LIB_COMPILATION_H
