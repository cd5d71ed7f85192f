//===- KernelTypes.cpp - Tensors of a program as its kernels have them ----===//

#include "KernelTypes.h"

#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;
using sparse_tensor::LevelPropNonDefault;
using sparse_tensor::LevelType;
using Encoding = sparse_tensor::SparseTensorEncodingAttr;

static LevelType ordered(LevelType level, bool isUnique) {
  if (isOrderedLT(level) && isUniqueLT(level) == isUnique)
    return level;
  std::vector<LevelPropNonDefault> properties;
  if (!isUnique)
    properties.push_back(LevelPropNonDefault::Nonunique);
  if (level.isa<LevelPropNonDefault::SoA>())
    properties.push_back(LevelPropNonDefault::SoA);
  return *sparse_tensor::buildLevelType(level.getLvlFmt(), properties);
}

/// The level types of a tensor with the same entries in the order of their
/// coordinates, none of which is there twice.
static SmallVector<LevelType> canonicalLevels(Encoding encoding) {
  SmallVector<LevelType> levels;
  ArrayRef<LevelType> given = encoding.getLvlTypes();
  for (LevelType level : given.drop_back())
    levels.push_back(ordered(level, isUniqueLT(level)));
  levels.push_back(ordered(given.back(), /*isUnique=*/true));
  return levels;
}

/// The implicit value of a type, unless it is 0, as it is without one.
static Attribute implicitValueOf(Encoding encoding) {
  Attribute value = encoding.getImplicitVal();
  bool isZero = value && (matchPattern(value, m_Zero()) ||
                          matchPattern(value, m_AnyZeroFloat()));
  return isZero ? Attribute() : value;
}

/// The type with other levels, and without an explicit value.
static RankedTensorType withLevels(RankedTensorType type,
                                   ArrayRef<LevelType> levels) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  auto changed = Encoding::get(
      type.getContext(), levels, encoding.getDimToLvl(), encoding.getLvlToDim(),
      encoding.getPosWidth(), encoding.getCrdWidth(),
      /*explicitVal=*/Attribute(), implicitValueOf(encoding));
  return type.cloneWithEncoding(changed);
}

bool nacho::storesInOrder(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  return !encoding ||
         ArrayRef(canonicalLevels(encoding)) == encoding.getLvlTypes();
}

unsigned nacho::numBatchLevels(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding ? encoding.getBatchLvlRank() : 0;
}

/// The value of all stored elements, if the type has one.
static Attribute explicitValueOf(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding ? encoding.getExplicitVal() : Attribute();
}

/// Whether the entries of a tensor can be sorted: the arrays of batches, and
/// those without positions, cannot. Where entries are neither in order nor
/// unique, MLIR reads the first of neighbours with the same coordinates only.
static bool canBeSorted(Encoding encoding) {
  ArrayRef<LevelType> levels = encoding.getLvlTypes();
  bool isOrdered = llvm::all_of(levels, sparse_tensor::isOrderedLT);
  return (isOrdered || isUniqueLT(levels.back())) &&
         llvm::none_of(levels, [](LevelType level) {
           return isBatchLT(level) || isNOutOfMLT(level);
         });
}

static RankedTensorType kernelOperandType(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || encoding.isSlice())
    return type;
  SmallVector<LevelType> levels(encoding.getLvlTypes());
  if (canBeSorted(encoding))
    levels = canonicalLevels(encoding);
  return withLevels(type, levels);
}

static RankedTensorType kernelResultType(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || encoding.isSlice())
    return type;
  SmallVector<LevelType> levels = canonicalLevels(encoding);
  for (LevelType &level : levels)
    if (isBatchLT(level))
      level = LevelType(sparse_tensor::LevelFormat::Dense);
  return withLevels(type, levels);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether the output of an op can be of another type in a kernel.
static LogicalResult checkOutput(Value output, std::string &reason) {
  auto type = cast<RankedTensorType>(output.getType());
  if (numBatchLevels(type) && isa<BlockArgument>(output))
    reason = "an output in batches may have elements already";
  else if (explicitValueOf(type))
    reason = "its elements are computed, and the type of the output has them";
  else
    return success();
  return failure();
}

/// Changes the types of operands, and of what has not been computed yet.
static void changeTypes(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(arg.getType()))
      arg.setType(kernelOperandType(tensor));
  func.walk([](Operation *op) {
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      pad.getResult().setType(kernelOperandType(pad.getResultType()));
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      slice.getResult().setType(slice.getType().cloneWithEncoding(
          slice.getSourceType().getEncoding()));
    else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      empty.getResult().setType(kernelResultType(empty.getType()));
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (auto [result, output] :
           llvm::zip(op->getResults(), linalgOp.getDpsInits()))
        result.setType(output.getType());
  });
  func::ReturnOp end = *func.getOps<func::ReturnOp>().begin();
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         end.getOperandTypes()));
}

/// Gives stored elements of an operand a value:
///
///   %x -> sparse_tensor.unary %x present={ yield value } absent={}
static void addExplicitValue(linalg::GenericOp generic, unsigned number,
                             Attribute value) {
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(generic.getLoc(), generic.getBody());
  Value stored = generic.getBody()->getArgument(number);
  Type element = stored.getType();
  auto unary = sparse_tensor::UnaryOp::create(b, element, stored);
  stored.replaceAllUsesExcept(unary, unary);
  b.createBlock(&unary.getPresentRegion(), {}, element, b.getLoc());
  sparse_tensor::YieldOp::create(b, emitConstant(b, value, element));
}

LogicalResult nacho::useKernelTypes(func::FuncOp func, std::string &reason) {
  func::ReturnOp end = *func.getOps<func::ReturnOp>().begin();
  auto op = end.getOperand(0).getDefiningOp<linalg::LinalgOp>();
  for (Value output : op.getDpsInits())
    if (failed(checkOutput(output, reason)))
      return failure();
  SmallVector<std::pair<unsigned, Attribute>> values;
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto tensor = dyn_cast<RankedTensorType>(input->get().getType()))
      if (Attribute value = explicitValueOf(tensor))
        values.emplace_back(input->getOperandNumber(), value);
  changeTypes(func);
  if (values.empty())
    return success();
  IRRewriter rewriter(func.getContext());
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, op);
  if (failed(generic))
    generic = cast<linalg::GenericOp>(op.getOperation());
  for (auto [number, value] : values)
    addExplicitValue(*generic, number, value);
  return success();
}
