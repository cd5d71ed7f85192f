//===- Description.cpp - What callers have to know of a module ------------===//

#include "nacho/Compiler/Description.h"

#include "Compilation.h"
#include "ModuleReader.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"
#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nacho;

template <typename T>
static std::string printed(T item) {
  std::string text;
  llvm::raw_string_ostream(text) << item;
  return text;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The map of levels of an encoding, `(d0, d1) -> (d0 : dense, d1 :
/// compressed)`.
static std::string levelsOf(sparse_tensor::SparseTensorEncodingAttr encoding) {
  std::string text = "(";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(
      llvm::seq(encoding.getDimRank()), stream,
      [&](uint64_t dimension) { stream << 'd' << dimension; });
  stream << ") -> (";
  auto levels =
      llvm::zip(encoding.getDimToLvl().getResults(), encoding.getLvlTypes());
  llvm::interleaveComma(levels, stream, [&](auto level) {
    stream << std::get<0>(level) << " : "
           << sparse_tensor::toMLIRString(std::get<1>(level));
  });
  stream << ')';
  return text;
}

static void describeEncoding(RankedTensorType tensor, TypeDescription &into) {
  if (!tensor.getEncoding())
    return;
  into.encoding = printed(tensor.getEncoding());
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  if (!encoding || encoding.isSlice() || encoding.getExplicitVal() ||
      encoding.getImplicitVal())
    return;
  into.levels = levelsOf(encoding);
  into.posWidth = encoding.getPosWidth();
  into.crdWidth = encoding.getCrdWidth();
}

static TypeDescription describe(Type type, std::vector<int64_t> blocks = {}) {
  TypeDescription described;
  described.text = printed(type);
  described.blocks = std::move(blocks);
  if (type.isIntOrFloat() || isa<ComplexType>(type))
    described.element = described.text;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return described;
  described.element = printed(tensor.getElementType());
  for (int64_t extent : tensor.getShape())
    described.shape.push_back(
        ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent));
  describeEncoding(tensor, described);
  return described;
}

