//===- FiberOps.cpp - Fibers: their making, finding and prefetching -------===//

#include "nacho/IR/Collect.h"

using namespace mlir;
using namespace nacho;

LogicalResult RootOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto tensor = cast<RankedTensorType>(adaptor.getTensor().getType());
  auto error = [&] {
    return mlir::emitError(location.value_or(UnknownLoc::get(context)));
  };
  auto fiber = FiberType::getChecked(error, context, tensor, /*level=*/0u,
                                     adaptor.getScannedList());
  types.push_back(fiber);
  return success(fiber != nullptr);
}

LogicalResult RootOp::verify() {
  auto nest = getTensor().getDefiningOp<NestOp>();
  bool isScannedList =
      nest ? collectTraitsOf(nest).scansCosts : getScannedList();
  if (isScannedList && !getScannedList())
    return emitOpError("reads a scanned_list but not as one");
  if (getScannedList() && !isScannedList)
    return emitOpError("reads as a scanned_list what is collected ")
           << stringifyCollectKind(nest.getCollect());
  return success();
}

/// Whether a level of a tensor has an array of coordinates.
static bool storesCoordinates(RankedTensorType tensor, unsigned level) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  return encoding && sparse_tensor::isWithCrdLT(encoding.getLvlType(level));
}

LogicalResult FindOp::verify() {
  FiberType fiber = cast<FiberType>(getFiber().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(fiber.getTensor());
  bool isFindable = encoding && !fiber.isElement();
  if (isFindable) {
    sparse_tensor::LevelType level = encoding.getLvlType(fiber.getLevel());
    isFindable =
        isWithCrdLT(level) && !isSingletonLT(level) && isUniqueLT(level);
  }
  if (!isFindable)
    return emitOpError() << "cannot look into a " << fiber
                         << ": its children need unique coordinates";
  if (!getTable())
    return success();
  Type number = cast<WorkspaceType>(getTable().getType()).getElement();
  if (!number.isInteger(32) && !number.isInteger(64))
    return emitOpError() << "looks for numbers in a " << getTable().getType();
  return success();
}

/// Whether the children of a fiber have numbers: each stores its coordinate.
static LogicalResult verifyNumbers(Operation *op, FiberType fiber) {
  if (!fiber.isElement() &&
      storesCoordinates(fiber.getTensor(), fiber.getLevel()))
    return success();
  return op->emitOpError() << "knows no numbers of the children of a " << fiber;
}

LogicalResult ChildNumberOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  auto child = cast<FiberType>(getChild().getType());
  if (failed(verifyNumbers(*this, fiber)))
    return failure();
  if (child.getTensor() != fiber.getTensor() ||
      child.getLevel() != fiber.getLevel() + 1)
    return emitOpError() << "cannot have a " << child << " in a " << fiber;
  return success();
}

LogicalResult ChildCoordinateOp::verify() {
  return verifyNumbers(*this, cast<FiberType>(getFiber().getType()));
}

LogicalResult SeekOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  if (fiber.isElement() ||
      !storesCoordinates(fiber.getTensor(), fiber.getLevel()))
    return emitOpError() << "cannot search a " << fiber
                         << ", which stores no coordinates";
  return success();
}

LogicalResult PiecesOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  RankedTensorType tensor = fiber.getTensor();
  if (static_cast<int64_t>(fiber.getLevel()) + 1 != tensor.getRank() ||
      !storesCoordinates(tensor, fiber.getLevel()))
    return emitOpError() << "needs a fiber of a last level that stores "
                            "coordinates, not a "
                         << fiber;
  return success();
}

LogicalResult PrefetchOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  if (fiber.isElement())
    return emitOpError() << "needs a fiber with children, not a " << fiber;
  if (getBegin() && getElements())
    return emitOpError("of where children begin has no elements");
  return success();
}

LogicalResult AheadOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  if (fiber.getLevel() == 0 ||
      !storesCoordinates(fiber.getTensor(), fiber.getLevel() - 1))
    return emitOpError() << "needs a child with a stored coordinate, not a "
                         << fiber;
  if (static_cast<int64_t>(getDistance()) < 1)
    return emitOpError("must look ahead");
  return success();
}

LogicalResult PrefetchRowOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || !encoding.isAllDense())
    return emitOpError() << "needs an encoded dense tensor, got " << type;
  if (static_cast<int64_t>(getCoordinates().size()) + 1 != type.getRank())
    return emitOpError() << "has " << getCoordinates().size()
                         << " coordinates for a row of " << type;
  return success();
}
