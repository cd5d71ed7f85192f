//===- LoopCost.h - Expected costs of loop orders -------------------------===//

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

/// A sparse operand, as far as the cost of loops depends on it: the index of
/// each level, and which levels are full.
struct LoopOperand {
  unsigned input;
  IndexNames indices;
  llvm::SmallVector<bool> isFull;
  std::optional<double> entries; ///< The number of entries; none: unknown.
  /// The skew of each index, as in `nacho.sizes`, where it is known.
  llvm::SmallDenseMap<mlir::Attribute, double> skew;
  /// The term has no entry where the operand has none, so that a loop may visit
  /// the coordinates of other operands and locate those of this one.
  bool isNeeded;

  LoopOperand(unsigned input, mlir::RankedTensorType type,
              llvm::ArrayRef<mlir::Attribute> access,
              std::optional<double> entries, bool isNeeded);

  /// Whether the first level of the transposed operand may be dense, because
  /// the operand has a dense level anyway.
  bool isLocated() const {
    return indices.size() > 1 && llvm::is_contained(isFull, true);
  }
};

/// The number of entries and the extents of an operand, if they are given for
/// the argument of the function, or for the statement, that it is; else empty.
llvm::ArrayRef<int64_t> knownSizes(mlir::Value input);

/// The skew of each dimension of an operand, if it is given; else empty.
llvm::ArrayRef<int64_t> knownSkew(mlir::Value input);

/// The best way to store a dense operand.
struct DenseStorage {
  /// Its indices: those that only dense tensors have come last. None if the
  /// loops over these step along its rows as it is.
  IndexNames access;
  /// A bit for each of its levels whose index a sparse operand has, too.
  size_t rows = 0;
};

/// The storage in which the loops of a statement best find an operand. Sparse
/// operands give the outer loops their coordinates, and of the inner ones each
/// step would load from another row if the operand's last index were among
/// those of the outer loops.
DenseStorage storageAlongLoops(AssignOp op, unsigned input);

/// The extents of indices. Those that are not known are assumed.
class Extents {
public:
  void set(mlir::Attribute index, double extent) { known[index] = extent; }
  double operator[](mlir::Attribute index) const;

private:
  llvm::DenseMap<mlir::Attribute, double> known;
};

/// The expected number of positions of an operand in the last of its levels
/// with these indices.
double expectedPositions(const LoopOperand &operand, const Extents &extents,
                         llvm::ArrayRef<mlir::Attribute> levels,
                         bool isTransposed);

/// Chooses the order of the loops of one term by the heuristic of Scorch (Yan
/// et al., CGO 2026): sparse indices come first, and each index is then pushed
/// inwards while the expected cost falls. The cost is the number of coordinates
/// and entries that the loops step over, estimated from the formats and, if
/// given, the sizes of operands; plus the cost of transposing operands and of
/// sorting scattered products.
class LoopCost {
public:
  /// `result` is the order of the loops over the indices of the result.
  LoopCost(AssignOp op, const Term &term, MonoidAttr reduction,
           llvm::ArrayRef<mlir::Attribute> result);
  /// The same for a product whose operands need not exist yet. `all` has the
  /// indices of all operands, the dense ones included.
  LoopCost(llvm::ArrayRef<LoopOperand> operands,
           llvm::ArrayRef<mlir::Attribute> all, const Extents &extents,
           llvm::ArrayRef<mlir::Attribute> result, bool isDenseResult);

  /// The cheapest order that the heuristic finds.
  TermOrder choose(bool canScatter) const;
  /// The facts of a given order.
  TermOrder evaluate(llvm::ArrayRef<mlir::Attribute> loops) const;

private:
  /// The role of an operand in a loop that visits one of its levels.
  struct Visit {
    double children;     ///< The expected number of children of a fiber.
    double nonempty = 1; ///< The part of the children that have children.
    bool isFull;         ///< Whether the level is full.
  };

  void addOperand(AssignOp op, unsigned n, bool isNeeded);
  void setIndices(llvm::ArrayRef<mlir::Attribute> all,
                  llvm::ArrayRef<mlir::Attribute> result);
  double skewOf(const LoopOperand &operand, mlir::Attribute parent,
                llvm::ArrayRef<mlir::Attribute> outer) const;
  Visit visitOf(const LoopOperand &operand, mlir::Attribute index,
                llvm::ArrayRef<mlir::Attribute> loops, bool isTransposed) const;
  double lookupOf(llvm::ArrayRef<mlir::Attribute> loops, unsigned m) const;
  bool skips(llvm::ArrayRef<mlir::Attribute> loops, unsigned m,
             llvm::ArrayRef<unsigned> transposed) const;
  double stepOver(llvm::ArrayRef<mlir::Attribute> loops, unsigned m,
                  llvm::ArrayRef<unsigned> transposed, double &live) const;

  double scatter(TermOrder &order, double products, double coordinates) const;

  llvm::SmallVector<LoopOperand> operands;
  IndexNames indices, result;
  Extents extents;
  bool reducesAbsent, isDenseResult;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPCOST_H
