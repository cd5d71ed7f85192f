//===- LanesToVector.cpp - Operators on all lanes of vectors --------------===//
//
// Lowers `nacho.each_lane`: the ops of arith and math in its region, which work
// on elements, become the same ops on vectors.
//
//===----------------------------------------------------------------------===//

#include "LanesToVector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

namespace {
/// Copies the ops of a region, from one lane to all lanes.
class LaneLowering {
public:
  explicit LaneLowering(EachLaneOp op)
      : op(op), b(op.getLoc(), op),
        shape(cast<VectorType>(op.getResultTypes().front()).getShape()) {}

  LogicalResult run();

private:
  /// Whether a value of the region may differ between lanes.
  bool differs(Value value) const { return lanes.contains(value); }
  Value vectorOf(Value value);
  LogicalResult lower(Operation &inner);

  EachLaneOp op;
  ImplicitLocOpBuilder b;
  ArrayRef<int64_t> shape;
  IRMapping lanes, same;
};
} // namespace

Value LaneLowering::vectorOf(Value value) {
  if (differs(value))
    return lanes.lookup(value);
  return vector::BroadcastOp::create(b, VectorType::get(shape, value.getType()),
                                     same.lookupOrDefault(value));
}

LogicalResult LaneLowering::lower(Operation &inner) {
  if (llvm::none_of(inner.getOperands(),
                    [&](Value operand) { return differs(operand); })) {
    b.clone(inner, same);
    return success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(&inner))
    return inner.emitOpError("cannot be done for all lanes of a vector");
  OperationState state(inner.getLoc(), inner.getName());
  for (auto [n, operand] : llvm::enumerate(inner.getOperands())) {
    // arith.select on vectors also takes a scalar condition.
    bool isCondition = isa<arith::SelectOp>(inner) && n == 0;
    state.addOperands(isCondition && !differs(operand)
                          ? same.lookupOrDefault(operand)
                          : vectorOf(operand));
  }
  for (Type type : inner.getResultTypes())
    state.addTypes(VectorType::get(shape, type));
  state.addAttributes(inner.getAttrs());
  lanes.map(inner.getResults(), b.create(state)->getResults());
  return success();
}

LogicalResult LaneLowering::run() {
  lanes.map(op.getBodyBlock()->getArguments(), op.getVectors());
  for (Operation &inner : op.getBodyBlock()->without_terminator())
    if (failed(lower(inner)))
      return failure();
  SmallVector<Value> results;
  for (Value value : op.getBodyBlock()->getTerminator()->getOperands())
    results.push_back(vectorOf(value));
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

LogicalResult nacho::convertLanesToVector(func::FuncOp func) {
  WalkResult result = func.walk(
      [](EachLaneOp op) -> WalkResult { return LaneLowering(op).run(); });
  return failure(result.wasInterrupted());
}
