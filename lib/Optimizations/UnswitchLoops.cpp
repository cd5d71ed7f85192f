//===- UnswitchLoops.cpp - Loops specialised to a kind of table -----------===//
//
// Consumes and leaves loops of scf. A loop whose steps all take the same one of
// two branches, one of which has a loop inside, becomes two loops: then the
// other one has none, so that it is as fast as if there were one kind of table.
//
//===----------------------------------------------------------------------===//

#include "BranchOnLookups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nacho;

static bool hasLoop(Region &region) {
  return region
      .walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The condition of a branch that is the same in all steps, where only one of
/// two branches has a loop inside; null if there is none.
static Value findChoice(scf::ForOp loop) {
  Value choice;
  loop.getBody()->walk([&](scf::IfOp branch) {
    if (!loop.isDefinedOutsideOfLoop(branch.getCondition()) ||
        hasLoop(branch.getThenRegion()) == hasLoop(branch.getElseRegion()))
      return WalkResult::advance();
    choice = branch.getCondition();
    return WalkResult::interrupt();
  });
  return choice;
}

/// Whether a loop has no loops inside if the choice holds, or if it does not.
static bool isInnermost(scf::ForOp loop, Value choice, bool holds) {
  return !loop.getBody()
              ->walk<WalkOrder::PreOrder>([&](Operation *op) {
                if (isa<LoopLikeOpInterface>(op))
                  return WalkResult::interrupt();
                auto branch = dyn_cast<scf::IfOp>(op);
                if (!branch || branch.getCondition() != choice)
                  return WalkResult::advance();
                Region &taken =
                    holds ? branch.getThenRegion() : branch.getElseRegion();
                return hasLoop(taken) ? WalkResult::interrupt()
                                      : WalkResult::skip();
              })
              .wasInterrupted();
}

/// Replaces a branch by what it does if its condition holds, or does not.
static void choose(IRRewriter &rewriter, scf::IfOp branch, bool holds) {
  Region &taken = holds ? branch.getThenRegion() : branch.getElseRegion();
  if (taken.empty())
    return rewriter.eraseOp(branch);
  Block *block = &taken.front();
  Operation *yield = block->getTerminator();
  rewriter.inlineBlockBefore(block, branch);
  rewriter.replaceOp(branch, yield->getOperands());
  rewriter.eraseOp(yield);
}

/// Emits the loop for steps in which the choice holds, or does not.
static void emitLoop(IRRewriter &rewriter, scf::ForOp loop, Value choice,
                     bool holds) {
  auto known = arith::ConstantIntOp::create(rewriter, loop.getLoc(), holds, 1);
  auto copy = cast<scf::ForOp>(rewriter.clone(*loop));
  SmallVector<scf::IfOp> branches;
  copy.walk([&](scf::IfOp branch) {
    if (branch.getCondition() == choice)
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    choose(rewriter, branch, holds);
  rewriter.setInsertionPointAfter(copy);
  rewriter.replaceUsesWithIf(choice, known, [&](OpOperand &use) {
    return copy->isProperAncestor(use.getOwner());
  });
  if (copy.getNumResults())
    scf::YieldOp::create(rewriter, loop.getLoc(), copy.getResults());
}

static void unswitch(IRRewriter &rewriter, scf::ForOp loop, Value choice) {
  rewriter.setInsertionPoint(loop);
  auto branch =
      scf::IfOp::create(rewriter, loop.getLoc(), loop.getResultTypes(), choice,
                        /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  emitLoop(rewriter, loop, choice, true);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  emitLoop(rewriter, loop, choice, false);
  rewriter.replaceOp(loop, branch.getResults());
}

void nacho::unswitchLoops(func::FuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(func.getContext());
  for (scf::ForOp loop : loops)
    if (Value choice = findChoice(loop);
        choice &&
        (isInnermost(loop, choice, true) || isInnermost(loop, choice, false)))
      unswitch(rewriter, loop, choice);
}
