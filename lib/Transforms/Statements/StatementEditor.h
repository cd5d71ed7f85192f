//===- StatementEditor.h - Moves parts of a statement to others -----------===//

#ifndef NACHO_LIB_TRANSFORMS_STATEMENTEDITOR_H
#define NACHO_LIB_TRANSFORMS_STATEMENTEDITOR_H

#include "nacho/Analysis/LoopOrder.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Changes one assignment so that it reads what other assignments compute.
class StatementEditor {
protected:
  StatementEditor(AssignOp op, mlir::OpBuilder &builder)
      : op(op), b(withoutName(op.getLoc()), builder) {}

  /// Inserts a statement that computes a value of the body from some of the
  /// inputs: result[access] = value, reduced over the indices `reduced`. Its
  /// loops run in the order of `loops`, unless that is empty.
  AssignOp makeStatement(CollectKind kind, mlir::RankedTensorType type,
                         mlir::Value value, llvm::ArrayRef<unsigned> inputs,
                         llvm::ArrayRef<mlir::Attribute> access,
                         llvm::ArrayRef<mlir::Attribute> loops,
                         llvm::ArrayRef<mlir::Attribute> reduced,
                         MonoidAttr reduction = {});
  /// The loops that the assignment asks for, without those over indices that
  /// none of the inputs has; none if it asks for none.
  IndexNames loopsOver(llvm::ArrayRef<unsigned> inputs);
  /// Lets the assignment ask for loops over its own indices only.
  void dropLoops();
  /// Returns an element of a tensor in the body. The tensor becomes an input of
  /// the assignment, unless it is one that is accessed so.
  mlir::BlockArgument bind(mlir::Value tensor,
                           llvm::ArrayRef<mlir::Attribute> access);
  /// The equations of the indices by which some of the inputs and a result are
  /// accessed, and those that these use.
  llvm::SmallVector<mlir::Attribute>
  equationsFor(llvm::ArrayRef<unsigned> inputs,
               llvm::ArrayRef<mlir::Attribute> access);
  /// Gives a statement equations, and operands of the assignment that have the
  /// extents of indices which none of the statement's own operands has.
  void setEquations(AssignOp made, llvm::ArrayRef<mlir::Attribute> equations);
  /// Replaces a term by another value that is reduced over `reduced`. Other
  /// terms may be computed from the same value, and stay.
  void replace(const Term &term, mlir::Value value,
               llvm::ArrayRef<mlir::Attribute> reduced);
  /// Replaces a term by what it computes from other values than those that the
  /// mapping replaces.
  void compute(const Term &term, mlir::IRMapping &from);
  /// Removes ops and inputs that the statement no longer uses. If it has
  /// equations, inputs stay, which may have the extents of indices.
  void dropUnused();

  AssignOp op;
  mlir::ImplicitLocOpBuilder b;
};

/// The monoid that a term is reduced by; addition if it is not reduced.
MonoidAttr monoidOf(const Term &term);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_STATEMENTEDITOR_H
