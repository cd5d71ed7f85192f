//===- LoopFacts.cpp - Coordinates visited by coiterations ----------------===//

#include "nacho/Analysis/LoopFacts.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

static bool isStored(Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  return !isFullLevel(type.getTensor(), type.getLevel());
}

MergeAttr nacho::iterationDomain(CoiterateOp loop,
                                 const llvm::SmallBitVector &located) {
  return iterationDomain(loop.getMerge(), [&](unsigned operand) {
    // Guards, which come after the fibers, may be present throughout the loop.
    return operand >= loop.getFibers().size() ||
           (operand < located.size() && located.test(operand)) ||
           !isStored(loop.getFibers()[operand]);
  });
}

bool nacho::visitsAll(CoiterateOp loop) {
  return isAlways(iterationDomain(loop));
}

llvm::SmallBitVector
nacho::repeatedFibers(CoiterateOp loop,
                      llvm::function_ref<bool(Value fiber)> isWanted) {
  auto outer = loop->getParentOfType<CoiterateOp>();
  ValueRange fibers = loop.getFibers();
  llvm::SmallBitVector repeated(fibers.size());
  for (auto [n, fiber] : llvm::enumerate(fibers))
    if (outer && isStored(fiber) && isWanted(fiber) &&
        !outer->isAncestor(fiber.getParentBlock()->getParentOp()))
      repeated.set(n);
  if (isAlways(iterationDomain(loop, repeated)))
    repeated.reset();
  return repeated;
}

llvm::SmallBitVector nacho::fibersToSeek(CoiterateOp loop) {
  if (loop.getInnerLoop())
    return {};
  // Elements are found by --nacho-find-coordinates instead.
  return repeatedFibers(loop, [](Value fiber) {
    return !cast<FiberType>(fiber.getType()).getChild().isElement();
  });
}
