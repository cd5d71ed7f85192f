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
  /// The indices it is reduced over; once the loops are ordered, those of its
  /// loops that are not the result's, the outermost first.
  IndexNames reduced;
  /// The operands of the assignment that it is computed from.
  llvm::SmallVector<unsigned> inputs;
  unsigned sum = 0; ///< That it belongs to.
};

/// A sum of terms. Sums of one type are converted before they are added to sums
/// of another.
struct Sum {
  mlir::Type type;
  unsigned parent = 0; ///< The sum that this one is added to.
  bool isNegated = false;
  unsigned numTerms = 0;
};

/// What is assigned, as sums, or another reduction, of terms. The first sum is
/// the one that is assigned.
struct Terms {
  llvm::SmallVector<Term> terms;
  llvm::SmallVector<Sum> sums;
  BinaryKind reduction = BinaryKind::add;
  bool isReduced = false; ///< Over an index, at least one of them.

  static mlir::FailureOr<Terms> split(AssignOp op);
};

/// The ops of the body that a value is computed by, in order.
llvm::SmallVector<mlir::Operation *> sliceOf(mlir::Value value);

/// An operand that loops in some order cannot read.
struct Obstacle {
  enum Kind {
    transposition, ///< Its levels are stored in another order.
    scatter,       ///< It stores a reduced index outside of one of the result.
    diagonal       ///< It is accessed with one index twice.
  } kind;
  unsigned term, input;
};

/// The loops of an assignment, outermost first: those over indices of the
/// result; one for the n-th reduced index of all terms, for every n; and those
/// over indices of the result that only dense tensors have, which are better
/// inside the reduction than outside.
struct LoopOrder {
  IndexNames result, inner;
  /// Indices of the result that the only term runs over inside of others which
  /// it is reduced over, as it was asked for: they are in its loops.
  IndexNames scattered;
  unsigned numReduced = 0;
  llvm::SmallVector<Obstacle> obstacles;

  unsigned size() const { return result.size() + numReduced; }

  /// Orders the reduced indices of the terms as well. Refuses only what no
  /// rewriting of the operands can help.
  static mlir::FailureOr<LoopOrder> propose(AssignOp op, Terms &terms);
  /// Refuses obstacles too.
  static mlir::FailureOr<LoopOrder> choose(AssignOp op, Terms &terms);
};

/// The indices of an access in the order in which the tensor's levels store
/// them.
IndexNames storageOrder(mlir::Type type,
                        llvm::ArrayRef<mlir::Attribute> access);

/// The same with names of their own for indices that come again, those of a
/// diagonal.
IndexNames levelNames(mlir::Type type, llvm::ArrayRef<mlir::Attribute> access);

/// The index that such a name stands for.
mlir::Attribute repeatedIndex(mlir::Attribute name);

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPORDER_H
