//===- LoopNest.h - An assignment as a nest of loops ----------------------===//

#ifndef NACHO_ANALYSIS_LOOPNEST_H
#define NACHO_ANALYSIS_LOOPNEST_H

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/LoopOrder.h"

#include <map>

namespace nacho {

/// A sparse operand with the loops in which a term accesses it. Terms that
/// access the operand in the same loops share an instance.
struct Instance {
  unsigned input;
  llvm::SmallVector<unsigned> loops; ///< The loop over each of its levels.

  /// The number of levels that the loops outside of `m` iterate.
  unsigned numBegun(unsigned m) const {
    return llvm::count_if(loops, [&](unsigned loop) { return loop < m; });
  }
};

/// The terms of a sum that are complete in the same loop.
struct Group {
  unsigned number; ///< The number of the reduction that the terms belong to.
  llvm::SmallVector<unsigned> terms;
  MergeAttr pattern; ///< Over instances.
};

/// The loops that an assignment needs, the operands that take part in each, and
/// the loop in which each term is complete.
class LoopNest {
public:
  explicit LoopNest(AssignOp op) : op(op), algebra(op) {}

  /// Plans the loops. Refuses an assignment that loops cannot express.
  mlir::LogicalResult plan();

  bool isSparse(unsigned input);
  /// The number of the loop over an index in a term.
  unsigned loopOf(const Term &term, mlir::Attribute index) const;
  /// The indices that the terms run over in a loop.
  llvm::SmallVector<mlir::Attribute> namesOfLoop(unsigned m) const;
  unsigned instanceOf(unsigned term, unsigned input) const {
    return instanceNumbers.lookup({term, input});
  }
  /// A merge expression over inputs as one over the instances of a term.
  MergeAttr toInstances(MergeAttr merge, unsigned term) const;

  AssignOp op;
  ElementAlgebra algebra;
  Terms terms;
  LoopOrder order;
  unsigned numLoops = 0;
  bool hasEntries = true; ///< False if the result is known to have none.
  llvm::SmallVector<Instance> instances;
  /// The key is the number of the loop and the number of the sum.
  std::map<std::pair<int, unsigned>, Group> groups;
  llvm::SmallVector<unsigned> reductions; ///< The sums that have terms.

  /// The coordinates at which a term has entries, as a merge over instances.
  MergeAttr patternOf(unsigned term);

private:
  void dropZeros();
  mlir::LogicalResult verifySparseResult();
  unsigned addInstance(const Term &term, unsigned input);
  void addToGroup(unsigned n);

  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> instanceNumbers;
};

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPNEST_H
