//===- LoopBody.h - Loops that can take several steps at once -------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_LOOPBODY_H
#define NACHO_LIB_OPTIMIZATIONS_LOOPBODY_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {

/// A value that a loop carries from step to step.
struct CarriedValue {
  enum Kind {
    counter, ///< Grows by the same number in each step.
    sum,     ///< Has a term added, or a flag joined by `or`.
  } kind;
  mlir::Operation *update; ///< The op that makes the next value of this one.
  mlir::Value term;        ///< What is added.

  bool isFlag() const { return kind == sum && term.getType().isInteger(1); }
};

/// Which values of a loop's body differ between its steps, and how.
class LoopBody {
public:
  explicit LoopBody(mlir::scf::ForOp loop)
      : loop(loop), step(loop.getInductionVar()) {}

  /// Whether the loop can take several steps at once, and adds up terms that
  /// may be reordered.
  bool canUseLanes();

  /// Whether the loop loads elements at coordinates that it has loaded.
  bool looksUp();

  bool differs(mlir::Value value) const { return varying.contains(value); }
  /// Whether a value grows by 1 in each step, as the number of the step does,
  /// if the conditions hold.
  bool isStep(mlir::Value value);
  bool updates(mlir::Operation *op) const {
    return llvm::any_of(
        carried, [&](const CarriedValue &one) { return one.update == op; });
  }

  llvm::SmallVector<CarriedValue> carried;
  /// What is the same in all steps, and has to hold for several at once: that
  /// the coordinates of rows are below their extents.
  llvm::SetVector<mlir::Value> conditions;

private:
  bool classify(mlir::BlockArgument arg, mlir::Value next);
  bool canUseLanes(mlir::Operation &op);
  bool isLoaded(mlir::Value value) const;
  bool isKnownBefore(mlir::Value value);

  mlir::scf::ForOp loop;
  mlir::Value step; ///< The number of the step.
  llvm::DenseSet<mlir::Value> varying;
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_LOOPBODY_H
