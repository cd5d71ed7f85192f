//===- CoordinateChecks.cpp - Checks of coordinates against extents -------===//

#include "CoordinateChecks.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Arith.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nacho;

/// Whether a loop's coordinate is used as an index into memory, to compute one,
/// or as a number, which the result may have: argmax(j, A[i, j]).
static bool usesCoordinate(CoiterateOp loop) {
  for (Operation *user : loop.getCoordinate().getUsers())
    if (isa<LocateOp, AppendOp, DeriveOp, arith::IndexCastOp>(user))
      return true;
  return llvm::any_of(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return isFullLevel(type.getTensor(), type.getLevel());
  });
}

bool nacho::mustCheck(const Part &part, const Entries &entries, unsigned m) {
  CoiterateOp loop = part.layout.loops[m];
  // The coordinates in a scanned list were checked when it was made.
  auto isChecked = [](Value fiber) {
    return cast<FiberType>(fiber.getType()).isOfScannedList();
  };
  if (!loop.getFibers().empty() && llvm::all_of(loop.getFibers(), isChecked))
    return false;
  bool isInnermost = m + 1 == part.layout.loops.size();
  return !visitsAll(loop) && usesCoordinate(loop) &&
         (!isInnermost || entries.needsCheck(loop));
}

/// The extent of the index of loop `m`: that of a tensor in which its
/// coordinate locates an element, since that is compared with the coordinate
/// anyway, or that of a fiber.
static Value emitCheckedExtent(const Part &part, unsigned m, Value fiber) {
  ImplicitLocOpBuilder &b = part.b;
  Value coordinate = CoiterateOp(part.layout.loops[m]).getCoordinate();
  for (Operation *user : coordinate.getUsers())
    if (auto locate = dyn_cast<LocateOp>(user)) {
      auto at = llvm::find(locate.getCoordinates(), coordinate);
      return tensor::DimOp::create(
          b, part.mapping.lookupOrDefault(locate.getTensor()),
          at - locate.getCoordinates().begin());
    }
  return ExtentOp::create(b, b.getIndexType(), fiber);
}

Value nacho::emitIsOutside(const Part &part, unsigned m, CoiterateOp loop) {
  ImplicitLocOpBuilder &b = part.b;
  auto isBeyond = [&](Value extent) -> Value {
    return Number(b, loop.getCoordinate()) >= extent;
  };
  if (!CoiterateOp(part.layout.loops[m]).getExtent())
    return isBeyond(emitCheckedExtent(part, m, loop.getFibers().front()));
  // The loop is shared by terms whose fibers may have smaller extents than it.
  Number outside = Number::flag(b, false);
  for (auto [fiber, child] : llvm::zip(loop.getFibers(), loop.getChildren())) {
    Value present = PresentOp::create(b, b.getI1Type(), child);
    Value extent = ExtentOp::create(b, b.getIndexType(), fiber);
    outside = outside | (Number(b, isBeyond(extent)) & present);
  }
  return outside;
}

void nacho::emitReport(const Part &part, Value isOutside) {
  ImplicitLocOpBuilder &b = part.b;
  emitIf(b, isOutside, [&] {
    part.setStatus(Number(b, kCoordinateOutOfRange, b.getI32Type()));
  });
}
