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

static void lowerCost(FiberLowering &lowering, CostOp cost) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(cost.getFiber());
  ChildRange range = childRange(b, of);
  Value to = cost.getPosition();
  if (!to && range.level->isFull()) {
    Value extent = range.level->extent(b);
    if (!of.present.isAlways())
      extent = emitSelect(b, of.present, extent, 0);
    to = Number(b, range.first) + extent;
  } else if (!to) {
    to = range.end;
  }
  unsigned below = of.level + cost.getBelow();
  if (cost.getKind() != CostKind::loops)
    below = cast<RankedTensorType>(of.tensor.getType()).getRank() - 1;
  bool isWhole = !cost.getPosition();
  // The cost up to a child of a root does not depend on what lies before that
  // child in the arrays: they need not be in memory.
  bool isFirst = of.level == 0 && hasNoGaps(*range.level);
  Value from = range.first;
  if (isFirst)
    from = Number(b, 0);
  for (unsigned level = of.level; level < below; ++level) {
    auto next = Level::get(of.tensor, level + 1);
    isFirst &= hasNoGaps(*next);
    from = isFirst ? from : next->begin(b, from);
    // What lies behind the last child of a whole fiber is not part of it.
    to = isWhole ? next->end(b, from, to) : next->begin(b, to);
  }
  if (cost.getKind() == CostKind::scan) {
    from = sumBefore(b, of.tensor, from);
    to = sumBefore(b, of.tensor, to);
  }
  cost.replaceAllUsesWith(Number(b, to) - from);
}

void nacho::addFiberOps(FiberLowering &lowering) {
  lowering.add(lowerOnCut, lowerCutCost, lowerCutCoordinate, lowerCutPosition,
               lowerPresent, lowerExtent, lowerPosition, lowerRecall,
               lowerCost);
}
