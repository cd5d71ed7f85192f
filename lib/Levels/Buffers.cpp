//===- Buffers.cpp - Reads and writes of the arrays of levels -------------===//

#include "nacho/Levels/Buffers.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

Value nacho::loadIndex(ImplicitLocOpBuilder &b, Value buffer, Value at) {
  Value value = memref::LoadOp::create(b, buffer, at);
  return Number(b, value).asIndex();
}

void nacho::markPlace(Value loaded) {
  loaded.getDefiningOp()->setAttr(NachoDialect::kPlaceAttrName,
                                  UnitAttr::get(loaded.getContext()));
}

void nacho::storeIndex(ImplicitLocOpBuilder &b, Value value, Value buffer,
                       Value at) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  memref::StoreOp::create(b, Number(b, value).as(type), buffer, at);
}

/// A place outside of the buffer may be prefetched, too, so that bounds, which
/// are on the right of a minimum, are dropped.
void nacho::prefetchElement(ImplicitLocOpBuilder &b, Value buffer, Value at) {
  while (auto least = at.getDefiningOp<arith::MinUIOp>())
    at = least.getLhs();
  memref::PrefetchOp::create(b, buffer, at, /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

/// LLVM counts lanes with 32 bits, in which `end - start` need not fit; hence
/// the minimum.
Value nacho::emitMask(ImplicitLocOpBuilder &b, Value start, Value end,
                      int64_t lanes) {
  Value rest = minSigned(Number(b, end) - start, lanes);
  return vector::CreateMaskOp::create(b, VectorType::get(lanes, b.getI1Type()),
                                      rest);
}

/// gather(array[offset + stride * at + lane * stride])
static Value gatherVector(ImplicitLocOpBuilder &b, Value buffer, Value at,
                          Condition valid, VectorType type, int64_t stride,
                          int64_t offset) {
  Number zero(b, 0);
  Number step(b, stride);
  // The gather needs the contiguous array of which `buffer` is a strided view.
  Value size = Number(b, memref::DimOp::create(b, buffer, zero)) * step;
  Value array = memref::ReinterpretCastOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, type.getElementType()), buffer,
      OpFoldResult(b.getIndexAttr(0)), {OpFoldResult(size)},
      {OpFoldResult(b.getIndexAttr(1))});
  Value first = Number(b, at) * step + offset;
  int64_t lanes = type.getNumElements();
  SmallVector<int32_t> distances;
  for (int64_t lane = 0; lane < lanes; ++lane)
    distances.push_back(lane * stride);
  Value places = arith::ConstantOp::create(b, b.getI32VectorAttr(distances));
  Value mask = valid.isAlways()
                   ? arith::ConstantOp::create(
                         b, DenseElementsAttr::get(
                                VectorType::get(lanes, b.getI1Type()), true))
                   : valid.flag();
  Number none(b, 0, type);
  return vector::GatherOp::create(b, type, array, first, places, mask, none);
}

Value nacho::loadVector(ImplicitLocOpBuilder &b, Value buffer, Value at,
                        Condition valid, unsigned lanes) {
  auto from = cast<MemRefType>(buffer.getType());
  auto type = VectorType::get(lanes, from.getElementType());
  if (!from.getLayout().isIdentity()) {
    auto [strides, offset] = from.getStridesAndOffset();
    return gatherVector(b, buffer, at, valid, type, strides.front(), offset);
  }
  if (valid.isAlways())
    return vector::LoadOp::create(b, type, buffer, at);
  Number none(b, 0, type);
  return vector::MaskedLoadOp::create(b, type, buffer, at, valid.flag(), none);
}
