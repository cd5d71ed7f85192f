//===- KernelBuilder.cpp - A function of one linalg op --------------------===//

#include "nacho/Transforms/KernelBuilder.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace nacho;

bool nacho::isSparse(Type type) {
  return static_cast<bool>(sparse_tensor::getSparseTensorEncoding(type));
}

bool nacho::hasSparseTensors(linalg::LinalgOp op) {
  return llvm::any_of(op->getOperandTypes(), isSparse) ||
         llvm::any_of(op->getResultTypes(), isSparse);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// The value with which an output is filled; null if that is not known.
static Attribute fillOf(Value output) {
  if (auto fill = output.getDefiningOp<linalg::FillOp>()) {
    Attribute value;
    matchPattern(fill.getInputs().front(), m_Constant(&value));
    return value;
  }
  SplatElementsAttr splat;
  if (matchPattern(output, m_Constant(&splat)))
    return splat.getSplatValue<Attribute>();
  return {};
}

bool nacho::isFilledOutput(linalg::LinalgOp op) {
  auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
  Attribute value;
  if (!fill || !matchPattern(fill.getInputs().front(), m_Constant(&value)))
    return false;
  return llvm::all_of(fill->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return user && user.isDpsInit(&use);
  });
}

bool nacho::isEmptyOutput(Value output) {
  auto allocated = output.getDefiningOp<bufferization::AllocTensorOp>();
  return output.getDefiningOp<tensor::EmptyOp>() ||
         (allocated && !allocated.getCopy());
}

bool nacho::hasElements(Value output) {
  return !fillOf(output) && !isEmptyOutput(output);
}

Value nacho::emitConstant(ImplicitLocOpBuilder &b, Attribute value, Type type) {
  if (isa<ComplexType>(type))
    return complex::ConstantOp::create(b, type, cast<ArrayAttr>(value));
  return arith::ConstantOp::create(b, type, cast<TypedAttr>(value));
}

/// Whether operands have all indices of the output as they are, so that its
/// extents follow from theirs.
static bool hasExtentsOfInputs(linalg::LinalgOp op) {
  llvm::SmallBitVector found(op.getNumLoops());
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return false;
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (map.isFunctionOfDim(dim))
        found.set(dim);
  }
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::all_of(llvm::seq<unsigned>(op.getNumLoops()), [&](unsigned dim) {
    return !output.isFunctionOfDim(dim) || found.test(dim);
  });
}

/// Kernels need not be told of outputs without elements, or that are filled
/// with a constant. If the extents are those of the operands, what is made in
/// their place may have any.
Value KernelBuilder::addOutput(Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  bool isKnown = type.hasStaticShape() || hasExtentsOfInputs(op);
  if (!isKnown || hasElements(output))
    return addArgument(output);
  Attribute fill = fillOf(output);
  Number one(b, 1);
  SmallVector<Value> extents(type.getNumDynamicDims(), one);
  Value empty = tensor::EmptyOp::create(b, type, extents);
  if (!fill)
    return empty;
  Value value = emitConstant(b, fill, type.getElementType());
  return linalg::FillOp::create(b, value, empty).getResult(0);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value KernelBuilder::addArgument(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  arguments.push_back(value);
  Value arg = func->getBody().addArgument(value.getType(), value.getLoc());
  mapping.map(value, arg);
  return arg;
}

tensor::PadOp nacho::paddingOf(Value operand) {
  auto pad = operand.getDefiningOp<tensor::PadOp>();
  bool isTaken = pad && sparse_tensor::getSparseTensorEncoding(pad.getType()) &&
                 pad.getConstantPaddingValue() && pad.getLow().empty() &&
                 pad.getHigh().empty();
  return isTaken ? pad : tensor::PadOp();
}

LogicalResult KernelBuilder::addTensor(Value value) {
  if (mapping.contains(value))
    return success();
  if (isSlice(value.getType()))
    return addSlice(value);
  tensor::PadOp pad = paddingOf(value);
  if (!pad) {
    addArgument(value);
    return success();
  }
  if (failed(addTensor(pad.getSource())))
    return failure();
  Value source = mapping.lookup(pad.getSource());
  Attribute constant;
  matchPattern(pad.getConstantPaddingValue(), m_Constant(&constant));
  Type element = pad.getResultType().getElementType();
  Value padded = tensor::PadOp::create(
      b, pad.getType(), source, pad.getMixedLowPad(), pad.getMixedHighPad(),
      emitConstant(b, constant, element));
  mapping.map(value, padded);
  return success();
}

/// Makes a number an argument, unless it is a constant, or the element of a
/// tensor without indices, which is an argument then.
LogicalResult KernelBuilder::addNumber(Value value) {
  Type type = value.getType();
  if (!type.isIntOrIndexOrFloat() && !isa<ComplexType>(type)) {
    reason = "it reads a value that is neither a ranked tensor nor a number";
    return failure();
  }
  if (mapping.contains(value))
    return success();
  Attribute constant;
  auto extract = value.getDefiningOp<tensor::ExtractOp>();
  bool isElement = extract && extract.getIndices().empty();
  if (isElement)
    addArgument(extract.getTensor());
  if (isElement || matchPattern(value, m_Constant(&constant)))
    b.clone(*value.getDefiningOp(), mapping);
  else
    addArgument(value);
  return success();
}

/// Operands come first, then what the body reads from outside.
LogicalResult KernelBuilder::addInputs() {
  llvm::SetVector<Value> read;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      read.insert(input->get());
    else if (failed(addTensor(input->get())))
      return failure();
  }
  for (OpOperand &output : op.getDpsInitsMutable())
    if (!mapping.contains(output.get()))
      mapping.map(output.get(), addOutput(output.get()));
  getUsedValuesDefinedAbove(op->getRegions(), read);
  for (Value number : read)
    if (failed(addNumber(number)))
      return failure();
  return success();
}

OwningOpRef<func::FuncOp> KernelBuilder::build() {
  if (op->getNumResults() != 1) {
    reason = "it has not one result";
    return nullptr;
  }
  if (isSlice(op->getResult(0).getType())) {
    reason = "its result is a slice";
    return nullptr;
  }
  func = func::FuncOp::create(op.getLoc(), name, b.getFunctionType({}, {}));
  b.setInsertionPointToStart(func->addEntryBlock());
  if (failed(addInputs()))
    return nullptr;
  Operation *made = b.clone(*op, mapping);
  func::ReturnOp::create(b, made->getResults());
  // --nacho-from-linalg reads a linalg.fill only as what another op starts
  // from. Here it is the op itself.
  if (isa<linalg::FillOp>(made)) {
    IRRewriter rewriter(b);
    rewriter.setInsertionPoint(made);
    (void)linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(made));
  }
  func->setFunctionType(b.getFunctionType(func->getBody().getArgumentTypes(),
                                          op->getResultTypes()));
  return std::move(func);
}
