//===- ModuleReader.cpp - What modules say about their kernels ------------===//

#include "ModuleReader.h"

#include "nacho/IR/AttrNames.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static FailureOr<ElementType> elementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::c64;
    if (complex.getElementType().isF64())
      return ElementType::c128;
    return failure();
  }
  if (type.isF32())
    return ElementType::f32;
  if (type.isF64())
    return ElementType::f64;
  if (type.isIndex() || type.isSignlessInteger(64))
    return ElementType::i64;
  if (type.isUnsignedInteger(8))
    return ElementType::u8;
  if (!type.isSignlessInteger())
    return failure();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return ElementType::b1;
  case 8:
    return ElementType::i8;
  case 16:
    return ElementType::i16;
  case 32:
    return ElementType::i32;
  }
  return failure();
}

/// The number of a level's array of coordinates among the arrays of all levels.
static size_t coordinatesArrayOf(RankedTensorType tensor, unsigned level) {
  size_t before = 0;
  for (unsigned outer = 0; outer < level; ++outer)
    before += levelArrays(tensor, outer).size();
  for (const LevelArray &array : levelArrays(tensor, level)) {
    if (array.name == kCoordinatesName)
      break;
    ++before;
  }
  return before;
}

static FailureOr<TensorLayout::Level> levelLayout(RankedTensorType tensor,
                                                  unsigned level) {
  TensorLayout::Level layout;
  layout.isFull = isDense(tensor) || isFullLevel(tensor, level);
  layout.coordinateType = ElementType::i64;
  if (auto encoding = sparse_tensor::getSparseTensorEncoding(tensor)) {
    FailureOr<ElementType> type = elementType(encoding.getCrdElemType());
    if (failed(type))
      return failure();
    layout.coordinateType = *type;
  }
  for (const LevelArray &array : levelArrays(tensor, level)) {
    FailureOr<ElementType> type = elementType(array.element);
    if (failed(type))
      return failure();
    layout.arrays.push_back({*type, array.name == kPositionsName,
                             array.perParent, array.perEntry, array.extra});
  }
  if (layout.isFull)
    return layout;
  CoordinatePlace place = coordinatePlace(tensor, level);
  layout.coordinates = {coordinatesArrayOf(tensor, place.level), place.offset,
                        place.stride};
  return layout;
}

static FailureOr<TensorLayout> tensorLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return failure();
  TensorLayout layout;
  FailureOr<ElementType> values = elementType(tensor.getElementType());
  if (failed(values))
    return failure();
  layout.values = *values;
  for (unsigned level = 0; level < tensor.getRank(); ++level) {
    FailureOr<TensorLayout::Level> added = levelLayout(tensor, level);
    if (failed(added))
      return failure();
    layout.levels.push_back(*added);
  }
  return layout;
}

