//===- StatementEditor.h - Moves parts of a statement to others -----------===//

#ifndef NACHO_LIB_TRANSFORMS_STATEMENTEDITOR_H
#define NACHO_LIB_TRANSFORMS_STATEMENTEDITOR_H

#include "nacho/Analysis/LoopOrder.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"

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
  /// Adds an input to the assignment; returns its element in the body.
  mlir::BlockArgument bind(mlir::Value tensor,
                           llvm::ArrayRef<mlir::Attribute> access);
  /// Removes ops and inputs that the statement no longer uses.
  void dropUnused();

  AssignOp op;
  mlir::ImplicitLocOpBuilder b;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_STATEMENTEDITOR_H
