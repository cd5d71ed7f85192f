//===- OutlineKernels.cpp - Ops on sparse tensors as kernels --------------===//

#include "KernelWrapper.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/AheadOfTime.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Sparsifier/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOOUTLINEKERNELS
#include "nacho/Sparsifier/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static bool hasSparseTensors(linalg::LinalgOp op) {
  return llvm::any_of(op->getOperandTypes(), isSparse) ||
         llvm::any_of(op->getResultTypes(), isSparse);
}

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

namespace {
/// Makes a kernel of one op: a module with a function that has the op, and the
/// tensors that are the function's arguments where the op is.
class KernelBuilder {
public:
  KernelBuilder(linalg::LinalgOp op, StringRef name)
      : op(op), b(op.getLoc(), op), name(name) {}

  /// Builds the module. On failure returns null and says why in `reason`.
  OwningOpRef<ModuleOp> build();

  std::string reason;
  /// The arguments of the kernel: values of the op's function. Those that are
  /// no tensors yet have to become tensors of rank 0.
  SmallVector<Value> arguments;

private:
  Value addArgument(Value value);
  Value addOutput(Value output);
  linalg::LinalgOp cloneAsGeneric();
  LogicalResult cloneOp();
  void addScalar(linalg::GenericOp generic, unsigned number);
  LogicalResult capture(linalg::GenericOp generic, Value value);

  linalg::LinalgOp op;
  ImplicitLocOpBuilder b;
  StringRef name;
  func::FuncOp func;
  IRMapping mapping;
};
} // namespace

/// The type of the tensor that stands for a value in a kernel. A tensor of
/// indices has integers.
static RankedTensorType argumentType(Value value) {
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
    if (isa<RankedTensorType>(input->get().getType()))
      addArgument(input->get());
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
    // Only the default widths of whole tensors can be given.
    if (encoding.isSlice())
      return encoding;
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
  OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
  b.setInsertionPointToEnd(module->getBody());
  func = func::FuncOp::create(b, name, b.getFunctionType({}, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  if (failed(cloneOp()))
    return nullptr;
  func.setFunctionType(b.getFunctionType(
      func.getBody().front().getArgumentTypes(), op->getResultTypes()));
  setWidths(*module);
  return module;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What the function of a kernel returns: were it a tensor, MLIR's
/// bufferization would have to assume that it is one of the operands.
static SmallVector<Type> returnedFor(RankedTensorType result, bool library) {
  SmallVector<Type> returned;
  if (isSparse(result))
    addSparseParameters(result, library, returned);
  else
    returned.push_back(memRefOf(result));
  return returned;
}

/// Declares the function of a kernel, which reads its operands only.
static func::FuncOp declareKernel(ImplicitLocOpBuilder &b, StringRef name,
                                  ArrayRef<Value> passed, TypeRange returned) {
  auto type = b.getFunctionType(TypeRange(ValueRange(passed)), returned);
  auto func = func::FuncOp::create(b, name, type);
  func.setPrivate();
  for (unsigned n = 0; n < passed.size(); ++n)
    func.setArgAttr(n,
                    bufferization::BufferizationDialect::kBufferAccessAttrName,
                    b.getStringAttr("read"));
  return func;
}

/// What a kernel has returned, as a tensor.
static Value resultOf(ImplicitLocOpBuilder &b, func::CallOp call,
                      RankedTensorType type) {
  if (!isSparse(type))
    return bufferization::ToTensorOp::create(b, type, call.getResult(0),
                                             /*restrict=*/true,
                                             /*writable=*/true);
  return UnrealizedConversionCastOp::create(b, TypeRange(type),
                                            call.getResults())
      .getResult(0);
}

/// A value as a tensor, which a kernel can take.
static Value asTensor(ImplicitLocOpBuilder &b, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  RankedTensorType type = argumentType(value);
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, type.getElementType(), value);
  return tensor::FromElementsOp::create(b, type, value);
}

namespace {
struct OutlineKernels : nacho::impl::NachoOutlineKernelsBase<OutlineKernels> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](linalg::LinalgOp op) {
        if (hasSparseTensors(op))
          ops.push_back(op);
      });
    for (linalg::LinalgOp op : ops)
      outline(op);
  }

private:
  void outline(linalg::LinalgOp op);
  void leave(linalg::LinalgOp op, StringRef reason) {
    if (remarks)
      op->emitRemark() << "left to upstream's sparsifier: " << reason;
  }
  LogicalResult passArguments(ImplicitLocOpBuilder &b,
                              ArrayRef<Value> arguments,
                              SmallVectorImpl<Value> &passed);

  unsigned numKernels = 0;
};
} // namespace

void OutlineKernels::outline(linalg::LinalgOp op) {
  std::string number = std::to_string(numKernels);
  std::string name = "nacho_kernel_" + number;
  KernelBuilder builder(op, name);
  OwningOpRef<ModuleOp> kernel = builder.build();
  if (!kernel)
    return leave(op, builder.reason);
  std::string text, error;
  llvm::raw_string_ostream(text) << *kernel;
  CompileOptions options = defaultOptions(cpuBackend());
  options.cost = cost;
  if (!canCompile(text, options, cpuBackend(), error))
    return leave(op, error);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (library && encoding && !encoding.isPermutation())
    return leave(op, "MLIR's library is not given tensors in blocks");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> passed;
  for (Value argument : builder.arguments)
    passed.push_back(asTensor(b, argument));
  ++numKernels;
  b.setInsertionPointToStart(getOperation().getBody());
  kernel->setSymName("kernel_" + number);
  (*kernel)->setAttr(kKernelAttrName, b.getUnitAttr());
  b.insert(kernel.release());
  func::FuncOp func =
      declareKernel(b, name, passed, returnedFor(type, library));
  b.setInsertionPoint(op);
  auto call = func::CallOp::create(b, func, passed);
  op->getResult(0).replaceAllUsesWith(resultOf(b, call, type));
  op->erase();
}
