//===- ModuleReader.cpp - Signatures of kernels, read from modules --------===//

#include "ModuleReader.h"

#include "nacho/IR/Collect.h"
#include "nacho/IR/Errors.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static FailureOr<ElementType> floatType(Type type) {
  if (type.isF16())
    return ElementType::f16;
  if (type.isBF16())
    return ElementType::bf16;
  if (type.isF32())
    return ElementType::f32;
  if (type.isF64())
    return ElementType::f64;
  return failure();
}

static FailureOr<ElementType> elementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::c64;
    if (complex.getElementType().isF64())
      return ElementType::c128;
    return failure();
  }
  if (isa<FloatType>(type))
    return floatType(type);
  if (type.isIndex())
    return ElementType::i64;
  if (type.isUnsignedInteger(8))
    return ElementType::u8;
  // Only steps of a kernel pass each other wider integers that are unsigned:
  // callers do not, for whom these are the same arrays.
  if (!isa<IntegerType>(type))
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
  case 64:
    return ElementType::i64;
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
                             array.perParent, array.perEntry, array.extra,
                             array.wordSize});
  }
  if (std::optional<CoordinatePlace> place = coordinatePlace(tensor, level))
    layout.coordinates = {coordinatesArrayOf(tensor, place->level),
                          place->offset, place->stride};
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

/// Reads the layout of a tensor that is passed to or from a kernel.
static LogicalResult readLayout(func::FuncOp func, Type type,
                                TensorLayout &into) {
  FailureOr<TensorLayout> layout = tensorLayout(type);
  if (failed(layout))
    return func.emitError() << "cannot pass a " << type
                            << " to a kernel: tensors of f16, bf16, f32, f64, "
                               "i1, i8, i16, i32, i64, ui8 or complex numbers, "
                               "with indices of at most 64 bits";
  into = *layout;
  return success();
}

static LogicalResult readLayouts(func::FuncOp func, ArrayRef<Type> types,
                                 std::vector<TensorLayout> &into) {
  for (Type type : types)
    if (failed(readLayout(func, type, into.emplace_back())))
      return failure();
  return success();
}

LogicalResult nacho::readOperands(func::FuncOp func,
                                  std::vector<TensorLayout> &operands) {
  if (func.getNumResults() != 1)
    return func.emitError("a kernel has one result");
  SmallVector<Type> types(func.getArgumentTypes());
  types.push_back(func.getResultTypes().front());
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !isDense(tensor) && !hasSupportedLevels(tensor))
      return unsupported(func.emitError()
                         << "a " << type
                         << " has levels that are not supported");
  TensorLayout result;
  if (failed(readLayouts(func, func.getArgumentTypes(), operands)))
    return failure();
  return readLayout(func, func.getResultTypes().front(), result);
}

