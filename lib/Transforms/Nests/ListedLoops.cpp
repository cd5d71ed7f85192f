//===- ListedLoops.cpp - Loops remapped to lists --------------------------===//

#include "ListedLoops.h"

#include "CostModel.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Levels/Level.h"

using namespace mlir;
using namespace nacho;

/// Whether a loop may pass over coordinates that one of its operands stores.
static bool skips(CoiterateOp loop) {
  auto isVisited = [&](unsigned n) {
    auto type = cast<FiberType>(loop.getFibers()[n].getType());
    return isFullLevel(type.getTensor(), type.getLevel())
               ? visitsAll(loop)
               : holdsWherever(loop.getMerge(), n);
  };
  return !llvm::all_of(llvm::seq<unsigned>(0, loop.getFibers().size()),
                       isVisited);
}

/// Whether a loop merges several operands and a loop inside of it starts at the
/// root of another operand. The inner loop is then repeated for every merged
/// coordinate, and only running the merge tells how many there are.
static bool repeatsForSeveral(CoiterateOp loop) {
  if (visitsAll(loop) || loop.getFibers().size() < 2)
    return false;
  WalkResult repeated = loop.getBody().walk([&](CoiterateOp inner) {
    for (Value fiber : inner.getFibers())
      if (fiber.getDefiningOp<RootOp>())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return repeated.wasInterrupted();
}

/// Whether a loop steps through a slice that lacks some coordinates: how many
/// entries a fiber has is only known once it is searched for its ends.
static bool readsCropped(CoiterateOp loop) {
  return llvm::any_of(loop.getFibers(), [](Value fiber) {
    RootOp root = rootOf(fiber);
    return root && isCropped(root.getTensor(),
                             cast<FiberType>(fiber.getType()).getLevel());
  });
}

/// The number of the innermost loop of the chain around an op.
static unsigned chainDepth(Operation *op, ArrayRef<CoiterateOp> loops) {
  while (!llvm::is_contained(loops, op->getParentOp()))
    op = op->getParentOp();
  return llvm::find(loops, op->getParentOp()) - loops.begin();
}

unsigned nacho::outermostAppend(NestOp nest, ArrayRef<CoiterateOp> loops) {
  unsigned outermost = loops.size();
  nest.getBody().walk([&](AppendOp append) {
    if (CoiterateOp(loops.front())->isAncestor(append))
      outermost = std::min(outermost, chainDepth(append, loops));
  });
  return outermost;
}

/// Whether there may be large gaps between what an operand stores below one
/// coordinate of a loop and below the next one. Positions say nothing then of
/// how much there is up to a coordinate; a list adds up how much there is at
/// each.
static bool separatesChildren(CoiterateOp loop) {
  return llvm::any_of(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return nacho::separatesChildren(type.getTensor(), type.getLevel());
  });
}

SmallVector<unsigned> nacho::loopsToRemap(NestOp nest, CostModelAttr model) {
  SmallVector<CoiterateOp> loops = nest.getLoops();
  unsigned depth = NestCost(nest, model).getLoops().size();
  unsigned outermost = outermostAppend(nest, loops);
  SmallVector<unsigned> found;
  for (unsigned m = 0; m + 1 < depth && m <= outermost; ++m)
    if (skips(loops[m]) || repeatsForSeveral(loops[m]) ||
        ::separatesChildren(loops[m]) || readsCropped(loops[m + 1]))
      found.push_back(m);
  return found;
}

/// Whether `condition` implies `fact`.
static bool demands(Value condition, Operation *fact) {
  if (condition.getDefiningOp() == fact)
    return true;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  return both && (demands(both.getLhs(), fact) || demands(both.getRhs(), fact));
}

/// Whether a loop only appends for elements that it finds in `fiber`.
static bool appendsWhatIsFound(CoiterateOp loop, Value fiber) {
  for (Operation &op : *loop.getBodyBlock()) {
    if (!isa<FindOp, SeekOp>(op) ||
        !llvm::is_contained(op.getOperands(), fiber))
      continue;
    for (Operation *user : op.getUsers()) {
      auto appends = loop.getBody().getOps<AppendOp>();
      if (isa<PresentOp>(user) && llvm::all_of(appends, [&](AppendOp append) {
            return append.getCondition() &&
                   demands(append.getCondition(), user);
          }))
        return true;
    }
  }
  return false;
}

bool nacho::findsElements(NestOp nest) {
  WalkResult finds = nest.walk([](FindOp) { return WalkResult::interrupt(); });
  return finds.wasInterrupted();
}

bool nacho::needsChildren(CoiterateOp loop, Value fiber) {
  for (auto [n, stepping] : llvm::enumerate(loop.getFibers()))
    if (stepping == fiber && holdsOnlyWith(loop.getMerge(), n))
      return true;
  return appendsWhatIsFound(loop, fiber);
}
