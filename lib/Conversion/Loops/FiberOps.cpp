//===- FiberOps.cpp - Lowers the ops that ask about fibers and cuts -------===//

#include "FiberLowering.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

/// Whether a user of a recalled position has to expect an absent fiber.
static bool mayBeAbsent(Operation *user) {
  auto at = dyn_cast<FiberAtOp>(user);
  return !isa<ChildrenAtOp>(user) && (!at || !at.getCertain());
}

/// Widens a kept coordinate to 64 bits: -1 of 32 bits becomes
/// `kRecalledAbsent`, as -1 of 64 bits does when it is loaded.
static Value wideRecall(ImplicitLocOpBuilder &b, Value list, Value kept) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(list.getType());
  if (encoding.getCrdWidth() != 32)
    return kept;
  Number narrowNone(b, std::numeric_limits<uint32_t>::max());
  Number isThere = Number(b, kept) != narrowNone;
  return select(isThere, kept, kRecalledAbsent);
}

/// The position of the entry of a list that is `ahead` entries further on, or
/// of the last entry.
static Value entryAhead(ImplicitLocOpBuilder &b, Value list, Value position,
                        int64_t ahead) {
  Value size = memref::DimOp::create(b, emitValues(b, list), Number(b, 0));
  Value last = Number(b, size) - 1;
  return min(Number(b, position) + ahead, last);
}

/// The sum of the costs before a position. `list` has the inclusive prefix sums
/// of the costs as its values.
static Value sumBefore(ImplicitLocOpBuilder &b, Value list, Value position) {
  Value values = emitValues(b, list);
  Number any = Number(b, position) != 0;
  Value before = Number(b, position) - 1;
  Value sum = memref::LoadOp::create(b, values, select(any, before, 0));
  sum = Number(b, sum).asSigned(b.getIndexType());
  return select(any, sum, 0);
}

static void lowerOnCut(FiberLowering &lowering, OnCutOp op) {
  op.replaceAllUsesWith(emitFlag(lowering.b, lowering.cut(op.getCut()).on));
}

static void lowerCutCost(FiberLowering &lowering, CutCostOp op) {
  op.replaceAllUsesWith(lowering.cut(op.getCut()).cost);
}

static void lowerCutCoordinate(FiberLowering &lowering, CutCoordinateOp op) {
  op.replaceAllUsesWith(
      lowering.cut(op.getCut()).loops[op.getLoop()].coordinate);
}

static void lowerCutPosition(FiberLowering &lowering, CutPositionOp op) {
  CutValue value = lowering.cut(op.getCut());
  op.replaceAllUsesWith(value.loops[op.getLoop()].positions[op.getNumber()]);
}

static void lowerPresent(FiberLowering &lowering, PresentOp op) {
  op.replaceAllUsesWith(
      emitFlag(lowering.b, lowering.fiber(op.getFiber()).present));
}

static void lowerExtent(FiberLowering &lowering, ExtentOp op) {
  FiberValue of = lowering.fiber(op.getFiber());
  op.replaceAllUsesWith(Level::get(of.tensor, of.level)->extent(lowering.b));
}

static void lowerPosition(FiberLowering &lowering, PositionOp op) {
  FiberValue of = lowering.fiber(op.getFiber());
  Value at = op.getEnd() ? *of.end : of.position;
  op.replaceAllUsesWith(
      emitSelect(lowering.b, of.present, at, kAbsentPosition));
}

static void lowerRecall(FiberLowering &lowering, RecallOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(op.getFiber());
  Value at = emitSelect(b, of.present, of.position, kReadablePosition);
  if (op.getAhead())
    at = entryAhead(b, of.tensor, at, op.getAhead());
  auto level = Level::get(of.tensor, of.level + op.getBelow());
  Number none(b, kRecalledAbsent);
  Value kept = level->coordinate(b, at);
  if (llvm::any_of(op->getUsers(), mayBeAbsent))
    kept = wideRecall(b, of.tensor, kept);
  op.replaceAllUsesWith(emitSelect(b, of.present, kept, none));
}

/// Whether what a level stores begins with the children of its first parent: a
/// slice may leave out what lies before these.
static bool hasNoGaps(const Level &level) {
  return level.adjoins() || (level.isFull() && !level.isCropped());
}

/// The level whose positions a cost counts.
static unsigned levelCounted(CostOp cost) {
  auto type = cast<FiberType>(cost.getFiber().getType());
  if (cost.getKind() == CostKind::loops)
    return type.getLevel() + cost.getBelow();
  return cast<RankedTensorType>(type.getTensor()).getRank() - 1;
}

/// Where the fiber of a cost begins in its level, and in each level below it
/// down to the one whose positions are counted.
static SmallVector<Value> beginnings(ImplicitLocOpBuilder &b, CostOp cost,
                                     const FiberValue &of,
                                     const ChildRange &range) {
  // The cost up to a child of a root does not depend on what lies before that
  // child in the arrays: they need not be in memory.
  bool isFirst = of.level == 0 && hasNoGaps(*range.level);
  Value from = range.first;
  if (isFirst)
    from = Number(b, 0);
  SmallVector<Value> all = {from};
  for (unsigned level = of.level; level < levelCounted(cost); ++level) {
    auto next = Level::get(of.tensor, level + 1);
    isFirst &= hasNoGaps(*next);
    all.push_back(isFirst ? from : next->begin(b, all.back()));
  }
  return all;
}

/// The cost of all that lies before a position of the level that is counted.
static Value costBefore(ImplicitLocOpBuilder &b, CostOp cost,
                        const FiberValue &of, Value position) {
  return cost.getKind() == CostKind::scan ? sumBefore(b, of.tensor, position)
                                          : position;
}

Value nacho::costBeforeFiber(FiberLowering &lowering, CostOp cost) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(cost.getFiber());
  return costBefore(b, cost, of,
                    beginnings(b, cost, of, childRange(b, of)).back());
}

static void lowerCostTo(FiberLowering &lowering, CostOp cost) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(cost.getFiber());
  Value from = lowering.costsBefore.lookup(cost);
  if (!from)
    from = costBeforeFiber(lowering, cost);
  Value to = cost.getPosition();
  for (unsigned level = of.level; level < levelCounted(cost); ++level)
    to = Level::get(of.tensor, level + 1)->begin(b, to);
  cost.replaceAllUsesWith(Number(b, costBefore(b, cost, of, to)) - from);
}

static void lowerCost(FiberLowering &lowering, CostOp cost) {
  if (cost.getPosition())
    return lowerCostTo(lowering, cost);
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(cost.getFiber());
  ChildRange range = childRange(b, of);
  Value to = range.end;
  if (range.level->isFull()) {
    Value extent = range.level->extent(b);
    if (!of.present.isAlways())
      extent = emitSelect(b, of.present, extent, 0);
    to = Number(b, range.first) + extent;
  }
  SmallVector<Value> from = beginnings(b, cost, of, range);
  // What lies behind the last child of a whole fiber is not part of it.
  for (auto [n, begin] : llvm::enumerate(llvm::drop_begin(from)))
    to = Level::get(of.tensor, of.level + n + 1)->end(b, begin, to);
  from.back() = costBefore(b, cost, of, from.back());
  cost.replaceAllUsesWith(Number(b, costBefore(b, cost, of, to)) - from.back());
}

void nacho::addFiberOps(FiberLowering &lowering) {
  lowering.add(lowerOnCut, lowerCutCost, lowerCutCoordinate, lowerCutPosition,
               lowerPresent, lowerExtent, lowerPosition, lowerRecall,
               lowerCost);
}
