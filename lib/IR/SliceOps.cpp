//===- SliceOps.cpp - Parts of a tensor between bounds --------------------===//

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nacho;

void SliceOp::build(OpBuilder &, OperationState &state, RankedTensorType type,
                    Value source, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> strides) {
  Properties &properties = state.getOrAddProperties<Properties>();
  MLIRContext *context = type.getContext();
  state.addOperands(source);
  properties.operandSegmentSizes[0] = 1;
  int segment = 1;
  auto add = [&](ArrayRef<OpFoldResult> mixed) {
    SmallVector<Value> given;
    SmallVector<int64_t> known;
    dispatchIndexOpFoldResults(mixed, given, known);
    state.addOperands(given);
    properties.operandSegmentSizes[segment++] = given.size();
    return DenseI64ArrayAttr::get(context, known);
  };
  properties.static_offsets = add(offsets);
  properties.static_sizes = add(sizes);
  properties.static_strides = add(strides);
  state.addTypes(type);
}

OpFoldResult SliceOp::getOffset(unsigned dimension) {
  return getMixedValues(getStaticOffsets(), getOffsets(),
                        getContext())[dimension];
}

OpFoldResult SliceOp::getSize(unsigned dimension) {
  return getMixedValues(getStaticSizes(), getSizes(), getContext())[dimension];
}

OpFoldResult SliceOp::getStride(unsigned dimension) {
  return getMixedValues(getStaticStrides(), getStrides(),
                        getContext())[dimension];
}

/// Whether a number is the extent of a dimension of a tensor.
static bool isExtent(OpFoldResult number, Value tensor, unsigned dimension) {
  int64_t extent =
      cast<RankedTensorType>(tensor.getType()).getDimSize(dimension);
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return *known == extent;
  auto dim = cast<Value>(number).getDefiningOp<tensor::DimOp>();
  return dim && dim.getSource() == tensor &&
         dim.getConstantIndex() == static_cast<int64_t>(dimension);
}

bool SliceOp::isWhole(unsigned dimension) {
  return getStaticOffsets()[dimension] == 0 && !isStrided(dimension) &&
         isExtent(getSize(dimension), getSource(), dimension);
}

bool SliceOp::isStrided(unsigned dimension) {
  return getStaticStrides()[dimension] != 1;
}

/// Whether a list has as many operands as places for them.
static bool hasNumbers(ArrayRef<int64_t> known, ValueRange given) {
  return llvm::count_if(known, ShapedType::isDynamic) ==
         static_cast<int64_t>(given.size());
}

/// Whether a number is known, and less than another one.
static bool isLess(int64_t number, int64_t least) {
  return !ShapedType::isDynamic(number) && number < least;
}

static LogicalResult verifyNumbers(SliceOp op) {
  RankedTensorType type = op.getType();
  auto rank = static_cast<size_t>(type.getRank());
  for (auto [known, given] :
       {std::pair(op.getStaticOffsets(), op.getOffsets()),
        std::pair(op.getStaticSizes(), op.getSizes()),
        std::pair(op.getStaticStrides(), op.getStrides())})
    if (known.size() != rank || !hasNumbers(known, given))
      return op.emitOpError()
             << "needs an offset, a size and a stride for each "
                "of "
             << rank << " dimensions";
  for (size_t n = 0; n < rank; ++n) {
    if (isLess(op.getStaticOffsets()[n], 0) ||
        isLess(op.getStaticSizes()[n], 0) ||
        isLess(op.getStaticStrides()[n], 1))
      return op.emitOpError()
             << "has a negative offset or size, or a stride of "
                "less than 1, in dimension "
             << n;
    if (op.getStaticSizes()[n] != type.getDimSize(n))
      return op.emitOpError()
             << "has another size in dimension " << n << " than " << type;
  }
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType source = getSourceType(), type = getType();
  auto encoding = sparse_tensor::getSparseTensorEncoding(source);
  if (source.getElementType() != type.getElementType() ||
      source.getRank() != type.getRank() ||
      source.getEncoding() != type.getEncoding())
    return emitOpError() << "of " << source << " cannot be stored as " << type;
  bool isWhole = !encoding || (encoding.isPermutation() && !encoding.isSlice());
  if (!isWhole || getSource().getDefiningOp<SliceOp>())
    return emitOpError() << "needs a whole tensor that is not in blocks, got "
                         << source;
  return verifyNumbers(*this);
}
