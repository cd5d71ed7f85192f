//===- ListOps.cpp - Fields of the entries of lists -----------------------===//

#include "nacho/IR/Nacho.h"

using namespace mlir;
using namespace nacho;

LogicalResult RecallOp::verify() {
  auto type = cast<FiberType>(getFiber().getType());
  if (!type.isOfScannedList())
    return emitOpError() << "recalls what only a scanned_list keeps from a "
                         << type;
  uint64_t level = type.getLevel() + getBelow();
  if (static_cast<int64_t>(getBelow()) < 0 ||
      level >= static_cast<uint64_t>(type.getTensor().getRank()))
    return emitOpError() << "recalls level " << level << " of "
                         << type.getTensor();
  if (static_cast<int64_t>(getAhead()) < 0)
    return emitOpError("recalls an entry that lies behind");
  return success();
}

LogicalResult FiberAtOp::verify() {
  auto root = cast<FiberType>(getRoot().getType());
  auto fiber = cast<FiberType>(getFiber().getType());
  if (root.getLevel() != 0 || root.getTensor() != fiber.getTensor())
    return emitOpError() << "cannot get a " << fiber << " from a " << root;
  return success();
}

LogicalResult ChildrenAtOp::verify() {
  auto root = cast<FiberType>(getRoot().getType());
  auto fiber = cast<FiberType>(getFiber().getType());
  if (root.getLevel() != 0 || root.getTensor() != fiber.getTensor() ||
      static_cast<int64_t>(fiber.getLevel()) + 1 != root.getTensor().getRank())
    return emitOpError() << "cannot get children in the last level of a "
                         << root << " as a " << fiber;
  return success();
}
