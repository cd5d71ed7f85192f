//===- ElementOps.cpp - Loads and sums of elements ------------------------===//

#include "../Elements.h"
#include "FiberLowering.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

static void lowerLoad(FiberLowering &lowering, LoadOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue element = lowering.fiber(op.getElement());
  Value values = emitValues(b, element.tensor);
  Value at = element.position;
  Condition present = element.present;
  if (!present.isAlways() && !element.isReadable)
    at = emitSelect(b, present, at, 0);
  Value value = memref::LoadOp::create(b, values, at);
  if (!present.isAlways())
    value = selectOrZero(b, present.flag(), value);
  op.replaceAllUsesWith(value);
}

/// Whether the coordinate of a loop lies inside the extent of a tensor. That of
/// a loop over all coordinates of an index always does, for all tensors have
/// the same extent there.
static Condition isInside(FiberLowering &lowering, Value coordinate,
                          Value tensor, unsigned dimension) {
  ImplicitLocOpBuilder &b = lowering.b;
  auto arg = dyn_cast<BlockArgument>(coordinate);
  auto loop =
      arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  if ((loop && loop.getInductionVar() == coordinate) ||
      lowering.visited.contains(coordinate))
    return kAlways;
  Number number(b, dimension);
  Value extent = tensor::DimOp::create(b, tensor, number);
  return Number(b, coordinate) < extent;
}

/// The coordinate, or the last one of a dimension if that is less.
static Value atMostLast(ImplicitLocOpBuilder &b, Value coordinate, Value tensor,
                        unsigned dimension) {
  Value extent = tensor::DimOp::create(b, tensor, Number(b, dimension));
  return min(Number(b, coordinate), max(Number(b, extent), 1) - 1);
}

/// Reads the elements of the lanes that are set, or none if the condition does
/// not hold.
static Value readLanes(ImplicitLocOpBuilder &b, LocateOp op, ValueRange at,
                       Condition condition) {
  Value lanes = op.getLanes();
  if (!condition.isAlways()) {
    Number none(b, 0, lanes.getType());
    lanes = emitSelect(b, condition, lanes, none);
  }
  auto tensor = cast<RankedTensorType>(op.getTensor().getType());
  AffineExpr along = b.getAffineDimExpr(dimensionOf(tensor, at.size() - 1));
  auto map = AffineMap::get(at.size(), 0, along, b.getContext());
  Value zero = emitZero(b, tensor.getElementType());
  return vector::TransferReadOp::create(b, op.getType(), op.getTensor(), at,
                                        map, zero, lanes,
                                        b.getBoolArrayAttr({true}));
}

static void lowerLocate(FiberLowering &lowering, LocateOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  Value tensor = op.getTensor();
  Condition isThere = fromOperand(op.getCondition()), valid = isThere;
  for (auto [n, coordinate] : llvm::enumerate(op.getCoordinates()))
    valid = emitBoth(b, valid, isInside(lowering, coordinate, tensor, n));
  // Checked lanes are those of the last row, if this row is outside.
  auto type = cast<RankedTensorType>(tensor.getType());
  bool isOtherRow = op.getLanes() && op.getChecked();
  unsigned along = type.getRank() ? dimensionOf(type, type.getRank() - 1) : 0;
  SmallVector<Value> at;
  for (auto [n, coordinate] : llvm::enumerate(op.getCoordinates())) {
    bool isKept = valid.isAlways() || (isOtherRow && n == along);
    if (isOtherRow && !isKept)
      at.push_back(atMostLast(b, coordinate, tensor, n));
    else
      at.push_back(isKept ? coordinate : emitSelect(b, valid, coordinate, 0));
  }
  Condition isValue = op.getChecked() ? isThere : valid;
  if (op.getLanes())
    return op.replaceAllUsesWith(readLanes(b, op, at, isValue));
  Value value = tensor::ExtractOp::create(b, tensor, at);
  if (!isValue.isAlways())
    value = selectOrZero(b, isValue.flag(), value);
  op.replaceAllUsesWith(value);
}

static void lowerRestrict(FiberLowering &lowering, RestrictOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  SmallVector<Condition> present;
  for (Value value : op.getFibers())
    present.push_back(lowering.fiber(value).present);
  Condition holds = nacho::emitMerge(b, op.getMerge(), present);
  if (holds.isAlways())
    return op.replaceAllUsesWith(op.getValue());
  op.replaceAllUsesWith(
      emitSelect(b, holds, op.getValue(), emitZero(b, op.getType())));
}

/// for n = 0 to length: sums[row, first + n] += term(n)
static void lowerAccumulate(FiberLowering &lowering, AccumulateOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  OpBuilder::InsertionGuard guard(b);
  if (op.getCondition()) {
    auto ifHolds =
        scf::IfOp::create(b, op.getCondition(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifHolds.thenBlock());
  }
  auto loop = scf::ForOp::create(b, Number(b, 0), op.getLength(), Number(b, 1));
  Block *block = loop.getBody();
  block->back().erase();
  op.getNumber().replaceAllUsesWith(loop.getInductionVar());
  b.setInsertionPointToEnd(block);
  SmallVector<Value> terms = lowering.moveOps(op.getBodyBlock(), block);
  Value number = Number(b, op.getFirst()) + loop.getInductionVar();
  for (auto [sums, term] : llvm::zip(op.getSums(), terms)) {
    SmallVector<Value> at = {op.getRow(), number};
    Value before = memref::LoadOp::create(b, sums, at);
    Value after = op.getMonoid().emit(b, before, term);
    memref::StoreOp::create(b, after, sums, at);
  }
  scf::YieldOp::create(b);
}

void nacho::addElementOps(FiberLowering &lowering) {
  lowering.add(lowerLoad, lowerLocate, lowerRestrict, lowerAccumulate);
}
