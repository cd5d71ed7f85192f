//===- LoopFacts.cpp - Which coordinates a coiteration visits -------------===//

#include "nacho/Analysis/LoopFacts.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

MergeAttr nacho::iterationDomain(CoiterateOp loop) {
  return iterationDomain(loop.getMerge(), [&](unsigned operand) {
    // Guards, which come after the fibers, may be present throughout the loop.
    if (operand >= loop.getFibers().size())
      return true;
    auto fiber = cast<FiberType>(loop.getFibers()[operand].getType());
    return isFullLevel(fiber.getTensor(), fiber.getLevel());
  });
}

bool nacho::visitsAll(CoiterateOp loop) {
  return isAlways(iterationDomain(loop));
}
