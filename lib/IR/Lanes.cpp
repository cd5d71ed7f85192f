//===- Lanes.cpp - Code for threads that do a part together ---------------===//

#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nacho;

LogicalResult nacho::verifyOfLanes(Operation *op) {
  auto workers = op->getParentOfType<ParallelOp>();
  if (!workers || workers.getBodyBlock()->getOps<LaneOp>().empty())
    return op->emitOpError("must be inside a nacho.parallel with a nacho.lane");
  return success();
}

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Lanes Lanes::create(ImplicitLocOpBuilder &b) {
  return Lanes(LaneOp::create(b, b.getIndexType(), kWarpLanes));
}

Value Lanes::isFirst(ImplicitLocOpBuilder &b) const {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                               constant(b, 0));
}

void Lanes::takeSteps(scf::ForOp loop) const {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  loop.setLowerBound(arith::AddIOp::create(b, loop.getLowerBound(), number));
  loop.setStep(constant(b, kWarpLanes));
}

void Lanes::doOnce(Operation *op, Value isFirst) {
  OpBuilder b(op);
  auto ifFirst =
      scf::IfOp::create(b, op->getLoc(), isFirst, /*withElse=*/false);
  op->moveBefore(ifFirst.thenBlock()->getTerminator());
}

SmallVector<Value> Lanes::from(ImplicitLocOpBuilder &b, ValueRange row,
                               Value other) const {
  return llvm::map_to_vector(row, [&](Value value) -> Value {
    if (!isa<IndexType>(value.getType()))
      return FromLaneOp::create(b, value, other);
    value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    value = FromLaneOp::create(b, value, other);
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  });
}

/// In each step, the sums of twice as many lanes are added.
Value Lanes::sum(ImplicitLocOpBuilder &b, Value value) const {
  Type type = value.getType();
  bool isIndex = isa<IndexType>(type);
  if (isIndex)
    value = arith::IndexCastOp::create(b, b.getI64Type(), value);
  for (int64_t distance = kWarpLanes / 2; distance > 0; distance /= 2) {
    Value other = arith::XOrIOp::create(b, number, constant(b, distance));
    Value another = FromLaneOp::create(b, value, other);
    value = arith::AddIOp::create(b, value, another);
  }
  return isIndex ? arith::IndexCastOp::create(b, type, value) : value;
}

SmallVector<Value> Lanes::scan(ImplicitLocOpBuilder &b, ValueRange row,
                               Combine combine) const {
  SmallVector<Value> all(row);
  for (int64_t distance = 1; distance < kWarpLanes; distance *= 2) {
    Value other =
        arith::AddIOp::create(b, number, constant(b, kWarpLanes - distance));
    other = arith::RemUIOp::create(b, other, constant(b, kWarpLanes));
    SmallVector<Value> both = combine(from(b, all, other), all);
    Value isFar = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number,
                                        constant(b, distance));
    for (auto [value, more] : llvm::zip(all, both))
      value = arith::SelectOp::create(b, isFar, more, value);
  }
  return all;
}

std::pair<Value, Value> Lanes::sumBefore(ImplicitLocOpBuilder &b,
                                         Value value) const {
  Value sum = scan(b, value, [&](ValueRange x, ValueRange y) {
    return SmallVector<Value>{arith::AddIOp::create(b, x[0], y[0])};
  })[0];
  Value all = from(b, sum, constant(b, kWarpLanes - 1))[0];
  return {arith::SubIOp::create(b, sum, value), all};
}
