//===- FoundFibers.cpp - Fibers at positions that are remembered or found -===//
//
// What a list remembers, a search finds or a table says is a position, and
// fibers begin there. No fiber is read outside of the arrays of its tensor,
// whatever the operands became in the meantime.
//
//===----------------------------------------------------------------------===//

#include "FiberLowering.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace nacho;

/// The position comes from `nacho.recall`, so that of an absent fiber is
/// `kRecalledAbsent`.
void FiberLowering::lowerFiberAt(FiberAtOp op) {
  FiberValue at = fiber(op.getRoot());
  at.level = cast<FiberType>(op.getFiber().getType()).getLevel();
  at.position = op.getPosition();
  if (op.getEnd())
    at.end = op.getEnd();
  if (!op.getCertain()) {
    Value none = constant(kRecalledAbsent);
    at.present = compare(arith::CmpIPredicate::ne, at.position, none);
    at.position = select(at.present, at.position, constant(0));
    if (at.end)
      at.end = select(at.present, *at.end, constant(0));
  }
  Value size = numPositions(b, at.tensor, at.level);
  Value last = arith::SubIOp::create(b, size, constant(1));
  at.position = arith::MinUIOp::create(b, at.position, last);
  if (at.end)
    at.end = arith::MinUIOp::create(b, *at.end, size);
  setFiber(op.getFiber(), at);
}

/// The positions come from `nacho.recall`. No cut divides these children.
void FiberLowering::lowerChildrenAt(ChildrenAtOp op) {
  FiberValue at = fiber(op.getRoot());
  at.level = cast<FiberType>(op.getFiber().getType()).getLevel();
  Value size = Level::get(at.tensor, at.level)->size(b);
  Value end = arith::MinUIOp::create(b, op.getEnd(), size);
  at.children = {arith::MinUIOp::create(b, op.getBegin(), end), end};
  setFiber(op.getFiber(), at);
}

void FiberLowering::lowerPieces(PiecesOp op) {
  FiberValue of = fiber(op.getFiber());
  of.shift = op.getShift();
  setFiber(op.getPieces(), of);
}

void FiberLowering::lowerSeek(SeekOp op) {
  FiberValue of = fiber(op.getFiber());
  ChildRange range = childRange(of);
  Value sought = op.getCoordinate();
  Value at =
      range.level->lowerBound(b, sought, range.first, range.begin, range.end);
  Value found = compare(arith::CmpIPredicate::eq,
                        coordinateOrInfinity(range, at), sought);
  FiberValue child = {of.tensor, of.level + 1, select(found, at, constant(0)),
                      found, std::nullopt};
  if (!range.level->isUnique())
    child.end = select(found, endOfRun(*range.level, sought, at, range.end),
                       constant(0));
  setFiber(op.getChild(), child);
}

/// The children of a fiber, before the loop around if the fiber is the same in
/// all of its steps.
ChildRange FiberLowering::rangeOutsideOfLoop(const FiberValue &of) {
  OpBuilder::InsertionGuard guard(b);
  auto loop =
      dyn_cast<LoopLikeOpInterface>(b.getInsertionBlock()->getParentOp());
  if (loop && of.present.isAlways() && loop.isDefinedOutsideOfLoop(of.position))
    b.setInsertionPoint(loop);
  return childRange(of);
}

void FiberLowering::lowerFind(FindOp op) {
  if (!op.getTable())
    return refuse(op, "needs a table of the positions of the fiber's children, "
                      "which nacho-assemble-outputs makes");
  FiberValue of = fiber(op.getFiber());
  auto lookup = LookupOp::create(b, b.getI64Type(), b.getI1Type(),
                                 op.getCoordinate(), op.getTable());
  // Duplicates can occur if operands were edited: the table then has the sum of
  // their positions.
  ChildRange range = rangeOutsideOfLoop(of);
  Value at = arith::IndexCastOp::create(b, b.getIndexType(), lookup.getValue());
  Value isInside = arith::AndIOp::create(
      b, compare(arith::CmpIPredicate::uge, at, range.begin),
      compare(arith::CmpIPredicate::ult, at, range.end));
  Value found = arith::AndIOp::create(b, lookup.getIsThere(), isInside);
  setFiber(op.getChild(),
           {of.tensor, of.level + 1, select(found, at, constant(0)), found,
            std::nullopt});
}
