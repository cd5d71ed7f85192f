//===- LoopOrder.h - The terms of an assignment, and its loops ------------===//

#ifndef NACHO_ANALYSIS_LOOPORDER_H
#define NACHO_ANALYSIS_LOOPORDER_H

#include "nacho/IR/Nacho.h"

namespace nacho {

using IndexNames = llvm::SmallVector<mlir::Attribute>;

/// One of the values whose sum is assigned.
struct Term {
  mlir::Value value;
  bool isNegated = false;
  /// The indices over which the term is reduced. Once the loops are ordered,
  /// the indices of the term's loops that are not loops of the result,
  /// outermost first.
  IndexNames reduced;
  /// The operands of the assignment that it is computed from.
  llvm::SmallVector<unsigned> inputs;
  unsigned sum = 0; ///< The number of the sum to which the term belongs.
  /// The place where the term, or its reduction, is added or yielded.
  mlir::OpOperand *use = nullptr;
};

/// A sum of terms of one element type. The sum is converted when it is added to
/// a sum of another type.
struct Sum {
  mlir::Type type;
  unsigned parent = 0; ///< The sum that this one is added to.
  bool isNegated = false;
  unsigned numTerms = 0;
};

/// The right-hand side of an assignment as sums of terms, or as another
/// reduction of terms. The first sum is the value that is assigned.
struct Terms {
  llvm::SmallVector<Term> terms;
  llvm::SmallVector<Sum> sums;
  MonoidAttr reduction;   ///< Addition unless another one is written.
  bool isReduced = false; ///< Whether any term is reduced over an index.

  static mlir::FailureOr<Terms> split(AssignOp op);
};

/// The operands of the assignment that a value of its body is computed from.
llvm::SmallVector<unsigned> inputsOf(mlir::Value value);

/// The ops of the body that compute a value, in order.
llvm::SmallVector<mlir::Operation *> sliceOf(mlir::Value value);

/// An operand that the loops, in the chosen order, cannot read.
struct Obstacle {
  enum Kind {
    transposition, ///< Its levels are stored in another order.
    scatter, ///< It stores a reduced index outside an index of the result.
    diagonal ///< It is accessed with one index twice.
  } kind;
  unsigned term, input;
};

/// The loops of an assignment, outermost first: those over indices of the
/// result; one for the n-th reduced index of all terms, for every n; and those
/// over indices of the result that only dense tensors have, which are better
/// inside the reduction than outside.
struct LoopOrder {
  IndexNames result, inner;
  /// Indices of the result whose loops the user asked to be inside loops over
  /// reduced indices. They belong to the loops of the only term, not to
  /// `result`.
  IndexNames scattered;
  unsigned numReduced = 0;
  llvm::SmallVector<Obstacle> obstacles;

  unsigned size() const { return result.size() + numReduced; }

  /// Orders the loops, and the reduced indices of the terms as well. Reports
  /// obstacles, which rewriting operands can remove; refuses anything else.
  static mlir::FailureOr<LoopOrder> propose(AssignOp op, Terms &terms);
  /// The same, but refuses obstacles, too.
  static mlir::FailureOr<LoopOrder> choose(AssignOp op, Terms &terms);
};

/// The indices of an access in the order in which the tensor's levels store
/// them.
IndexNames storageOrder(mlir::Type type,
                        llvm::ArrayRef<mlir::Attribute> access);

/// The same, but an index that occurs again, as for a diagonal, gets a name of
/// its own.
IndexNames levelNames(mlir::Type type, llvm::ArrayRef<mlir::Attribute> access);

/// The index for which a name of `levelNames` stands.
mlir::Attribute repeatedIndex(mlir::Attribute name);

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPORDER_H
