//===- ProductFactors.h - The factors of a product that is summed ---------===//

#ifndef NACHO_LIB_ANALYSIS_PRODUCTFACTORS_H
#define NACHO_LIB_ANALYSIS_PRODUCTFACTORS_H

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/ContractionOrder.h"
#include "nacho/Analysis/LoopCost.h"

#include "llvm/ADT/SetVector.h"

namespace nacho {

/// A factor of the product, or the result of an inner sum.
struct Factor {
  llvm::SmallSetVector<mlir::Attribute, 8> indices;
  llvm::SmallVector<LoopOperand> operands; ///< The sparse ones.
  /// The index of the flags of a dense result; null if it has none.
  mlir::Attribute flagged;
  bool isDense; ///< Whether the factor has an entry everywhere.
  /// The share of the coordinates at which the factor has an entry.
  double density = 1;
  /// The indices of operands without which the factor has no entry.
  llvm::SmallDenseSet<mlir::Attribute> confined;
  /// The indices with 32-bit coordinates in some operand.
  llvm::SmallDenseSet<mlir::Attribute> narrow;

  bool isNumber() const { return indices.empty(); }
  /// Whether an index is that of a level that leaves out coordinates, or of one
  /// above such a level.
  bool isSparse(mlir::Attribute index) const;
};

/// The factors of a product, and the results of inner sums of it; what sums
/// of some of them cost, and how their results are stored.
class ProductFactors {
public:
  ProductFactors(AssignOp op, ReduceOp sum);

  const Factor &operator[](unsigned n) const { return factors[n]; }
  /// The number of factors, the results of inner sums included.
  unsigned size() const { return factors.size(); }
  /// Makes the result of an inner sum a factor.
  void addResult(const InnerSum &sum);

  /// The expected cost of a statement that multiplies some factors.
  double costOf(llvm::ArrayRef<unsigned> group,
                llvm::ArrayRef<mlir::Attribute> result,
                bool isDenseResult) const;
  /// The expected number of entries of the sum of a product.
  double entriesOf(llvm::ArrayRef<unsigned> group,
                   llvm::ArrayRef<mlir::Attribute> kept) const;
  /// The orders in which the levels of a result may be stored.
  llvm::SmallVector<IndexNames>
  layoutsOf(llvm::ArrayRef<unsigned> group,
            llvm::ArrayRef<mlir::Attribute> kept) const;
  mlir::RankedTensorType typeOf(llvm::ArrayRef<unsigned> group,
                                llvm::ArrayRef<mlir::Attribute> access) const;
  /// Stores a sum as a dense tensor with flags if that is worth it.
  void fill(InnerSum &sum) const;
  /// The expected number of entries of the sum of a product, and its extents.
  llvm::SmallVector<int64_t>
  sizesOf(llvm::ArrayRef<unsigned> group,
          llvm::ArrayRef<mlir::Attribute> access) const;
  bool isSafe(llvm::ArrayRef<unsigned> group, mlir::Attribute index) const;
  double extentOf(mlir::Attribute index) const { return extents[index]; }

  llvm::SmallVector<mlir::Value> values; ///< The factors of the product.
  /// Whether no factor has a value other than 0 where its operands have no
  /// entry. Only then inner sums have the entries that the product has.
  bool arePossible = true;
  bool areSized = true; ///< Whether the sizes of all operands are known.
  double numRead = 0;   ///< The expected number of entries of all operands.

private:
  void addFactor(AssignOp op, mlir::Value value, const ElementAlgebra &algebra);
  void addOperand(Factor &factor, AssignOp op, unsigned n, bool isNeeded);
  bool isDenseProduct(llvm::ArrayRef<unsigned> group) const {
    return llvm::all_of(group, [&](unsigned n) { return factors[n].isDense; });
  }
  bool isSparse(llvm::ArrayRef<unsigned> group, mlir::Attribute index) const {
    return llvm::any_of(group,
                        [&](unsigned n) { return factors[n].isSparse(index); });
  }
  bool isFull(llvm::ArrayRef<unsigned> group, mlir::Attribute index) const;
  double extentOf(llvm::ArrayRef<mlir::Attribute> indices) const {
    double product = 1;
    for (mlir::Attribute index : indices)
      product *= extents[index];
    return product;
  }

  mlir::Type element;
  std::vector<Factor> factors; ///< Those of the product, then results.
  Extents extents;
  /// Indices that certainly have coordinates.
  llvm::SmallDenseSet<mlir::Attribute> nonEmpty;
};

} // namespace nacho

#endif // NACHO_LIB_ANALYSIS_PRODUCTFACTORS_H
