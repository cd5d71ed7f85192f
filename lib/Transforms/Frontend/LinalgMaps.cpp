//===- LinalgMaps.cpp - Indexing maps to indices of the notation ----------===//
//
// A dimension becomes an index. Any other linear expression of dimensions
// becomes an index, too, whose equation says what it is:
//
//   affine_map<(d0, d1) -> (d0 * 2 + d1, d1)>
//     ->  [k, j] where (k = 2 * i + j)
//
// A tensor that is padded with zeros is accessed without its padding, at
// indices that are shifted. A slice of a sparse tensor becomes a `nacho.slice`.
//
//===----------------------------------------------------------------------===//

#include "LinalgMaps.h"
#include "LinalgSlices.h"
#include "nacho/IR/Errors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

StringAttr nacho::indexName(MLIRContext *context, unsigned dimension) {
  StringRef letters = "ijklmnopqrst";
  if (dimension < letters.size())
    return StringAttr::get(context, letters.substr(dimension, 1));
  return StringAttr::get(context, "d" + Twine(dimension));
}

namespace {
/// A sum of products of dimensions and factors, and of a constant.
struct LinearForm {
  SmallVector<int64_t> factors; ///< One for each dimension.
  int64_t constant = 0;

  /// Adds `factor` times an expression; fails if that is not linear.
  LogicalResult add(AffineExpr expr, int64_t factor) {
    if (auto dimension = dyn_cast<AffineDimExpr>(expr)) {
      factors[dimension.getPosition()] += factor;
      return success();
    }
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      constant += factor * number.getValue();
      return success();
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return failure();
    AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
    if (binary.getKind() == AffineExprKind::Add)
      return success(succeeded(add(lhs, factor)) &&
                     succeeded(add(rhs, factor)));
    auto number = dyn_cast<AffineConstantExpr>(rhs);
    if (binary.getKind() != AffineExprKind::Mul || !number)
      return failure();
    return add(lhs, factor * number.getValue());
  }
};
} // namespace

/// The index for an expression: that of the dimension, or one with an equation.
/// A tensor that `isShifted` may have another extent than the dimension.
FailureOr<Attribute> LinalgMaps::indexOf(AffineExpr expr, bool isShifted) {
  MLIRContext *context = op.getContext();
  if (auto dimension = dyn_cast<AffineDimExpr>(expr); dimension && !isShifted)
    return Attribute(indexName(context, dimension.getPosition()));
  LinearForm form;
  form.factors.assign(op.getNumLoops(), 0);
  if (failed(form.add(expr, 1)))
    return failure();
  SmallVector<StringAttr> sources;
  SmallVector<int64_t> factors;
  for (auto [dimension, factor] : llvm::enumerate(form.factors)) {
    if (factor == 0)
      continue;
    sources.push_back(indexName(context, dimension));
    factors.push_back(factor);
  }
  StringAttr name = indexName(context, op.getNumLoops() + equations.size());
  equations.push_back(DerivedIndexAttr::get(context, name, sources, factors,
                                            form.constant, /*divisor=*/1,
                                            /*rounds=*/false));
  return Attribute(name);
}

/// The op that pads a tensor with zeros, by constant numbers; null if there is
/// none. An element of the padding is an entry that is not stored.
static tensor::PadOp zeroPadding(Value tensor) {
  auto pad = tensor.getDefiningOp<tensor::PadOp>();
  if (!pad || !llvm::all_of(pad.getMixedLowPad(), [](OpFoldResult low) {
        return getConstantIntValue(low).has_value();
      }))
    return {};
  Value value = pad.getConstantPaddingValue();
  bool isZero = value && (matchPattern(value, m_AnyZeroFloat()) ||
                          matchPattern(value, m_Zero()));
  return isZero ? pad : tensor::PadOp();
}

/// (d0, d1) -> (d1, d0) as [j, i]. With a padding of 2 before each dimension:
/// [k, l] where (k = j - 2, l = i - 2).
FailureOr<LinalgOperand> LinalgMaps::readOperand(OpOperand &operand) {
  bool isOutput = op.isDpsInit(&operand);
  SmallVector<AffineExpr> exprs(
      op.getMatchingIndexingMap(&operand).getResults());
  SmallVector<bool> isShifted(exprs.size(), false);
  Value value = operand.get();
  while (tensor::PadOp pad = isOutput ? tensor::PadOp() : zeroPadding(value)) {
    for (auto [n, low, high] :
         llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad())) {
      isShifted[n] |= !isZeroInteger(low) || !isZeroInteger(high);
      exprs[n] = exprs[n] - *getConstantIntValue(low);
    }
    value = pad.getSource();
  }
  if (SliceOp slice = isOutput ? SliceOp() : makeSlice(op, value))
    value = slice.getResult();
  SmallVector<Attribute> names;
  for (auto [expr, shifted] : llvm::zip(exprs, isShifted)) {
    FailureOr<Attribute> name = indexOf(expr, shifted);
    if (failed(name) || (isOutput && !isa<AffineDimExpr>(expr))) {
      auto error = op.emitOpError("the indexing map of operand ")
                   << operand.getOperandNumber();
      return unsupported(std::move(error)
                         << (failed(name)
                                 ? " is not linear: not supported"
                                 : " is an output's, but has more than "
                                   "dimensions: not supported"));
    }
    names.push_back(*name);
  }
  return LinalgOperand{&operand, value, ArrayAttr::get(op.getContext(), names)};
}

FailureOr<SmallVector<LinalgOperand>> LinalgMaps::read() {
  SmallVector<LinalgOperand> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<LinalgOperand> read = readOperand(operand);
    if (failed(read))
      return failure();
    operands.push_back(*read);
  }
  return operands;
}

bool LinalgMaps::isOnlyShape(const LinalgOperand &operand) {
  return !equations.empty() && !isa<BlockArgument>(operand.value) &&
         isa<RankedTensorType>(operand.value.getType()) &&
         op.getMatchingBlockArgument(operand.operand).use_empty();
}

/// The extent of a tensor: a number, if it is constant. An output that is
/// filled with a number is as large as it was before, and an empty tensor is
/// made with its extents.
static OpFoldResult extentOf(ImplicitLocOpBuilder &b, Value tensor,
                             int64_t dimension) {
  while (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    tensor = fill.getOutputs().front();
  auto type = cast<RankedTensorType>(tensor.getType());
  OpFoldResult extent;
  if (!type.isDynamicDim(dimension))
    extent = b.getIndexAttr(type.getDimSize(dimension));
  else if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    extent = empty.getMixedSizes()[dimension];
  else
    extent = b.createOrFold<tensor::DimOp>(tensor, dimension);
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return b.getIndexAttr(*known);
  return extent;
}

CoordinatesOp nacho::coordinatesOf(ImplicitLocOpBuilder &b,
                                   linalg::GenericOp op, unsigned dimension) {
  AffineExpr expr = getAffineDimExpr(dimension, op.getContext());
  // The extents of outputs are constant more often than those of inputs, for
  // functions make them.
  OpFoldResult extent;
  for (OpOperand &operand : llvm::reverse(op->getOpOperands())) {
    auto at = op.getMatchingIndexingMap(&operand).getResultPosition(expr);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (at && (!extent || !type.isDynamicDim(*at)))
      extent = extentOf(b, operand.get(), *at);
  }
  assert(extent && "the extent of every dimension is an operand's");
  Value given = dyn_cast<Value>(extent);
  int64_t known = given ? ShapedType::kDynamic : *getConstantIntValue(extent);
  return CoordinatesOp::create(
      b, RankedTensorType::get({known}, b.getI64Type()), given);
}
