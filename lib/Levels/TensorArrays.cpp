//===- TensorArrays.cpp - The buffers of a tensor's levels ----------------===//

#include "nacho/Levels/TensorArrays.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

static MemRefType vectorOf(Type element,
                           MemRefLayoutAttrInterface layout = {}) {
  return MemRefType::get({ShapedType::kDynamic}, element, layout);
}

TensorArrays::TensorArrays(RankedTensorType type)
    : type(type), buffers(type.getRank()) {
  for (auto [level, ofLevel] : llvm::enumerate(buffers))
    ofLevel.resize(levelArrays(type, level).size());
}

void TensorArrays::forEach(
    llvm::function_ref<void(Value &, MemRefType, const Twine &)> body) {
  for (auto [level, ofLevel] : llvm::enumerate(buffers))
    for (auto [array, buffer] : llvm::zip(levelArrays(type, level), ofLevel))
      body(buffer, vectorOf(array.element), array.name + Twine(level));
}

SmallVector<Value> TensorArrays::flatten() const {
  SmallVector<Value> all;
  for (const SmallVector<Value> &ofLevel : buffers)
    llvm::append_range(all, ofLevel);
  return all;
}

/// The buffer of an array; null if the level has no array of that name.
Value TensorArrays::find(unsigned level, StringRef name) const {
  for (auto [array, buffer] :
       llvm::zip(levelArrays(type, level), buffers[level]))
    if (array.name == name)
      return buffer;
  return {};
}

Value TensorArrays::positions(unsigned level) const {
  return find(level, kPositionsName);
}

/// view[p] = array[offset + stride * p]
Value TensorArrays::coordinates(ImplicitLocOpBuilder &b, unsigned level) const {
  std::optional<CoordinatePlace> place = coordinatePlace(type, level);
  Value array = find(place ? place->level : level, kCoordinatesName);
  if (!place || place->stride == 1)
    return array;
  Number zero(b, 0);
  Number stride(b, place->stride);
  Value size = Number(b, memref::DimOp::create(b, array, zero)) / stride;
  return memref::ReinterpretCastOp::create(
      b, coordinatesType(type, level), array,
      OpFoldResult(b.getIndexAttr(place->offset)), {OpFoldResult(size)},
      {OpFoldResult(b.getIndexAttr(place->stride))});
}

static Value asOneRow(ImplicitLocOpBuilder &b, Value array) {
  int64_t rank = cast<MemRefType>(array.getType()).getRank();
  if (rank == 1)
    return array;
  SmallVector<ReassociationIndices> all = {llvm::to_vector<2>(llvm::seq(rank))};
  return memref::CollapseShapeOp::create(b, array, all);
}

Value nacho::emitPositionsArray(ImplicitLocOpBuilder &b, Value tensor,
                                unsigned level) {
  return asOneRow(b, sparse_tensor::ToPositionsOp::create(
                         b, tensor, b.getIndexAttr(level)));
}

Value nacho::emitCoordinatesArray(ImplicitLocOpBuilder &b, Value tensor,
                                  unsigned level) {
  return asOneRow(b, sparse_tensor::ToCoordinatesOp::create(
                         b, tensor, b.getIndexAttr(level)));
}

Value nacho::emitValues(ImplicitLocOpBuilder &b, Value tensor) {
  return asOneRow(b, sparse_tensor::ToValuesOp::create(b, tensor));
}

MemRefType nacho::coordinatesType(RankedTensorType type, unsigned level) {
  Type element = sparse_tensor::getSparseTensorEncoding(type).getCrdElemType();
  std::optional<CoordinatePlace> place = coordinatePlace(type, level);
  if (!place || place->stride == 1)
    return vectorOf(element);
  return vectorOf(
      element,
      StridedLayoutAttr::get(type.getContext(), place->offset, place->stride));
}
