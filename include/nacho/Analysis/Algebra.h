//===- Algebra.h - Where an expression can differ from zero ---------------===//

#ifndef NACHO_ANALYSIS_ALGEBRA_H
#define NACHO_ANALYSIS_ALGEBRA_H

#include "nacho/IR/Nacho.h"

#include <optional>

namespace nacho {

/// What is known of an expression before any entry of an operand is read: its
/// value where every sparse operand is absent, and the coordinates at which it
/// may have another value.
struct ElementFacts {
  std::optional<double> background; ///< Nothing if it is not known yet.
  MergeAttr pattern;                ///< Over the operands of the assignment.

  bool isZeroPreserving() const { return background && *background == 0.0; }
};

/// Derives the facts of every value in the body of an assignment from the table
/// of operators: what each computes of zeros, and what annihilates it.
class ElementAlgebra {
public:
  explicit ElementAlgebra(AssignOp op);

  const ElementFacts &get(mlir::Value value) const {
    return facts.find(value)->second;
  }

  /// Whether `value`, if it is computed with zeros in place of absent entries,
  /// may not come out as 0 outside its pattern. By definition a product with an
  /// absent operand is 0, as is the quotient of an absent dividend; arithmetic
  /// makes NaN of 0 * inf and of 0 / 0. Every other operator is what arithmetic
  /// makes of zeros.
  bool mayLeak(mlir::Value value) const;

private:
  ElementFacts derive(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, ElementFacts> facts;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_ALGEBRA_H
