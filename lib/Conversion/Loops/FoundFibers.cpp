//===- FoundFibers.cpp - Fibers at positions that are remembered or found -===//
//
// What a list remembers, a search finds or a table says is a position, and
// fibers begin there. No fiber is read outside of the arrays of its tensor,
// whatever the operands became in the meantime.
//
//===----------------------------------------------------------------------===//

#include "FiberLowering.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace nacho;

/// The position comes from `nacho.recall`, so that of an absent fiber is
/// `kRecalledAbsent`.
static void lowerFiberAt(FiberLowering &lowering, FiberAtOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue at = lowering.fiber(op.getRoot());
  at.level = cast<FiberType>(op.getFiber().getType()).getLevel();
  at.position = op.getPosition();
  if (op.getEnd())
    at.end = op.getEnd();
  if (!op.getCertain()) {
    at.present = Number(b, at.position) != kRecalledAbsent;
    at.position = emitSelect(b, at.present, at.position, 0);
    if (at.end)
      at.end = emitSelect(b, at.present, *at.end, 0);
  }
  Value size = numPositions(b, at.tensor, at.level);
  Value last = Number(b, size) - 1;
  at.position = min(Number(b, at.position), last);
  if (at.end)
    at.end = min(Number(b, *at.end), size);
  lowering.setFiber(op.getFiber(), at);
}

/// The positions come from `nacho.recall`. No cut divides these children.
static void lowerChildrenAt(FiberLowering &lowering, ChildrenAtOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue at = lowering.fiber(op.getRoot());
  at.level = cast<FiberType>(op.getFiber().getType()).getLevel();
  Value size = Level::get(at.tensor, at.level)->size(b);
  Value end = min(Number(b, op.getEnd()), size);
  at.children = {min(Number(b, op.getBegin()), end), end};
  lowering.setFiber(op.getFiber(), at);
}

static void lowerPieces(FiberLowering &lowering, PiecesOp op) {
  FiberValue of = lowering.fiber(op.getFiber());
  of.shift = op.getShift();
  lowering.setFiber(op.getPieces(), of);
}

static void lowerSeek(FiberLowering &lowering, SeekOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(op.getFiber());
  ChildRange range = childRange(b, of);
  Value sought = op.getCoordinate();
  Value at =
      range.level->lowerBound(b, sought, range.first, range.begin, range.end);
  Number found = Number(b, coordinateOrInfinity(b, range, at)) == sought;
  FiberValue child = {of.tensor, of.level + 1, select(found, at, 0), found,
                      std::nullopt};
  if (!range.level->isUnique())
    child.end =
        select(found, endOfRun(b, *range.level, sought, at, range.end), 0);
  lowering.setFiber(op.getChild(), child);
}

/// The children of a fiber, before the loop or drain around if the fiber is the
/// same in all of its steps.
static ChildRange rangeOutsideOfLoop(ImplicitLocOpBuilder &b,
                                     const FiberValue &of) {
  OpBuilder::InsertionGuard guard(b);
  Operation *around = b.getInsertionBlock()->getParentOp();
  while (isa<scf::IfOp>(around))
    around = around->getParentOp();
  Value position = of.position;
  bool isBefore =
      !around->isAncestor(position.getParentRegion()->getParentOp());
  if (isa<LoopLikeOpInterface, DrainOp>(around) && of.present.isAlways() &&
      isBefore)
    b.setInsertionPoint(around);
  return childRange(b, of);
}

static void lowerFind(FiberLowering &lowering, FindOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  if (!op.getTable())
    return lowering.refuse(
        op, "needs a table of the positions of the fiber's children, "
            "which nacho-assemble-outputs makes");
  FiberValue of = lowering.fiber(op.getFiber());
  auto table = cast<WorkspaceType>(op.getTable().getType());
  auto lookup = LookupOp::create(b, table.getElement(), b.getI1Type(),
                                 op.getCoordinate(), op.getTable());
  ChildRange range = rangeOutsideOfLoop(b, of);
  Value last = Number(b, range.level->size(b)) - 1;
  Value number = Number(b, lookup.getValue()).asIndex();
  Value at = min(Number(b, range.begin) + number, last);
  Number found(b, lookup.getIsThere());
  lowering.setFiber(op.getChild(), {of.tensor, of.level + 1,
                                    select(found, at, 0), found, std::nullopt});
}

static void lowerChildNumber(FiberLowering &lowering, ChildNumberOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  ChildRange range = rangeOutsideOfLoop(b, lowering.fiber(op.getFiber()));
  Value at = lowering.fiber(op.getChild()).position;
  op.replaceAllUsesWith(Number(b, at) - range.begin);
}

static void lowerChildCoordinate(FiberLowering &lowering,
                                 ChildCoordinateOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  ChildRange range = rangeOutsideOfLoop(b, lowering.fiber(op.getFiber()));
  Value last = Number(b, range.level->size(b)) - 1;
  Value at = Number(b, range.begin) + op.getNumber();
  op.replaceAllUsesWith(range.level->coordinate(b, min(Number(b, at), last)));
}

void nacho::addFoundFibers(FiberLowering &lowering) {
  lowering.add(lowerFiberAt, lowerChildrenAt, lowerPieces, lowerSeek, lowerFind,
               lowerChildNumber, lowerChildCoordinate);
}
