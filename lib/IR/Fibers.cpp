//===- Fibers.cpp - Where the fibers of a nest come from ------------------===//

#include "nacho/IR/Fibers.h"

using namespace mlir;
using namespace nacho;

Value nacho::rootOf(Value fiber) {
  while (auto arg = dyn_cast<BlockArgument>(fiber)) {
    auto loop = cast<CoiterateOp>(arg.getOwner()->getParentOp());
    fiber = loop.getFibers()[arg.getArgNumber() - 1];
  }
  if (auto at = fiber.getDefiningOp<FiberAtOp>())
    return at.getRoot();
  return fiber;
}

FlattenOp nacho::flattenedBy(Value fiber) {
  auto root = rootOf(fiber).getDefiningOp<RootOp>();
  return root ? root.getTensor().getDefiningOp<FlattenOp>() : FlattenOp();
}
