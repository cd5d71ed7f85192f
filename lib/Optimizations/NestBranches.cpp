//===- NestBranches.cpp - Work nested in the branches of lookups ----------===//
//
// Consumes and leaves branches of scf:
//
//   found = if (marked) { search } else { false }
//   ...
//   if (found and more) { use }
//
// The second branch can only be taken if the first one was. So it is moved into
// the first one, together with what nothing else needs.
//
//===----------------------------------------------------------------------===//

#include "BranchOnLookups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

static bool onlyReads(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return effects &&
         llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &one) {
           return isa<MemoryEffects::Read>(one.getEffect());
         });
}

/// Whether a condition is false unless a branch is taken.
static bool implies(Value condition, scf::IfOp branch) {
  if (condition == branch.getCondition())
    return true;
  if (condition.getDefiningOp<scf::IfOp>() != branch)
    return false;
  unsigned number = cast<OpResult>(condition).getResultNumber();
  return matchPattern(branch.elseYield().getOperand(number), m_Zero());
}

/// The branch before another one, in the same block, without which a condition
/// is false; null if there is none.
static scf::IfOp findOuter(scf::IfOp inner, Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    scf::IfOp outer = findOuter(inner, both.getLhs());
    return outer ? outer : findOuter(inner, both.getRhs());
  }
  SmallVector<Operation *> candidates(condition.getUsers());
  candidates.push_back(condition.getDefiningOp());
  for (Operation *candidate : candidates)
    if (auto outer = dyn_cast_or_null<scf::IfOp>(candidate);
        outer && outer->getBlock() == inner->getBlock() &&
        outer->isBeforeInBlock(inner) && implies(condition, outer))
      return outer;
  return {};
}

namespace {
/// Two branches of a block. The second one is only taken if the first one is.
class NestedBranches {
public:
  NestedBranches(scf::IfOp outer, scf::IfOp inner)
      : outer(outer), inner(inner) {}

  bool canNest();
  void nest(IRRewriter &rewriter);

private:
  bool findSteps();
  bool hasPlainElse();
  bool isUsedInside(Operation *op);
  void sinkSteps();

  scf::IfOp outer, inner;
  /// The operations between the branches that only the second one needs, in
  /// reverse order.
  llvm::SetVector<Operation *> steps;
};
} // namespace

/// Whether all that uses an operation is one of the steps, or is in the second
/// branch.
bool NestedBranches::isUsedInside(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return inner->isAncestor(user) ||
           steps.contains(op->getBlock()->findAncestorOpInBlock(*user));
  });
}

/// Fails if something is written between the branches, or if something else
/// needs the results of the first one.
bool NestedBranches::findSteps() {
  for (Operation *op = inner->getPrevNode(); op != outer;
       op = op->getPrevNode()) {
    if (!onlyReads(op))
      return false;
    if (!op->use_empty() && isUsedInside(op))
      steps.insert(op);
  }
  return onlyReads(outer) && isUsedInside(outer);
}

/// Whether nothing is computed where the second branch is not taken.
bool NestedBranches::hasPlainElse() {
  if (inner.getElseRegion().empty())
    return true;
  if (&inner.elseBlock()->front() != inner.elseYield())
    return false;
  return llvm::all_of(inner.elseYield().getOperands(), [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op != outer && !steps.contains(op);
  });
}

bool NestedBranches::canNest() { return findSteps() && hasPlainElse(); }

/// Moves the steps to the end of the first branch, but those that only the
/// second one needs when it is taken to its beginning.
void NestedBranches::sinkSteps() {
  Block *taken = inner.thenBlock();
  SmallVector<Operation *> early;
  for (Operation *op : steps) {
    bool isLate = llvm::all_of(op->getUsers(), [&](Operation *user) {
      return inner.getThenRegion().isAncestor(user->getParentRegion());
    });
    if (isLate)
      op->moveBefore(taken, taken->begin());
    else
      early.push_back(op);
  }
  for (Operation *op : llvm::reverse(early))
    op->moveBefore(inner);
}

void NestedBranches::nest(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(inner);
  bool hasResults = inner.getNumResults() > 0;
  auto nested =
      scf::IfOp::create(rewriter, inner.getLoc(), inner.getResultTypes(),
                        outer.getCondition(), hasResults);
  Block *block = nested.thenBlock();
  inner.replaceAllUsesWith(nested.getResults());
  if (hasResults) {
    rewriter.setInsertionPointToEnd(block);
    scf::YieldOp::create(rewriter, inner.getLoc(), inner.getResults());
    rewriter.setInsertionPointToEnd(nested.elseBlock());
    scf::YieldOp::create(rewriter, inner.getLoc(),
                         inner.elseYield().getOperands());
  }
  inner->moveBefore(block, block->begin());
  Block *first = outer.thenBlock();
  scf::YieldOp known = outer.thenYield();
  outer.replaceAllUsesWith(known.getOperands());
  block->getOperations().splice(block->begin(), first->getOperations(),
                                first->begin(), known->getIterator());
  sinkSteps();
  rewriter.eraseOp(outer);
}

void nacho::nestBranches(func::FuncOp func) {
  SmallVector<scf::IfOp> branches;
  func.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  IRRewriter rewriter(func.getContext());
  for (scf::IfOp inner : branches) {
    scf::IfOp outer = findOuter(inner, inner.getCondition());
    if (!outer)
      continue;
    NestedBranches both(outer, inner);
    if (both.canNest())
      both.nest(rewriter);
  }
}
