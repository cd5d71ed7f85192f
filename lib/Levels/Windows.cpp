//===- Windows.cpp - Coordinates of many positions at once ----------------===//

#include "nacho/Levels/Windows.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

void nacho::fillWindow(ImplicitLocOpBuilder &b, const Level &level, Value array,
                       Value begin, Value end, Value cursors,
                       unsigned vectorBits) {
  if (const ComputedCoordinates *computed = level.computed())
    return computed->fill(b, array, begin, end, cursors, vectorBits);
  fillByVectors(b, level, array, begin, end, vectorBits);
}

/// for p in begin..end, in steps of `lanes`:
///   array[p - begin ...] = the coordinates at p ...
///
/// Fills by vectors; the load of a last one that is not whole is masked.
void nacho::fillByVectors(ImplicitLocOpBuilder &b, const Level &level,
                          Value array, Value begin, Value end,
                          unsigned vectorBits) {
  unsigned lanes = vectorBits / 32;
  auto store = [&](Value position, Condition valid) {
    Value at = Number(b, position) - begin;
    vector::StoreOp::create(
        b, level.coordinateVector(b, position, valid, lanes), array, at);
  };
  Number step(b, lanes);
  Value rest = (Number(b, end) - begin) % step;
  Number whole = Number(b, end) - rest;
  auto forOp = scf::ForOp::create(b, begin, whole, step);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    store(forOp.getInductionVar(), kAlways);
  }
  Value isLeft = whole < end;
  auto ifLeft = scf::IfOp::create(b, isLeft, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifLeft.thenBlock());
  store(whole, emitMask(b, whole, end, lanes));
}