LogicalResult nacho::readLayouts(func::FuncOp func, ArrayRef<Type> arguments,
                                 std::vector<TensorLayout> &operands,
                                 TensorLayout &result) {
  auto read = [&](Type type, TensorLayout &into) -> LogicalResult {
    FailureOr<TensorLayout> layout = tensorLayout(type);
    if (failed(layout))
      return func.emitError() << "cannot pass a " << type
                              << " to a kernel: tensors of f32, f64, i1, i8, "
                                 "i16, i32, i64, ui8 or complex numbers, with "
                                 "32- or 64-bit indices";
    into = *layout;
    return success();
  };
  if (func.getNumResults() != 1)
    return func.emitError("a kernel has one result");
  for (Type type : arguments)
    if (failed(read(type, operands.emplace_back())))
      return failure();
  return read(func.getResultTypes().front(), result);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::string nacho::exportName(const std::string &step, Phase phase) {
  return step + "_" + nameOf(phase);
}

/// Whether the innermost loop is a union or an intersection of two operands.
static void readMerge(NestOp nest, Step &step) {
  CoiterateOp loop = nest.getLoops().back();
  auto isOfBoth = [&](MergeKind kind) {
    MLIRContext *context = nest.getContext();
    return loop.getMerge() == MergeAttr::get(context, kind,
                                             {MergeAttr::get(context, 0u),
                                              MergeAttr::get(context, 1u)});
  };
  bool isUnion = isOfBoth(MergeKind::unite);
  if (nest.getCutLoops().back() != loop || loop.getFibers().size() != 2 ||
      !(isUnion || isOfBoth(MergeKind::intersect)))
    return;
  std::array<TensorLayout::Place, 2> merged;
  for (auto [n, fiber] : llvm::enumerate(loop.getFibers())) {
    auto type = cast<FiberType>(fiber.getType());
    RankedTensorType tensor = type.getTensor();
    RootOp root = rootOf(fiber);
    auto argument = dyn_cast<BlockArgument>(root.getTensor());
    if (!argument || isFullLevel(tensor, type.getLevel()) ||
        !isUniqueLevel(tensor, type.getLevel()))
      return;
    merged[n] = step.coordinatesOf(argument.getArgNumber(), type.getLevel());
  }
  auto typeOf = [&](Value fiber) {
    auto encoding = sparse_tensor::getSparseTensorEncoding(
        cast<FiberType>(fiber.getType()).getTensor());
    return encoding.getCrdElemType();
  };
  Type type = typeOf(loop.getFibers().front());
  if (type != typeOf(loop.getFibers().back()) ||
      !(type.isInteger(32) || type.isInteger(64) || type.isIndex()))
    return;
  step.merged = {merged, isUnion, type.isInteger(32)};
}

/// Which loops are cut, and which accesses have positions in each.
static LogicalResult readLoops(func::FuncOp func, Step &step) {
  PartitionOp partition;
  NestOp nest;
  func.walk([&](Operation *op) {
    if (auto found = dyn_cast<PartitionOp>(op))
      partition = found;
    if (auto found = dyn_cast<NestOp>(op))
      nest = found;
  });
  if (!partition || !nest)
    return func.emitError("the function does not assign a tensor");
  for (CoiterateOp loop : nest.getCutLoops())
    step.order.push_back(getName(loop.getCoordinate()));
  for (Attribute loop : partition.getLoops()) {
    std::vector<int64_t> &operands = step.loops.emplace_back();
    std::vector<int64_t> &inputs = step.loopInputs.emplace_back();
    for (Attribute operand : cast<ArrayAttr>(loop)) {
      auto root = partition.getRoots()[cast<IntegerAttr>(operand).getInt()]
                      .getDefiningOp<RootOp>();
      Value tensor = root.getTensor();
      if (FlattenOp flatten = flattenedBy(root))
        tensor = flatten.getTensor();
      unsigned number = cast<BlockArgument>(tensor).getArgNumber();
      const StepInput &input = step.inputs[number];
      operands.push_back(input.isStep
                             ? -1 - static_cast<int64_t>(input.index)
                             : root.getInput().value_or(operands.size()));
      inputs.push_back(number);
    }
  }
  step.delta = static_cast<int64_t>(partition.getDelta());
  step.isSorted = sortsEntries(nest.getCollect());
  readMerge(nest, step);
  return success();
}

static StepInput readInput(func::FuncOp func, unsigned n) {
  if (auto step = func.getArgAttrOfType<IntegerAttr>(n, kStepAttr))
    return {true, static_cast<size_t>(step.getInt())};
  if (auto operand = func.getArgAttrOfType<IntegerAttr>(n, kOperandAttr))
    return {false, static_cast<size_t>(operand.getInt())};
  return {false, n};
}

LogicalResult nacho::readSteps(ModuleOp module, std::vector<Step> &steps,
                               std::vector<std::string> &names) {
  for (auto func : module.getOps<func::FuncOp>()) {
    Step &step = steps.emplace_back();
    names.push_back(func.getName().str());
    // The last argument is the number of parts.
    ArrayRef<Type> operands = func.getArgumentTypes().drop_back();
    for (unsigned n = 0; n < operands.size(); ++n)
      step.inputs.push_back(readInput(func, n));
    if (failed(readLayouts(func, operands, step.operands, step.result)) ||
        failed(readLoops(func, step)))
      return failure();
  }
  return success();
}

static int64_t columnsOf(func::FuncOp func, unsigned argument) {
  return cast<MemRefType>(func.getArgument(argument).getType()).getDimSize(1);
}

LogicalResult nacho::readBuffers(ModuleOp module, const std::string &name,
                                 Step &step) {
  auto plan = module.lookupSymbol<func::FuncOp>(exportName(name, Phase::plan));
  auto execute =
      module.lookupSymbol<func::FuncOp>(exportName(name, Phase::execute));
  if (!plan || !execute)
    return module.emitError("the function does not assign a tensor");
  size_t numOperands = step.operands.size();
  step.boundColumns = columnsOf(plan, numOperands);
  step.isDraft = execute->hasAttr(kDraftAttr);
  if (execute->hasAttr(kCountsAttr))
    step.countColumns = columnsOf(plan, numOperands + 1);
  if (auto level = execute->getAttrOfType<IntegerAttr>(kWorkspaceAttr))
    step.scattered = level.getInt();
  if (auto tables = execute->getAttrOfType<ArrayAttr>(kTablesAttr))
    for (auto pair : tables.getAsRange<ArrayAttr>())
      step.tables.push_back(
          {static_cast<size_t>(cast<IntegerAttr>(pair[0]).getInt()),
           static_cast<size_t>(cast<IntegerAttr>(pair[1]).getInt())});
  step.hasWholeRows = execute->hasAttr(kWholeRowsAttr);
  if (auto types = execute->getAttrOfType<ArrayAttr>(kPartialsAttr))
    for (Type type : types.getAsValueRange<TypeAttr>())
      step.partials.push_back(*elementType(type));
  return success();
}
