//===- LoopFacts.cpp - What a coiteration visits, and what it is for ------===//

#include "nacho/Analysis/LoopFacts.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

MergeAttr nacho::iterationDomain(CoiterateOp loop) {
  return iterationDomain(loop.getMerge(), [&](unsigned operand) {
    // What is given may be present throughout the loop.
    if (operand >= loop.getFibers().size())
      return true;
    auto fiber = cast<FiberType>(loop.getFibers()[operand].getType());
    return isFullLevel(fiber.getTensor(), fiber.getLevel());
  });
}

bool nacho::visitsAll(CoiterateOp loop) {
  return isAlways(iterationDomain(loop));
}

bool nacho::onlyCounts(CoiterateOp loop) {
  if (!loop.getNonempty().empty())
    return false;
  Block *body = loop.getBodyBlock();
  Operation *yield = body->getTerminator();
  auto counts = [&](Value next, Value carried) {
    auto sum = next.getDefiningOp<arith::AddIOp>();
    return sum && carried.getType().isIndex() && sum->getBlock() == body &&
           sum.getLhs() == carried && matchPattern(sum.getRhs(), m_One());
  };
  size_t counted = 0;
  for (auto [carried, next] :
       llvm::zip(loop.getCarried(), yield->getOperands())) {
    if (next != carried && !counts(next, carried))
      return false;
    counted += next != carried;
  }
  return counted > 0 && llvm::range_size(body->without_terminator()) == counted;
}
