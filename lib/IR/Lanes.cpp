//===- Lanes.cpp - Code for threads that do a part together ---------------===//

#include "nacho/IR/Lanes.h"
#include "nacho/IR/Arith.h"
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

Lanes Lanes::create(ImplicitLocOpBuilder &b, int64_t count) {
  return Lanes(LaneOp::create(b, b.getIndexType(), count));
}

int64_t Lanes::count() const { return number.getDefiningOp<LaneOp>().getOf(); }

Value Lanes::isFirst(ImplicitLocOpBuilder &b) const {
  return Number(b, number) == 0;
}

void Lanes::takeSteps(scf::ForOp loop) const {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  loop.setLowerBound(Number(b, loop.getLowerBound()) + number);
  loop.setStep(Number(b, count()));
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
    value = Number(b, value).asSigned(b.getI64Type());
    value = FromLaneOp::create(b, value, other);
    return Number(b, value).asSigned(b.getIndexType());
  });
}

/// In each step, the sums of twice as many lanes are added.
Value Lanes::sum(ImplicitLocOpBuilder &b, Value value) const {
  Type type = value.getType();
  bool isIndex = isa<IndexType>(type);
  if (isIndex)
    value = Number(b, value).asSigned(b.getI64Type());
  for (int64_t distance = count() / 2; distance > 0; distance /= 2) {
    Value other = Number(b, number) ^ distance;
    Value another = FromLaneOp::create(b, value, other);
    value = Number(b, value) + another;
  }
  return isIndex ? Number(b, value).asSigned(type) : value;
}

/// Combines rows with those of lanes that lie a distance before this one, if
/// there are such lanes. The distance and the rest come to all lanes.
static SmallVector<Value> combineFrom(ImplicitLocOpBuilder &b,
                                      const Lanes &lanes, ValueRange row,
                                      Number::Operand distance,
                                      Number::Operand rest,
                                      Lanes::Combine combine) {
  Number lane(b, lanes.lane());
  Value other = (lane + rest) % lanes.count();
  SmallVector<Value> both = combine(lanes.from(b, row, other), row), all;
  Number isFar = lane >= distance;
  for (auto [value, more] : llvm::zip(row, both))
    all.push_back(select(isFar, more, value));
  return all;
}

/// In each step, the distance is twice as long. The code for rows of several
/// columns is long, so that a loop has it once.
SmallVector<Value> Lanes::scan(ImplicitLocOpBuilder &b, ValueRange row,
                               Combine combine) const {
  SmallVector<Value> all(row);
  if (row.size() == 1) {
    for (int64_t distance = 1; distance < count(); distance *= 2)
      all = combineFrom(b, *this, all, distance, count() - distance, combine);
    return all;
  }
  auto steps = int64_t(llvm::Log2_64_Ceil(count()));
  Number one(b, 1);
  auto loop = scf::ForOp::create(b, Number(b, 0), Number(b, steps), one, all);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Number distance = one << loop.getInductionVar();
  Value rest = Number(b, count()) - distance;
  scf::YieldOp::create(b, combineFrom(b, *this, loop.getRegionIterArgs(),
                                      distance, rest, combine));
  return loop.getResults();
}

std::pair<Value, Value> Lanes::sumBefore(ImplicitLocOpBuilder &b,
                                         Value value) const {
  Value sum = scan(b, value, [&](ValueRange x, ValueRange y) {
    return SmallVector<Value>{Number(b, x[0]) + y[0]};
  })[0];
  Value all = from(b, sum, Number(b, count() - 1))[0];
  return {Number(b, sum) - value, all};
}
