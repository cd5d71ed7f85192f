//===- LinalgOutput.h - Outputs of linalg ops -----------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGOUTPUT_H
#define NACHO_LIB_TRANSFORMS_LINALGOUTPUT_H

#include "LinalgBody.h"

#include "llvm/ADT/SetVector.h"

namespace nacho {

/// The content of an output before a linalg op: the elements of a tensor, or
/// the same element everywhere. Of an uninitialised tensor, that is 0.
struct OutputStart {
  mlir::Value tensor;       ///< Null, if all elements are the same one.
  mlir::Value number;       ///< The element, if it is not a constant of arith.
  mlir::TypedAttr constant; ///< Or else the constant; null for any zero.

  bool isZero() const;
};

OutputStart startOf(mlir::Value output);

/// An update of an element of an output by a body:
///
///   out <- out op f(...) op g(...) op ...
///
/// `op` is an operator that reduces; a sum may also have terms that are
/// subtracted.
class OutputUpdate {
public:
  /// Finds the update of a body's last argument; none if the body does
  /// something else with it.
  static std::optional<OutputUpdate> find(mlir::Block &body);

  ElementOperator by;

  /// Whether an op of the body is one that reads the output, or what comes of
  /// it. All other ops must be translated before `term` is called.
  bool contains(mlir::Operation *op) const;

  /// Builds f(...) op g(...) op ..., of the type `by.type`.
  mlir::Value term(mlir::ImplicitLocOpBuilder &b,
                   const mlir::IRMapping &mapping) const;

private:
  /// The ops from the one that reads the output to the one whose result is
  /// yielded: each reads the one before.
  llvm::SmallVector<mlir::OpOperand *> chain;
};

/// The ops that made what a linalg op reads, also inside of its body.
llvm::SetVector<mlir::Operation *> makersOfOperands(mlir::linalg::GenericOp op);

/// Erases ops whose results nothing uses, and then those that made their
/// operands.
void eraseUnused(llvm::SetVector<mlir::Operation *> ops);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGOUTPUT_H
