//===- InPlace.h - Outputs that ops may overwrite ---------------*- C++ -*-===//

#ifndef NACHO_SPARSIFIER_INPLACE_H
#define NACHO_SPARSIFIER_INPLACE_H

#include "nacho/Transforms/KernelBuilder.h"

#include "llvm/ADT/DenseSet.h"

namespace nacho {

/// The ops of a module that MLIR's bufferization would let overwrite their
/// output: nobody reads what was in it, neither later in the function nor, if
/// it is an argument, in a function that calls this one.
class InPlaceOutputs {
public:
  /// None of them.
  InPlaceOutputs() = default;
  explicit InPlaceOutputs(mlir::ModuleOp module);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }

private:
  llvm::DenseSet<mlir::Operation *> ops;
};

/// Whether the result of a kernel has exactly the entries of an argument.
bool keepsEntries(mlir::ModuleOp kernel, unsigned argument);

} // namespace nacho

#endif // NACHO_SPARSIFIER_INPLACE_H
