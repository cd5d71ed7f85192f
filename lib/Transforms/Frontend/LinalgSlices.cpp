//===- LinalgSlices.cpp - Slices that linalg ops read ---------------------===//
//
// MLIR has the numbers of a slice of a sparse tensor in `tensor.extract_slice`
// or, as far as they are constant, in the encoding of the slice. Both become a
// `nacho.slice`.
//
//===----------------------------------------------------------------------===//

#include "LinalgSlices.h"

#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

SliceOp nacho::makeSlice(linalg::GenericOp op, Value value) {
  auto extract = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!extract ||
      !sparse_tensor::getSparseTensorEncoding(extract.getSourceType()) ||
      extract.getSourceType().getRank() != extract.getType().getRank())
    return {};
  auto type = RankedTensorType::get(extract.getType().getShape(),
                                    extract.getType().getElementType(),
                                    extract.getSourceType().getEncoding());
  ImplicitLocOpBuilder b(extract.getLoc(), op);
  return SliceOp::create(b, type, extract.getSource(),
                         extract.getMixedOffsets(), extract.getMixedSizes(),
                         extract.getMixedStrides());
}

/// %S: tensor<4xf64, slice(1, 4, 2)>
///   -> %A: tensor<?xf64>, %S = nacho.slice %A[1] [4] [2]
static LogicalResult takeWholeTensor(func::FuncOp func, BlockArgument slice) {
  auto type = cast<RankedTensorType>(slice.getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  ImplicitLocOpBuilder b(slice.getLoc(), func.getContext());
  b.setInsertionPointToStart(slice.getOwner());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
    auto offset = encoding.getStaticDimSliceOffset(dimension);
    auto stride = encoding.getStaticDimSliceStride(dimension);
    if (!offset || !stride || type.isDynamicDim(dimension))
      return func.emitError()
             << "argument " << slice.getArgNumber()
             << " is a slice, and its type does not tell where dimension "
             << dimension
             << " of it lies: take the whole tensor and the numbers as "
                "arguments, and slice it by tensor.extract_slice";
    offsets.push_back(b.getIndexAttr(*offset));
    strides.push_back(b.getIndexAttr(*stride));
    sizes.push_back(b.getIndexAttr(type.getDimSize(dimension)));
  }
  slice.setType(wholeTypeOf(type));
  auto made =
      SliceOp::create(b, type.cloneWithEncoding(encoding.withoutDimSlices()),
                      slice, offsets, sizes, strides);
  slice.replaceAllUsesExcept(made.getResult(), made);
  return success();
}

LogicalResult nacho::takeWholeTensors(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments()) {
    if (isSlice(arg.getType()) && failed(takeWholeTensor(func, arg)))
      return failure();
  }
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         func.getResultTypes()));
  return success();
}
