//===- StatementSplitter.h - Removes obstacles to loops -------------------===//

#ifndef NACHO_LIB_TRANSFORMS_STATEMENTSPLITTER_H
#define NACHO_LIB_TRANSFORMS_STATEMENTSPLITTER_H

#include "StatementEditor.h"
#include "nacho/Analysis/LoopCost.h"

namespace nacho {

/// Removes the obstacles to loops that follow all tensors from one assignment,
/// one after the other.
class StatementSplitter : StatementEditor {
public:
  /// The choices that statements may make.
  struct Choices {
    bool wholeRows;      ///< Collect whole rows of the result.
    bool sortProducts;   ///< Sort products instead of scattering them over a
                         ///< dense result.
    bool transposeDense; ///< Transpose dense operands that loops step across.
  };
  /// Adds the statements that make lists to `statements`.
  StatementSplitter(AssignOp op, mlir::OpBuilder &builder,
                    llvm::SmallVectorImpl<AssignOp> &statements,
                    Choices choices)
      : StatementEditor(op, builder), statements(statements), choices(choices) {
  }

  mlir::LogicalResult run();

private:
  mlir::FailureOr<bool> step();
  mlir::FailureOr<bool> followOrder(const Terms &terms,
                                    const LoopOrder &proposed);
  bool rewrite(const Terms &terms, const Term &term, const TermOrder &order,
               const LoopOrder &proposed);
  bool canCollect(const TermOrder &order);
  IndexNames indicesOf(const Term &term, llvm::ArrayRef<mlir::Attribute> first);
  bool canList(const Term &term);
  bool isOpen(const Term &term);
  TermOrder orderOf(const Term &term, MonoidAttr reduction,
                    const LoopOrder &order);
  mlir::RankedTensorType listType(llvm::ArrayRef<mlir::Attribute> access,
                                  mlir::Type element,
                                  llvm::ArrayRef<unsigned> inputs);
  void rearrange(const Term &term, const TermOrder &order);
  void transposeDense();
  void scatter(const Term &term, const TermOrder &order, const LoopOrder &loops,
               bool isOnlySum);
  AssignOp makeList(CollectKind kind, mlir::Value value,
                    llvm::ArrayRef<unsigned> inputs,
                    llvm::ArrayRef<mlir::Attribute> access,
                    llvm::ArrayRef<mlir::Attribute> loops);
  mlir::Value makeRows(AssignOp list, mlir::RankedTensorType type);
  AssignOp makeSums(const Term &term, llvm::ArrayRef<mlir::Attribute> access,
                    llvm::ArrayRef<mlir::Attribute> loops);
  mlir::Attribute partIndex();

  llvm::SmallVectorImpl<AssignOp> &statements;
  Choices choices;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_STATEMENTSPLITTER_H
