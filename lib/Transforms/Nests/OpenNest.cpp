//===- OpenNest.cpp - A nest that is being built --------------------------===//

#include "OpenNest.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nacho;

Value OpenNest::extentOf(Attribute index) {
  Value &known = extents[index];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nest);
    known = computeExtent(index);
  }
  return known;
}

DeriveOp OpenNest::coordinateInSlice(Attribute index) {
  AssignOp op = plan.op;
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    auto slice = input.getDefiningOp<SliceOp>();
    const auto *found = llvm::find(op.getAccess(n), index);
    if (!slice || !plan.isSparse(n) || found == op.getAccess(n).end())
      continue;
    unsigned dimension = found - op.getAccess(n).begin();
    if (!slice.isStrided(dimension))
      continue;
    OpFoldResult stride = slice.getStride(dimension);
    auto given = dyn_cast<Value>(stride);
    NameScope name(b, cast<StringAttr>(index).getValue());
    return DeriveOp::create(b, coordinates.at(index), ArrayRef<int64_t>(1),
                            /*constant=*/0,
                            given ? 1 : *getConstantIntValue(stride), given,
                            extentOf(index));
  }
  return {};
}

Value OpenNest::locateInSource(SliceOp slice, MutableArrayRef<Value> at) {
  auto number = [&](OpFoldResult given) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), given);
  };
  for (auto [dimension, coordinate] : llvm::enumerate(at)) {
    Number offset(b, number(slice.getOffset(dimension)));
    Number stride(b, number(slice.getStride(dimension)));
    coordinate = offset + stride * coordinate;
  }
  return slice.getSource();
}

/// The size of a slice in the dimension of a level. A size that is only known
/// when the kernel runs is at most the extent of the whole tensor.
Value OpenNest::sizeOf(SliceOp slice, unsigned level) {
  unsigned dimension = dimensionOf(slice.getType(), level);
  OpFoldResult size = slice.getSize(dimension);
  Value number = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
  if (isa<Attribute>(size))
    return number;
  Value whole = wholeTensorOf(slice.getResult());
  return min(Number(b, number), tensor::DimOp::create(b, whole, dimension));
}

/// Takes the extent from any tensor that has the index.
Value OpenNest::computeExtent(Attribute index) {
  AssignOp op = plan.op;
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    IndexNames stored = storageOrder(type, op.getAccess(n));
    for (auto [level, at] : llvm::enumerate(stored)) {
      if (at != index)
        continue;
      Number number(b, level);
      NameScope name(b, "N_" + cast<StringAttr>(index).getValue());
      if (auto coordinates = input.getDefiningOp<CoordinatesOp>())
        return coordinates.getExtent() ? Value(coordinates.getExtent())
                                       : Number(b, type.getDimSize(0));
      if (auto slice = input.getDefiningOp<SliceOp>())
        return sizeOf(slice, level);
      if (sparse_tensor::getSparseTensorEncoding(type))
        return sparse_tensor::LvlOp::create(b, input, number);
      return tensor::DimOp::create(b, input, number);
    }
  }
  llvm_unreachable("every index is an operand's");
}

std::string OpenNest::inputName(unsigned n) {
  std::string name = getName(plan.op.getInputs()[n]);
  if (!name.empty())
    return name;
  return n < 26 ? std::string(1, 'A' + n) : "T" + std::to_string(n);
}
