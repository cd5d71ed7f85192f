//===- ContractionOrder.h - Contraction orders of products ----------------===//

#ifndef NACHO_ANALYSIS_CONTRACTIONORDER_H
#define NACHO_ANALYSIS_CONTRACTIONORDER_H

#include "nacho/Analysis/LoopOrder.h"

namespace nacho {

/// A sum of the product of some factors, which is computed on its own:
/// T[access] = the product, summed over `summed`.
struct InnerSum {
  /// The numbers of the factors. The results of earlier inner sums are
  /// factors, too: their numbers follow those of the factors of the product.
  llvm::SmallVector<unsigned> factors;
  IndexNames summed, access;
  mlir::RankedTensorType type;
  /// The expected number of entries of T, and its extents; empty if unknown.
  llvm::SmallVector<int64_t> sizes;
  /// T is dense, although its factors have no entry at some coordinates of this
  /// index, the only one that sparse factors have. A vector of flags tells the
  /// others. Null: T has an entry wherever its type has one.
  mlir::Attribute flagged;
};

/// A way to compute the sum of a product: sums of some factors come first, each
/// of which is a factor of what is still to be summed.
///
///   sum_jk A[i, j] * B[j, k] * x[k]
///     = sum_j A[i, j] * T[j]   where T[j] = sum_k B[j, k] * x[k]
///
/// The product of the other factors is taken out of an inner sum. An absent
/// entry makes every product 0, whatever the other factors are. So T must store
/// exactly the entries that the pattern of its factors has: it is stored as a
/// sparse tensor unless all its factors are dense. Where the result is dense,
/// so is a T that is expected to have entries at half of its coordinates; a
/// vector of flags tells for which of its rows the other factors count.
struct ContractionOrder {
  llvm::SmallVector<mlir::Value> factors; ///< The factors of the product.
  std::vector<InnerSum> sums;             ///< Empty: the product stays whole.
  IndexNames rest;      ///< The indices that are summed over in the end.
  double cost = 0;      ///< The expected cost of all statements.
  double wholeCost = 0; ///< The expected cost if the product stays whole.

  /// The order that is expected to be the cheapest. The product stays whole if
  /// that is not clearly cheaper.
  static ContractionOrder choose(AssignOp op, ReduceOp sum);
  /// Sums over the given indices on their own, one after the other. Indices
  /// that have no inner sum are summed over in the end.
  static ContractionOrder follow(AssignOp op, ReduceOp sum,
                                 llvm::ArrayRef<mlir::Attribute> asked);
};

/// A whole reduction as a statement of its own. T is stored as by an inner sum,
/// but if it keeps only one index, or is not 0 where its value has no entries,
/// T is dense: sums of rows are an array, by which other things may be divided.
/// If it keeps none, T is a number.
InnerSum wholeSum(AssignOp op, ReduceOp sum);

} // namespace nacho

#endif // NACHO_ANALYSIS_CONTRACTIONORDER_H
