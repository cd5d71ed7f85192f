//===- Algebra.h - Sparsity of an expression ------------------------------===//

#ifndef NACHO_ANALYSIS_ALGEBRA_H
#define NACHO_ANALYSIS_ALGEBRA_H

#include "nacho/IR/Nacho.h"

#include <optional>

namespace nacho {

/// The facts about an expression that are known at compile time: its value
/// where every sparse operand is absent, and the coordinates at which it may
/// have another value.
struct ElementFacts {
  std::optional<double> background; ///< None if it is not known.
  MergeAttr pattern;                ///< Over the operands of the assignment.
  /// A complex number that is infinite or no number. It is not 0, though it is
  /// not known, since its imaginary part is not.
  bool isNotFinite = false;

  bool isZeroPreserving() const { return background && *background == 0.0; }
};

/// Derives the facts of every value in the body of an assignment. The table of
/// operators says what each operator computes from zeros, and which operands
/// annihilate it.
class ElementAlgebra {
public:
  explicit ElementAlgebra(AssignOp op);

  const ElementFacts &get(mlir::Value value) const {
    return facts.find(value)->second;
  }

  /// Whether `value` may differ from 0 outside its pattern if absent entries
  /// are replaced by zeros. By definition, a product with an absent operand is
  /// 0, and so is a quotient with an absent dividend; but in arithmetic, 0 *
  /// inf and 0 / 0 are NaN. All other operators are defined by arithmetic on
  /// zeros.
  bool mayLeak(mlir::Value value) const;

private:
  ElementFacts derive(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, ElementFacts> facts;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_ALGEBRA_H
