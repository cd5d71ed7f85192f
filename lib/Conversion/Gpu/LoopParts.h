//===- LoopParts.h - Loops as states and steps ------------------*- C++ -*-===//
//
// An scf.for or an scf.while has a state: the numbers with which it decides if
// it goes on. Its body has arguments, which the decision computes of the state,
// and computes the state after a step.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_LOOPPARTS_H
#define NACHO_LIB_CONVERSION_GPU_LOOPPARTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace nacho {

/// Whether a loop goes on, and the values with which it does, or with which it
/// has ended.
struct Decision {
  mlir::Value goesOn;
  llvm::SmallVector<mlir::Value> values;
};

/// A loop, and copies of what is done with it.
class LoopParts {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  explicit LoopParts(mlir::Operation *op)
      : op(op), forOp(mlir::dyn_cast<mlir::scf::ForOp>(op)),
        whileOp(mlir::dyn_cast<mlir::scf::WhileOp>(op)) {}

  mlir::Block *body() {
    return forOp ? forOp.getBody() : whileOp.getAfterBody();
  }
  /// The arguments of the body: the values with which the loop goes on.
  mlir::ValueRange arguments() { return body()->getArguments(); }
  /// The state before the first step.
  Values inits(const mlir::IRMapping &mapping);
  Decision decide(mlir::ImplicitLocOpBuilder &b, mlir::IRMapping mapping,
                  mlir::ValueRange state);
  /// The state after the body, of which everything has been copied.
  Values next(mlir::ImplicitLocOpBuilder &b, const mlir::IRMapping &mapping);
  /// The results of the loop among the values with which it has ended.
  mlir::ValueRange results(mlir::ValueRange values) {
    return forOp ? values.drop_front() : values;
  }

  /// Returns which number of the state an argument of the body is; nothing if
  /// it is another value, or counts the steps.
  std::optional<unsigned> findInState(unsigned argument);
  /// Whether no decision depends on a number of the state, which is an
  /// argument.
  bool decidesWithout(unsigned state);
  /// What a number of the state is after a step.
  mlir::Value yielded(unsigned state) {
    return body()->getTerminator()->getOperand(forOp ? state - 1 : state);
  }

  mlir::Operation *op;

private:
  mlir::scf::ForOp forOp;
  mlir::scf::WhileOp whileOp;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_LOOPPARTS_H
