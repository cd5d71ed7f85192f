//===- Compilation.h - A module on its way through the stages -------------===//

#ifndef NACHO_LIB_COMPILATION_H
#define NACHO_LIB_COMPILATION_H

#include "nacho/Compiler/Backend.h"
#include "nacho/Compiler/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacho {

/// A module in a context of its own, and what is said about it.
class Compilation {
public:
  /// Writes the diagnostics to `errors` while it lives.
  explicit Compilation(std::string &errors);

  /// Parses a module, of which the values keep their names.
  mlir::LogicalResult parse(llvm::StringRef text);

  /// The only function of the module. If there is another number, there is a
  /// diagnostic.
  mlir::FailureOr<mlir::func::FuncOp> onlyFunction();

  /// Runs the passes from the stage that is reached up to another one.
  mlir::LogicalResult runTo(llvm::StringRef last, const Backend &backend,
                            const CompileOptions &options);

  /// The module as text, in which values are called by their names.
  std::string print();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  void collect(mlir::Diagnostic &diagnostic);

  size_t numDone = 0; ///< Of the backend's stages.
  std::string &errors;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace nacho

#endif // NACHO_LIB_COMPILATION_H
