//===- KernelBuilder.cpp - A kernel of one linalg op ----------------------===//

#include "KernelBuilder.h"

#include "KernelWrapper.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace nacho;

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

/// Whether an output has no elements yet, or none that is not 0.
static bool isEmpty(Value output) {
  auto allocated = output.getDefiningOp<bufferization::AllocTensorOp>();
  return output.getDefiningOp<tensor::EmptyOp>() ||
         (allocated && !allocated.getCopy());
}

RankedTensorType nacho::argumentType(Value value) {
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    return tensor;
  Type element = value.getType();
  if (element.isIndex())
    element = IntegerType::get(value.getContext(), 64);
  return RankedTensorType::get({}, element);
}

static Value emitConstant(ImplicitLocOpBuilder &b, Attribute value, Type type) {
  if (isa<ComplexType>(type))
    return complex::ConstantOp::create(b, type, cast<ArrayAttr>(value));
  return arith::ConstantOp::create(b, type, cast<TypedAttr>(value));
}

static bool isScalar(Type type) {
  return type.isIntOrIndexOrFloat() || isa<ComplexType>(type);
}

Value KernelBuilder::addArgument(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  arguments.push_back(value);
  Value arg =
      func.getBody().front().addArgument(argumentType(value), value.getLoc());
  mapping.map(value, arg);
  return arg;
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
  Attribute fill = fillOf(output);
  auto type = cast<RankedTensorType>(output.getType());
  bool isKnown = type.hasStaticShape() || hasExtentsOfInputs(op);
  if (!isKnown || (!fill && !isEmpty(output)))
    return addArgument(output);
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> extents(type.getNumDynamicDims(), one);
  Value empty = tensor::EmptyOp::create(b, type, extents);
  if (!fill)
    return empty;
  Value value = emitConstant(b, fill, type.getElementType());
  return linalg::FillOp::create(b, value, empty).getResult(0);
}

/// Makes a value from outside of the body a constant in it or, if it is none,
/// an operand without indices.
LogicalResult KernelBuilder::capture(linalg::GenericOp generic, Value value) {
  Block *body = generic.getBody();
  Attribute constant;
  Value inside;
  if (matchPattern(value, m_Constant(&constant))) {
    b.setInsertionPointToStart(body);
    inside = b.clone(*value.getDefiningOp())->getResult(0);
  } else if (isScalar(value.getType())) {
    Value arg = addArgument(value);
    auto element = cast<RankedTensorType>(arg.getType()).getElementType();
    inside = body->insertArgument(generic.getNumDpsInputs(), element,
                                  value.getLoc());
    generic.getInputsMutable().append(arg);
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    maps.insert(maps.begin() + generic.getNumDpsInputs() - 1,
                AffineMap::get(generic.getNumLoops(), 0, b.getContext()));
    generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    if (value.getType().isIndex()) {
      b.setInsertionPointToStart(body);
      inside = arith::IndexCastOp::create(b, value.getType(), inside);
    }
  } else {
    reason = "the body uses a value from outside that is no number";
    return failure();
  }
  replaceAllUsesInRegionWith(value, inside, generic.getRegion());
  return success();
}

/// Replaces an operand that is a number by a tensor without indices.
void KernelBuilder::addScalar(linalg::GenericOp generic, unsigned number) {
  Value value = op.getDpsInputOperand(number)->get();
  Value arg = addArgument(value);
  generic->setOperand(number, arg);
  BlockArgument inside = generic.getBody()->getArgument(number);
  Type element = cast<RankedTensorType>(arg.getType()).getElementType();
  inside.setType(element);
  if (!value.getType().isIndex())
    return;
  b.setInsertionPointToStart(generic.getBody());
  auto cast = arith::IndexCastOp::create(b, value.getType(), inside);
  inside.replaceAllUsesExcept(cast, cast);
}

tensor::PadOp nacho::paddingOf(Value operand) {
  auto pad = operand.getDefiningOp<tensor::PadOp>();
  bool isTaken = pad && isSparse(pad.getType()) &&
                 pad.getConstantPaddingValue() && pad.getLow().empty() &&
                 pad.getHigh().empty();
  return isTaken ? pad : tensor::PadOp();
}

/// Makes a tensor an operand of the kernel.
LogicalResult KernelBuilder::addInput(Value value) {
  if (mapping.contains(value))
    return success();
  if (isSlice(value.getType()))
    return addSlice(value);
  tensor::PadOp pad = paddingOf(value);
  if (!pad) {
    addArgument(value);
    return success();
  }
  Value source = addArgument(pad.getSource());
  Attribute constant;
  matchPattern(pad.getConstantPaddingValue(), m_Constant(&constant));
  Type element = pad.getResultType().getElementType();
  Value padded = tensor::PadOp::create(
      b, pad.getType(), source, pad.getMixedLowPad(), pad.getMixedHighPad(),
      emitConstant(b, constant, element));
  mapping.map(value, padded);
  return success();
}

/// Clones the op; as one with a body if it takes numbers, which become tensors.
linalg::LinalgOp KernelBuilder::cloneAsGeneric() {
  auto cloned = cast<linalg::LinalgOp>(b.clone(*op, mapping));
  bool takesNumbers =
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (isa<linalg::GenericOp>(cloned.getOperation()) || !takesNumbers)
    return cloned;
  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(cloned);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, cloned);
  if (failed(generic))
    return cloned;
  return cast<linalg::LinalgOp>(generic->getOperation());
}

LogicalResult KernelBuilder::cloneOp() {
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()) &&
        failed(addInput(input->get())))
      return failure();
  for (OpOperand &output : op.getDpsInitsMutable())
    if (!mapping.contains(output.get()))
      mapping.map(output.get(), addOutput(output.get()));
  linalg::LinalgOp cloned = cloneAsGeneric();
  func::ReturnOp::create(b, cloned->getResults());
  auto generic = dyn_cast<linalg::GenericOp>(cloned.getOperation());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (isa<RankedTensorType>(input->get().getType()))
      continue;
    if (!generic || !isScalar(input->get().getType())) {
      reason = "an operand is neither a ranked tensor nor a number";
      return failure();
    }
    addScalar(generic, input->getOperandNumber());
  }
  if (!generic)
    return success();
  llvm::SetVector<Value> captures;
  getUsedValuesDefinedAbove(op->getRegions(), captures);
  for (Value value : captures)
    if (failed(capture(generic, value)))
      return failure();
  return success();
}

/// In a kernel, index arrays of the default width are ones of 64 bits, as they
/// are in memory.
static void setWidths(ModuleOp kernel) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](sparse_tensor::SparseTensorEncodingAttr encoding) {
    auto explicitly = [](unsigned width) { return width ? width : 64; };
    return encoding.withBitWidths(explicitly(encoding.getPosWidth()),
                                  explicitly(encoding.getCrdWidth()));
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

OwningOpRef<ModuleOp> KernelBuilder::build() {
  if (op->getNumResults() != 1) {
    reason = "it has not one result";
    return nullptr;
  }
  if (isSlice(op->getResult(0).getType())) {
    reason = "its result is a slice";
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
  b.setInsertionPointToEnd(module->getBody());
  func = func::FuncOp::create(b, name, b.getFunctionType({}, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  if (failed(cloneOp()))
    return nullptr;
  func.setFunctionType(b.getFunctionType(
      func.getBody().front().getArgumentTypes(), op->getResultTypes()));
  setWidths(*module);
  for (auto [n, type] : slices)
    func.setArgAttr(n, kSliceAttrName, TypeAttr::get(type));
  return module;
}