std::vector<std::vector<int64_t>> nacho::readBlocks(func::FuncOp func) {
  std::vector<std::vector<int64_t>> blocks;
  auto add = [&](DenseI64ArrayAttr sizes) {
    blocks.push_back(sizes ? sizes.asArrayRef().vec() : std::vector<int64_t>());
  };
  for (unsigned n = 0; n < func.getNumArguments(); ++n)
    add(func.getArgAttrOfType<DenseI64ArrayAttr>(n, kBlocksAttrName));
  add(func.getResultAttrOfType<DenseI64ArrayAttr>(0, kBlocksAttrName));
  return blocks;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::string nacho::exportName(const std::string &step, Phase phase) {
  return step + "_" + nameOf(phase);
}

/// The loops that are cut, and the accesses that have positions in each.
static void readLoops(StepCutsAttr cuts, Step &step) {
  for (StepLoopAttr loop : cuts.getLoops()) {
    step.order.push_back(loop.getName().str());
    std::vector<int64_t> &operands = step.loops.emplace_back();
    std::vector<int64_t> &inputs = step.loopInputs.emplace_back();
    step.fullLoops.push_back(loop.getIsFull());
    for (unsigned number : loop.getAccesses()) {
      const OfArgument &access = cuts.getAccesses()[number];
      const StepInput &input = step.inputs[access.argument];
      operands.push_back(input.isStep ? -1 - static_cast<int64_t>(input.index)
                                      : static_cast<int64_t>(access.number));
      inputs.push_back(access.argument);
    }
  }
}

static void readCuts(StepCutsAttr cuts, Step &step) {
  readLoops(cuts, step);
  step.delta = cuts.getDelta();
  step.entryCost = cuts.getCost().getEntryCost();
  step.boundColumns = cuts.getNumColumns();
  StepMergeAttr merge = cuts.getMerge();
  if (!merge)
    return;
  auto arrayOf = [&](const OfArgument &level) {
    return step.coordinatesOf(level.argument, level.number);
  };
  OfArgument left = merge.getLeft(), right = merge.getRight();
  ElementType type =
      step.operands[left.argument].levels[left.number].coordinateType;
  step.merged = {{arrayOf(left), arrayOf(right)},
                 merge.getKind() == MergeKind::unite,
                 type == ElementType::i32};
}

/// The kind of list that a step makes.
static Step::List listOf(CollectKind collect) {
  const CollectTraits &traits = traitsOf(collect);
  if (traits.listsPieces())
    return Step::List::ofPieces;
  if (traits.sortsEntries)
    return Step::List::sorted;
  return traits.makesList ? Step::List::inOrder : Step::List::none;
}

static Fill fillOf(FillingKind filling) {
  switch (filling) {
  case FillingKind::counted:
    return Fill::counted;
  case FillingKind::drafted:
    return Fill::drafted;
  case FillingKind::inTurn:
    return Fill::unionsDrafted;
  }
  llvm_unreachable("unknown kind of filling");
}

static void readBuffers(StepBuffersAttr buffers, Step &step) {
  step.list = listOf(buffers.getCollect());
  step.fill = fillOf(buffers.getFilling());
  step.countColumns = buffers.getCounts();
  step.scattered = buffers.getWorkspaceLevel();
  if (collectTraitsOf(buffers).leavesRowsWhole)
    step.rows = buffers.getCollect() == CollectKind::lightRows
                    ? Rows::heavyApart
                    : Rows::whole;
  for (const OfArgument &table : buffers.getTables())
    step.tables.push_back({table.argument, table.number});
  for (const OfArgument &level : buffers.getBuckets())
    step.buckets = {level.argument, level.number};
  for (Type type : buffers.getPartials())
    step.partials.push_back(*elementType(type));
  step.partialRows = buffers.getPartialRows();
  step.hasFixedParts = buffers.getFixedParts();
  step.startsTogether = buffers.getTogether();
}

static Step::Indices readIndices(ArrayAttr names) {
  Step::Indices indices;
  for (auto name : names.getAsRange<StringAttr>())
    indices.push_back(name.str());
  return indices;
}

/// The indices of what a step reads and makes.
static void readIndices(StepAttr described, Step &step) {
  for (auto accesses : described.getReads().getAsRange<ArrayAttr>()) {
    std::vector<Step::Indices> &read = step.indicesRead.emplace_back();
    for (auto names : accesses.getAsRange<ArrayAttr>())
      read.push_back(readIndices(names));
  }
  step.indicesMade = readIndices(described.getMakes());
}

static LogicalResult readStep(func::FuncOp func, StepAttr described,
                              Step &step) {
  for (const StepSource &source : described.getInputs())
    step.inputs.push_back({source.isStep, source.number, /*isList=*/false});
  ArrayRef<Type> operands =
      func.getArgumentTypes().take_front(step.inputs.size());
  if (failed(readLayouts(func, operands, step.operands)) ||
      failed(readLayout(func, described.getBuffers().getResult(), step.result)))
    return failure();
  readCuts(described.getCuts(), step);
  readBuffers(described.getBuffers(), step);
  if (described.getReads() && described.getMakes())
    readIndices(described, step);
  return success();
}

/// Whether a step adds up entries that an earlier step has rearranged for it,
/// to a result without structure: so scattered sums may be computed. They must
/// not depend on how the step is divided.
static bool addsUpRearranged(const Step &step, const std::vector<Step> &steps) {
  return !step.partials.empty() && !step.countColumns &&
         llvm::any_of(step.inputs, [&](const StepInput &input) {
           return input.isStep &&
                  (steps[input.index].isSorted() || steps[input.index].buckets);
         });
}

/// Whether the rows that a step leaves whole are listed in pieces.
static bool collectsPieces(const Step &step, const std::vector<Step> &steps) {
  return step.rows == Rows::whole &&
         llvm::any_of(step.inputs, [&](const StepInput &input) {
           return input.isStep &&
                  steps[input.index].list == Step::List::ofPieces;
         });
}

/// The first level of a list, which `maker` makes, that keeps a number.
static size_t firstKept(const Step &maker) {
  return maker.result.levels.size() - maker.kept.size();
}

/// Reads what a list keeps. What an earlier list has kept is looked up there.
static void readKept(StepBuffersAttr buffers, const std::vector<Step> &steps,
                     Step &step) {
  for (const KeptNumber &number : buffers.getKept()) {
    Step::Kept &kept = step.kept.emplace_back();
    if (number.kind == KeptNumber::other)
      continue;
    const StepInput &input = step.inputs[number.level.argument];
    size_t level = number.level.number;
    if (input.isList && level >= firstKept(steps[input.index]))
      kept = steps[input.index].kept[level - firstKept(steps[input.index])];
    else
      kept = {input, level, number.kind == KeptNumber::end};
  }
}

/// Adds the levels of a list, an input of a step that `maker` makes, that keep
/// positions of the other inputs.
static void addRecalled(size_t list, const Step &maker, Step &step) {
  for (size_t n = 0; n < maker.kept.size(); ++n) {
    const Step::Kept &kept = maker.kept[n];
    for (size_t input = 0; kept.of && input < step.inputs.size(); ++input)
      if (step.inputs[input].isStep == kept.of->isStep &&
          step.inputs[input].index == kept.of->index)
        step.recalled.push_back(
            {list, firstKept(maker) + n, {input, kept.level}});
  }
}

std::vector<uint64_t> nacho::readDigests(ModuleOp module) {
  std::vector<uint64_t> digests;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(NachoDialect::kStepAttrName))
      continue;
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    func->print(stream, OpPrintingFlags().useLocalScope());
    digests.push_back(llvm::xxh3_64bits(printed));
  }
  return digests;
}

