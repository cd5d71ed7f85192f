//===- LinalgSemirings.h - Operators with regions per storage pattern -----===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGSEMIRINGS_H
#define NACHO_LIB_TRANSFORMS_LINALGSEMIRINGS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Translates those values of the body of a linalg op that depend on where
/// operands have entries: results of `sparse_tensor.unary`, `binary` and
/// `select`, and what is computed from them.
class SemiringTranslator {
public:
  /// `mapping` has the elements that the assignment binds, and whatever has
  /// been translated already; `bindNumber` makes an element of a number from
  /// outside of the body, or returns null.
  SemiringTranslator(mlir::ImplicitLocOpBuilder &b, mlir::IRMapping &mapping,
                     std::function<mlir::Value(mlir::Value)> bindNumber)
      : b(b), mapping(mapping), bindNumber(std::move(bindNumber)) {}

  /// Whether an op is one of the above.
  bool takes(mlir::Operation &op) const;

  /// Translates such an op, and maps its result. Emits an error if it cannot.
  mlir::LogicalResult translate(mlir::Operation &op);

  /// Lets a value that is reduced or yielded be stored only where the body
  /// yields something.
  void keep(mlir::Value value);

private:
  mlir::Value elementOf(mlir::Value value);
  mlir::Value whereStored(mlir::Value value);
  void define(mlir::Value result, mlir::Value value, mlir::Value isStored);

  mlir::LogicalResult translateUnary(mlir::sparse_tensor::UnaryOp op);
  mlir::LogicalResult translateBinary(mlir::sparse_tensor::BinaryOp op);
  mlir::LogicalResult translateSelect(mlir::sparse_tensor::SelectOp op);
  mlir::LogicalResult translateOther(mlir::Operation &op);

  mlir::FailureOr<mlir::Value> inlineRegion(mlir::Region &region,
                                            mlir::ValueRange args);
  mlir::LogicalResult bindOperands(mlir::Operation &op);

  mlir::ImplicitLocOpBuilder &b;
  mlir::IRMapping &mapping;
  std::function<mlir::Value(mlir::Value)> bindNumber;
  /// The conditions under which the results of translated ops are stored.
  llvm::DenseMap<mlir::Value, mlir::Value> conditions;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGSEMIRINGS_H
