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

namespace nacho {

/// A module in a context of its own, and the diagnostics on it.
class Compilation {
public:
  /// Clears `errors`. While the compilation lives, it adds all diagnostics but
  /// remarks to `errors`, and remarks to `remarks`. With `namesPlaces`, errors
  /// say where in the text they are.
  explicit Compilation(std::string &errors, bool namesPlaces = true);

  /// Parses a module. Its values keep the names that they have in the text.
  mlir::LogicalResult parse(llvm::StringRef text);

  /// The only function of the module. Fails with a diagnostic if the module has
  /// another number of functions.
  mlir::FailureOr<mlir::func::FuncOp> onlyFunction();

  /// Runs the passes after the last stage that was run, up to stage `last`.
  mlir::LogicalResult runTo(llvm::StringRef last, const Backend &backend,
                            const CompileOptions &options);

  /// The module as text, in which values are called by their names.
  std::string print();

private:
  NoFork noFork; ///< MLIR and LLVM know nothing of forks.

public:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> remarks; ///< What passes say about the statements.

private:
  void collect(mlir::Diagnostic &diagnostic);

  bool namesPlaces;
  size_t numDone = 0; ///< How many of the backend's stages have been run.
  std::string &errors;
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
