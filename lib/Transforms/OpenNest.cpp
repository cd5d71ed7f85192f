//===- OpenNest.cpp - A nest that is being built --------------------------===//

#include "OpenNest.h"

#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// Takes the extent from any tensor that has the index.
Value OpenNest::computeExtent(Attribute index) {
  AssignOp op = plan.op;
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    IndexNames stored = storageOrder(type, op.getAccess(n));
    for (auto [level, at] : llvm::enumerate(stored)) {
      if (at != index)
        continue;
      Value number = arith::ConstantIndexOp::create(b, level);
      NameScope name(b, "N_" + cast<StringAttr>(index).getValue());
      if (auto coordinates = input.getDefiningOp<CoordinatesOp>())
        return coordinates.getExtent() ? coordinates.getExtent()
                                       : Value(arith::ConstantIndexOp::create(
                                             b, type.getDimSize(0)));
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
