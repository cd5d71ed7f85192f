//===- RowLoops.cpp - Loops over the rows of a part -----------------------===//

#include "RowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

Value nacho::lastRowOf(scf::ForOp loop) {
  auto least = loop.getUpperBound().getDefiningOp<arith::MinUIOp>();
  if (!least)
    return {};
  for (Value bound : least->getOperands()) {
    auto next = bound.getDefiningOp<arith::AddIOp>();
    if (next && matchPattern(next.getRhs(), m_One()))
      return next.getLhs();
  }
  return {};
}
