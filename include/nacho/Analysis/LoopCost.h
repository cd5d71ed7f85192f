//===- LoopCost.h - What an order of loops is expected to cost ------------===//

#ifndef NACHO_ANALYSIS_LOOPCOST_H
#define NACHO_ANALYSIS_LOOPCOST_H

#include "nacho/Analysis/LoopOrder.h"

namespace nacho {

/// The loops of one term in some order: which operands have to be transposed
/// for it, whether the products are scattered over the result, and what all of
/// that is expected to cost.
struct TermOrder {
  IndexNames loops;
  llvm::SmallVector<unsigned> transposed; ///< Operands of the assignment.
  bool scatters = false;
  /// A workspace can do it: one index of the result is inside of reduced ones,
  /// of which it adds up what belongs together.
  bool collects = false;
  double cost = 0;
};

/// The order of the loops of one term, after the heuristic of Scorch (Yan et
/// al., CGO 2026): sparse indices first, then each is pushed inwards while the
/// expected cost falls. The cost is the number of coordinates and entries that
/// the loops step over, as far as formats tell and the sizes of operands, if
/// they are given; and what it takes to transpose operands and to sort what is
/// scattered.
class LoopCost {
public:
  /// `result` is the order of the loops over the indices of the result.
  LoopCost(AssignOp op, const Term &term, BinaryKind reduction,
           llvm::ArrayRef<mlir::Attribute> result);

  /// The cheapest order that the heuristic finds.
  TermOrder choose(bool canScatter) const;
  /// That of an order which is given.
  TermOrder evaluate(llvm::ArrayRef<mlir::Attribute> loops) const;

private:
  /// A sparse operand: the index of each level, and which are full.
  struct Operand {
    unsigned input;
    IndexNames indices;
    llvm::SmallVector<bool> isFull;
    std::optional<double> entries; ///< If that is known.

    /// A dense level for the first index of a transposed one is not too much.
    bool isLocated() const {
      return indices.size() > 1 && llvm::is_contained(isFull, true);
    }
  };

  void addOperand(AssignOp op, unsigned n);
  double extentOf(mlir::Attribute index) const;
  /// The positions that an operand is expected to have in levels of these
  /// indices.
  double positions(const Operand &operand,
                   llvm::ArrayRef<mlir::Attribute> levels,
                   bool isTransposed) const;
  double stepOver(llvm::ArrayRef<mlir::Attribute> loops, unsigned m,
                  llvm::ArrayRef<unsigned> transposed, double &live) const;

  llvm::SmallVector<Operand> operands;
  IndexNames indices, result;
  llvm::DenseMap<mlir::Attribute, double> extents; ///< Those that are known.
  bool isSum, isDenseResult;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPCOST_H
