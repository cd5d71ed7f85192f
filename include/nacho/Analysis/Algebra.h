//===- Algebra.h - Where an expression can differ from zero ---------------===//

#ifndef NACHO_ANALYSIS_ALGEBRA_H
#define NACHO_ANALYSIS_ALGEBRA_H

#include "nacho/IR/Nacho.h"

#include <optional>

namespace nacho {

/// What is known of an element before any entry is: its value where every
/// sparse operand is absent, and the coordinates at which it may differ from
/// that.
struct ElementFacts {
  std::optional<double> background; ///< Not known if a runtime scalar is in it.
  MergeAttr pattern;                ///< Over the operands of the assignment.

  bool isZeroPreserving() const { return background && *background == 0.0; }
};

/// The facts of every value in the body of an assignment, from the identities
/// and annihilators of its operators.
class ElementAlgebra {
public:
  explicit ElementAlgebra(AssignOp op);

  const ElementFacts &get(mlir::Value value) const {
    return facts.find(value)->second;
  }

  /// Whether `value`, computed from zeros for absent entries, can be something
  /// else than 0 outside its pattern: a product with an absent operand is 0
  /// whatever the other one is, and so is a quotient of an absent operand. All
  /// other operators compute what they are of exact zeros.
  bool mayLeak(mlir::Value value) const;

private:
  ElementFacts derive(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, ElementFacts> facts;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_ALGEBRA_H
