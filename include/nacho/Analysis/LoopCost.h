//===- LoopCost.h - What an order of loops is expected to cost ------------===//

#ifndef NACHO_ANALYSIS_LOOPCOST_H
#define NACHO_ANALYSIS_LOOPCOST_H

#include "nacho/Analysis/LoopOrder.h"

namespace nacho {

/// An order of the loops of one term: which operands it requires to be
/// transposed, whether the products are scattered over the result, and the
/// expected cost of all that.
struct TermOrder {
  IndexNames loops;
  llvm::SmallVector<unsigned> transposed; ///< Operands of the assignment.
  bool scatters = false;
  /// Whether a workspace can collect the scattered products: just one index of
  /// the result is inside reduced ones.
  bool collects = false;
  double cost = 0;
};

/// Chooses the order of the loops of one term by the heuristic of Scorch (Yan
/// et al., CGO 2026): sparse indices come first, and each index is then pushed
/// inwards while the expected cost falls. The cost is the number of coordinates
/// and entries that the loops step over, estimated from the formats and, if
/// given, the sizes of operands; plus the cost of transposing operands and of
/// sorting scattered products.
class LoopCost {
public:
  /// `result` is the order of the loops over the indices of the result.
  LoopCost(AssignOp op, const Term &term, BinaryKind reduction,
           llvm::ArrayRef<mlir::Attribute> result);

  /// The cheapest order that the heuristic finds.
  TermOrder choose(bool canScatter) const;
  /// The facts of a given order.
  TermOrder evaluate(llvm::ArrayRef<mlir::Attribute> loops) const;

private:
  /// A sparse operand: the index of each level, and which levels are full.
  struct Operand {
    unsigned input;
    IndexNames indices;
    llvm::SmallVector<bool> isFull;
    std::optional<double> entries; ///< The number of entries; none: unknown.
    /// The term has no entry where the operand has none, so that a loop may
    /// visit the coordinates of other operands and locate those of this one.
    bool isNeeded;

    /// Whether the first level of the transposed operand may be dense, because
    /// the operand has a dense level anyway.
    bool isLocated() const {
      return indices.size() > 1 && llvm::is_contained(isFull, true);
    }
  };

  /// What an operand is to a loop that visits one of its levels.
  struct Visit {
    double children; ///< The expected number of children of a fiber.
    bool isFull;     ///< Whether the level is full.
  };

  void addOperand(AssignOp op, unsigned n, bool isNeeded);
  double extentOf(mlir::Attribute index) const;
  /// The expected number of positions of an operand in the last of its levels
  /// with these indices.
  double positions(const Operand &operand,
                   llvm::ArrayRef<mlir::Attribute> levels,
                   bool isTransposed) const;
  Visit visitOf(const Operand &operand, mlir::Attribute index,
                llvm::ArrayRef<mlir::Attribute> outer, bool isTransposed) const;
  double stepOver(llvm::ArrayRef<mlir::Attribute> loops, unsigned m,
                  llvm::ArrayRef<unsigned> transposed, double &live) const;

  llvm::SmallVector<Operand> operands;
  IndexNames indices, result;
  llvm::DenseMap<mlir::Attribute, double> extents; ///< The known extents.
  bool isSum, isDenseResult;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPCOST_H