/// Describes the types before the stage `assign`, and at it. The compiler takes
/// whole tensors for slices, and tensors of rank 0 for indices.
static void describeTypes(func::FuncOp func, ArrayRef<Type> given,
                          ModuleDescription &into) {
  SmallVector<Type> assigned(func.getArgumentTypes());
  llvm::append_range(assigned, func.getResultTypes());
  for (auto [before, now, blocks] :
       llvm::zip_equal(given, assigned, readBlocks(func))) {
    bool isReplaced = isSlice(before) || before.isIndex();
    into.given.push_back(describe(isReplaced ? now : before));
    into.assigned.push_back(describe(now, blocks));
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static std::vector<std::string> namesOf(ArrayRef<Attribute> indices) {
  std::vector<std::string> names;
  for (Attribute index : indices)
    names.push_back(cast<StringAttr>(index).getValue().str());
  return names;
}

namespace {
/// Describes the statements of a function at the stage `assign`.
class StatementDescriber {
public:
  StatementDescriber(func::FuncOp func, ModuleDescription &into)
      : func(func), into(into) {}

  LogicalResult run();

private:
  void add(AssignOp statement);
  void add(Value operand, ArrayRef<Attribute> access);
  void addNumbers();
  LogicalResult add(SliceOp slice);
  FailureOr<NumberDescription> describe(SliceOp slice, OpFoldResult number);

  func::FuncOp func;
  ModuleDescription &into;
  llvm::SmallDenseSet<Value> read; ///< The values that the statements read.
};
} // namespace

/// The number of an argument; no value if it is none.
static std::optional<size_t> argumentOf(Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument ? std::optional<size_t>(argument.getArgNumber())
                  : std::nullopt;
}

/// The argument from whose number an index is made; null if from none.
static Value readNumber(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto extract =
      cast ? cast.getIn().getDefiningOp<tensor::ExtractOp>() : nullptr;
  return extract ? extract.getTensor() : Value();
}

void StatementDescriber::add(Value operand, ArrayRef<Attribute> access) {
  std::vector<std::string> indices = namesOf(access);
  auto slice = operand.getDefiningOp<SliceOp>();
  // Lists, and coordinates of loops, are operands, but no arguments.
  bool isCoordinates = operand.getDefiningOp<CoordinatesOp>() != nullptr;
  ArrayRef<int64_t> sizes;
  if (slice)
    sizes = slice.getStaticSizes();
  else if (isCoordinates)
    sizes = cast<RankedTensorType>(operand.getType()).getShape();
  for (auto [index, size] : llvm::zip(indices, sizes))
    if (!ShapedType::isDynamic(size))
      into.extents[index] = size;
  if (isCoordinates || operand.getDefiningOp<AssignOp>())
    return;
  Value source = slice ? slice.getSource() : operand;
  read.insert(source);
  into.accesses.push_back(
      {argumentOf(source), slice != nullptr, std::move(indices)});
}

void StatementDescriber::add(AssignOp statement) {
  for (auto [number, input] : llvm::enumerate(statement.getInputs()))
    add(input, statement.getAccess(number));
  if (Value init = statement.getInit())
    add(init, statement.getResultAccess().getValue());
}

/// Adds the numbers by which tensors are sliced, if no statement reads them.
void StatementDescriber::addNumbers() {
  for (auto extract : func.getOps<tensor::ExtractOp>())
    if (read.insert(extract.getTensor()).second)
      into.accesses.push_back(
          {argumentOf(extract.getTensor()), /*isSlice=*/false, {}});
}

FailureOr<NumberDescription> StatementDescriber::describe(SliceOp slice,
                                                          OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return NumberDescription{false, *known};
  std::optional<size_t> argument = argumentOf(readNumber(cast<Value>(number)));
  if (!argument)
    return slice.emitOpError("is made by a number that is no argument: not "
                             "supported");
  return NumberDescription{true, static_cast<int64_t>(*argument)};
}

LogicalResult StatementDescriber::add(SliceOp slice) {
  std::optional<size_t> argument = argumentOf(slice.getSource());
  if (!argument)
    return unsupported(
        slice.emitOpError("of what is no argument is not supported"));
  SliceDescription described = {*argument, {}};
  for (int64_t dim = 0; dim < slice.getType().getRank(); ++dim) {
    std::vector<NumberDescription> &numbers =
        described.dimensions.emplace_back();
    for (OpFoldResult number :
         {slice.getOffset(dim), slice.getSize(dim), slice.getStride(dim)}) {
      FailureOr<NumberDescription> read = describe(slice, number);
      if (failed(read))
        return failure();
      numbers.push_back(*read);
    }
  }
  into.slices.push_back(std::move(described));
  return success();
}

LogicalResult StatementDescriber::run() {
  size_t numLists = 0, numOthers = 0;
  for (auto statement : func.getOps<AssignOp>()) {
    bool isList = statement.getCollect() == CollectKind::sortedList;
    ++(isList ? numLists : numOthers);
    into.indices = namesOf(statement.getResultAccess().getValue());
    add(statement);
  }
  into.isOneOp = numOthers == 1 || (numLists && numOthers == 2);
  addNumbers();
  for (auto slice : func.getOps<SliceOp>())
    if (failed(add(slice)))
      return failure();
  return success();
}

std::optional<ModuleDescription>
nacho::describeModule(const AssignedModule &module, Failure &error) {
  Compilation compilation(module, error);
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func))
    return std::nullopt;
  if (func->getNumResults() != 1) {
    error.text = "a kernel has one result";
    return std::nullopt;
  }
  ModuleDescription described;
  described.name = func->getName().str();
  for (BlockArgument argument : func->getArguments())
    described.arguments.push_back(getName(argument));
  describeTypes(*func, compilation.given(), described);
  if (failed(StatementDescriber(*func, described).run()))
    return std::nullopt;
  return described;
}
