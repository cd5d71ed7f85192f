//===- KernelSlices.cpp - Slices as operands of kernels -------------------===//
//
// A kernel reads the whole tensor of which an operand is a slice, and makes the
// slice itself: by `tensor.extract_slice`, whose numbers are constants or
// operands.
//
//===----------------------------------------------------------------------===//

#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nacho;

bool nacho::isSlice(Type type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding && encoding.isSlice();
}

RankedTensorType nacho::wholeTypeOf(RankedTensorType slice) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(slice);
  SmallVector<int64_t> shape(slice.getRank(), ShapedType::kDynamic);
  return RankedTensorType::get(shape, slice.getElementType(),
                               encoding.withoutDimSlices());
}

tensor::ExtractSliceOp nacho::slicingOf(Value operand) {
  auto extract = operand.getDefiningOp<tensor::ExtractSliceOp>();
  bool isTaken =
      extract && isSlice(extract.getType()) &&
      sparse_tensor::getSparseTensorEncoding(extract.getSourceType()) &&
      !isSlice(extract.getSourceType()) &&
      extract.getSourceType().getRank() == extract.getType().getRank();
  return isTaken ? extract : tensor::ExtractSliceOp();
}

/// A number that the kernel knows, or that is an operand.
OpFoldResult KernelBuilder::addIndex(OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return b.getIndexAttr(*known);
  return addArgument(cast<Value>(number));
}

/// The slice in the kernel. Its type has the sizes that `type` has.
Value KernelBuilder::makeSlice(RankedTensorType type, Value source,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes,
                               ArrayRef<OpFoldResult> strides) {
  auto add = [&](OpFoldResult number) { return addIndex(number); };
  auto addSize = [&](auto sized) {
    auto [size, extent] = sized;
    OpFoldResult added = addIndex(size);
    auto known = dyn_cast<Attribute>(added);
    if (!known || !ShapedType::isDynamic(extent))
      return added;
    return OpFoldResult(
        arith::ConstantOp::create(b, cast<IntegerAttr>(known)).getResult());
  };
  auto made = RankedTensorType::get(
      type.getShape(), type.getElementType(),
      cast<RankedTensorType>(source.getType()).getEncoding());
  auto sized = llvm::zip_equal(sizes, type.getShape());
  return tensor::ExtractSliceOp::create(
      b, made, source, llvm::map_to_vector(offsets, add),
      llvm::map_to_vector(sized, addSize), llvm::map_to_vector(strides, add));
}

/// The reason why the arrays of a slice, and the end of the slice in each
/// dimension, are not enough to read it; null if they are.
static const char *obstacleOutside(RankedTensorType slice) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(slice);
  ArrayRef<sparse_tensor::LevelType> levels = encoding.getLvlTypes();
  for (auto [level, type] : llvm::enumerate(levels))
    if (sparse_tensor::isNOutOfMLT(type) ||
        (level > 0 && sparse_tensor::isDenseLT(type)))
      return "a slice that is not made where the op is does not tell the "
             "extents of the whole tensor";
  if (!encoding.isIdentity())
    return "a slice that is not made where the op is has its levels in another "
           "order than its dimensions";
  if (!llvm::all_of(levels, sparse_tensor::isOrderedLT) ||
      !isUniqueLT(levels.back()) || encoding.getExplicitVal())
    return "a slice that is not made where the op is stores entries out of "
           "order, or more than once, or without values";
  return nullptr;
}

/// Makes an operand of the whole tensor of which a slice is made elsewhere. The
/// offsets and strides that the type lacks are those that the slice has where
/// the op is.
LogicalResult KernelBuilder::addSliceFromOutside(Value slice) {
  auto type = cast<RankedTensorType>(slice.getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  const char *obstacle =
      passesSlices ? obstacleOutside(type)
                   : "it is not known of which tensor an operand is a slice";
  if (obstacle) {
    reason = obstacle;
    return failure();
  }
  Value source = func->getBody().addArgument(wholeTypeOf(type), slice.getLoc());
  slices.emplace_back(arguments.size(), type);
  arguments.push_back(slice);
  ImplicitLocOpBuilder outside(op.getLoc(), op);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  auto numberOr = [&](std::optional<uint64_t> known,
                      auto emit) -> OpFoldResult {
    if (known)
      return b.getIndexAttr(*known);
    Value number = emit();
    numbers.push_back(number.getDefiningOp());
    return number;
  };
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    IntegerAttr at = b.getIndexAttr(dim);
    offsets.push_back(
        numberOr(encoding.getStaticDimSliceOffset(dim), [&]() -> Value {
          return sparse_tensor::ToSliceOffsetOp::create(outside, slice, at);
        }));
    strides.push_back(
        numberOr(encoding.getStaticDimSliceStride(dim), [&]() -> Value {
          return sparse_tensor::ToSliceStrideOp::create(outside, slice, at);
        }));
    std::optional<uint64_t> size;
    if (!type.isDynamicDim(dim))
      size = type.getDimSize(dim);
    sizes.push_back(numberOr(size, [&]() -> Value {
      return tensor::DimOp::create(outside, slice, dim);
    }));
  }
  mapping.map(slice, makeSlice(type, source, offsets, sizes, strides));
  return success();
}

/// Makes a slice an operand of the kernel.
LogicalResult KernelBuilder::addSlice(Value slice) {
  tensor::ExtractSliceOp extract = slicingOf(slice);
  if (!extract && slice.getDefiningOp<tensor::ExtractSliceOp>()) {
    reason = "it reads a slice of a slice, or one with fewer dimensions";
    return failure();
  }
  if (!extract)
    return addSliceFromOutside(slice);
  Value source = addArgument(extract.getSource());
  mapping.map(slice,
              makeSlice(extract.getType(), source, extract.getMixedOffsets(),
                        extract.getMixedSizes(), extract.getMixedStrides()));
  return success();
}
