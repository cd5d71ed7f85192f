//===- Reduction.h - Sources of reduced entries ---------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_REDUCTION_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_REDUCTION_H

#include "Emit.h"
#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {

/// The reduction of a nest. An entry may be computed from several sums, which
/// are reduced at the same time and may have different types. ("Sum" stands for
/// the result of any reduction.)
class Reduction {
public:
  Reduction(NestOp nest, llvm::ArrayRef<CoiterateOp> loops);

  MonoidAttr getMonoid() const { return monoid; }
  /// The types of the sums.
  llvm::ArrayRef<mlir::Type> getTypes() const { return types; }

  /// The values of the sums before anything is reduced.
  Values identities(mlir::ImplicitLocOpBuilder &b) const;

  /// What counts where an element is not stored.
  mlir::Value missing(mlir::ImplicitLocOpBuilder &b, mlir::Type type) const;

  /// The entry for sums to which `count` elements have been reduced. Elements
  /// that are not stored count as 0.
  mlir::Value finish(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange sums,
                     mlir::Value count, const mlir::IRMapping &mapping) const;

private:
  NestOp nest;
  MonoidAttr monoid;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<CoiterateOp> loops; ///< Over reduced indices.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_REDUCTION_H
