//===- Fibers.cpp - Sources of the fibers of a nest -----------------------===//

#include "nacho/IR/Fibers.h"

using namespace mlir;
using namespace nacho;

#include "nacho/IR/FiberInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Sources of fibers
//===----------------------------------------------------------------------===//

Value RootOp::getSourceOf(Value) { return {}; }

Value CoiterateOp::getSourceOf(Value made) {
  for (auto [child, fiber] : llvm::zip(getChildren(), getFibers()))
    if (child == made)
      return fiber;
  return {};
}

Value FiberAtOp::getSourceOf(Value) { return getRoot(); }

Value ChildrenAtOp::getSourceOf(Value) { return getRoot(); }

Value PiecesOp::getSourceOf(Value) { return getFiber(); }

Value FindOp::getSourceOf(Value) { return getFiber(); }

Value SeekOp::getSourceOf(Value) { return getFiber(); }

Value SearchOp::getSourceOf(Value made) {
  for (auto [child, fiber] : llvm::zip(getChildren(), getFibers()))
    if (child == made)
      return fiber;
  return {};
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

FiberMakerOpInterface nacho::makerOf(Value fiber) {
  Operation *op = fiber.getDefiningOp();
  if (!op)
    op = fiber.getParentBlock()->getParentOp();
  return dyn_cast_or_null<FiberMakerOpInterface>(op);
}

RootOp nacho::rootOf(Value fiber) {
  while (fiber) {
    FiberMakerOpInterface maker = makerOf(fiber);
    if (!maker)
      return {};
    if (auto root = dyn_cast<RootOp>(*maker))
      return root;
    fiber = maker.getSourceOf(fiber);
  }
  return {};
}

Value nacho::wholeTensorOf(Value tensor) {
  auto slice = tensor.getDefiningOp<SliceOp>();
  return slice ? slice.getSource() : tensor;
}

FlattenOp nacho::flattenedBy(Value fiber) {
  RootOp root = rootOf(fiber);
  return root ? root.getTensor().getDefiningOp<FlattenOp>() : FlattenOp();
}

std::optional<unsigned> nacho::argumentOf(Value fiber) {
  Value tensor = rootOf(fiber).getTensor();
  if (auto flatten = tensor.getDefiningOp<FlattenOp>())
    tensor = flatten.getTensor();
  auto argument = dyn_cast<BlockArgument>(wholeTensorOf(tensor));
  return argument ? std::optional<unsigned>(argument.getArgNumber())
                  : std::nullopt;
}

/// Whether the positions of a fiber come from a list.
static bool isKeptByList(FiberAtOp at) {
  auto isRecalled = [](Value position) {
    return position.getDefiningOp<RecallOp>() != nullptr;
  };
  return isRecalled(at.getPosition()) &&
         (!at.getEnd() || isRecalled(at.getEnd()));
}

LogicalResult nacho::verifyHasRoots(NestOp nest) {
  auto isKnown = [](Value fiber) {
    auto at = fiber.getDefiningOp<FiberAtOp>();
    return rootOf(fiber) && (!at || isKeptByList(at));
  };
  WalkResult result = nest.walk([&](Operation *op) -> WalkResult {
    for (Value operand : op->getOperands())
      if (isa<FiberType>(operand.getType()) && !isKnown(operand))
        return nest.emitOpError("needs the roots of its operands to be cut");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