LogicalResult nacho::readSteps(ModuleOp module, std::vector<Step> &steps,
                               std::vector<std::string> &names) {
  for (auto func : module.getOps<func::FuncOp>()) {
    auto step = func->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName);
    if (!step || !step.getBuffers())
      continue;
    names.push_back(step.getBuffers().getName().str());
    if (failed(readStep(func, step, steps.emplace_back())))
      return failure();
    for (size_t n = 0; n < steps.back().inputs.size(); ++n) {
      StepInput &input = steps.back().inputs[n];
      if (!input.isStep)
        continue;
      const Step &maker = steps[input.index];
      input.isList = maker.list != Step::List::none;
      addRecalled(n, maker, steps.back());
    }
    readKept(step.getBuffers(), steps, steps.back());
    steps.back().hasFixedParts |= addsUpRearranged(steps.back(), steps);
    if (collectsPieces(steps.back(), steps))
      steps.back().rows = Rows::pieces;
  }
  if (steps.empty()) {
    func::FuncOp func = *module.getOps<func::FuncOp>().begin();
    return func.emitError("the function does not assign a tensor");
  }
  return success();
}

std::vector<StepFunctions> nacho::exportedBy(ModuleOp module,
                                             ArrayRef<std::string> names) {
  std::vector<StepFunctions> exported;
  for (const std::string &name : names) {
    StepFunctions &functions = exported.emplace_back();
    for (size_t phase = 0; phase < kNumPhases; ++phase) {
      std::string function = exportName(name, static_cast<Phase>(phase));
      auto symbol = module.lookupSymbol<SymbolOpInterface>(function);
      if (symbol && symbol.isPublic())
        functions[phase] = function;
    }
  }
  return exported;
}
