//===- Level.cpp - Code that reads a level of an operand ------------------===//

#include "nacho/Levels/Level.h"
#include "Flat.h"
#include "LevelKind.h"
#include "nacho/IR/Arith.h"

#include "nacho/IR/Fibers.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;
using namespace nacho;

std::unique_ptr<Level> Level::get(Value tensor, unsigned level) {
  if (auto flatten = tensor.getDefiningOp<FlattenOp>())
    return makeFlatLevel(tensor, flatten.getTensor());
  if (auto slice = tensor.getDefiningOp<SliceOp>())
    return getOfSlice(slice, level);
  const LevelKind *kind =
      findKind(cast<RankedTensorType>(tensor.getType()), level);
  return kind ? kind->operand(tensor, level) : nullptr;
}

Value Level::extent(ImplicitLocOpBuilder &b) const {
  return levelExtent(b, tensor, level);
}

Value Level::last(ImplicitLocOpBuilder &b) const {
  return Number(b, size(b)) - 1;
}

Value nacho::positionsBefore(ImplicitLocOpBuilder &b, Value tensor,
                             unsigned level, Value position, unsigned below) {
  while (level < below)
    position = Level::get(tensor, ++level)->begin(b, position);
  return position;
}

Value nacho::numPositions(ImplicitLocOpBuilder &b, Value tensor,
                          unsigned levels) {
  if (levels == 0)
    return Number(b, 1);
  // The positions of a slice are those of the whole tensor.
  tensor = wholeTensorOf(tensor);
  auto last = Level::get(tensor, levels - 1);
  if (!last->isFull())
    return last->size(b);
  return last->begin(b, numPositions(b, tensor, levels - 1));
}

Value nacho::levelExtent(ImplicitLocOpBuilder &b, Value tensor,
                         unsigned level) {
  if (auto slice = tensor.getDefiningOp<SliceOp>())
    return Level::getOfSlice(slice, level)->extent(b);
  Number number(b, level);
  return sparse_tensor::LvlOp::create(b, tensor, number);
}
