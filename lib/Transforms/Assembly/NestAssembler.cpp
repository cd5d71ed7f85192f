//===- NestAssembler.cpp - The functions that replace a nest --------------===//

#include "NestAssembler.h"

#include "Collector.h"
#include "Filling.h"
#include "PartBuilder.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

static Parameters executeParameters(const PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  Parameters parameters = {Parameter::bounds};
  if (layout.hasUnequalParts() && !function.startsTogether())
    parameters.push_back(Parameter::order);
  llvm::append_range(parameters, layout.filling->offsetParameters(layout));
  parameters.push_back(Parameter::result);
  if (layout.hasPartials())
    parameters.push_back(Parameter::partials);
  if (layout.workspaceLevel)
    parameters.push_back(Parameter::workspace);
  parameters.push_back(Parameter::tables);
  if (layout.collector->hasBuckets())
    parameters.push_back(Parameter::buckets);
  parameters.push_back(Parameter::status);
  return parameters;
}

/// The part that a worker computes. Parts of equal cost are started in their
/// order, others in the order that the caller gives.
static Value emitPart(PhaseFunctions &function, Value worker) {
  if (!function.args.order)
    return worker;
  setName(worker, "worker");
  NameScope name(function.b, "part");
  return memref::LoadOp::create(function.b, function.args.order, worker);
}

/// What an entry of a list keeps. A position is -1 if an operand lacks the
/// entry. What an earlier list has kept is kept again.
static KeptNumber keptNumber(Value kept) {
  if (auto select = kept.getDefiningOp<arith::SelectOp>())
    kept = select.getTrueValue();
  KeptNumber number = {KeptNumber::other, {}};
  unsigned below = 0;
  Value fiber;
  if (auto position = kept.getDefiningOp<PositionOp>()) {
    fiber = position.getFiber();
    number.kind = position.getEnd() ? KeptNumber::end : KeptNumber::position;
  } else if (auto recall = kept.getDefiningOp<RecallOp>()) {
    fiber = recall.getFiber();
    number.kind = KeptNumber::position;
    below = 1 + recall.getBelow();
  } else {
    return number;
  }
  unsigned level = cast<FiberType>(fiber.getType()).getLevel() + below;
  std::optional<unsigned> argument = argumentOf(fiber);
  if (!argument || level == 0)
    return {KeptNumber::other, {}};
  number.level = {level - 1, *argument};
  return number;
}

/// What a scanned list keeps, after the coordinates of its loops.
static SmallVector<KeptNumber> keptNumbers(const ResultLayout &layout) {
  SmallVector<KeptNumber> kept;
  NestOp(layout.nest).walk([&](AppendOp append) {
    for (auto [loop, number] :
         llvm::zip(layout.loopOfLevel, append.getCoordinates()))
      if (!loop)
        kept.push_back(keptNumber(number));
    return WalkResult::interrupt();
  });
  return kept;
}

/// Whether the nest reads where rows of a list begin and end in the whole list,
/// which parts do not know of each other.
static bool readsPlacesOfRows(NestOp nest) {
  WalkResult result = nest.walk([](Operation *op) {
    return isa<HeavyOp, RowPositionOp>(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool nacho::runsOneByOne(const ResultLayout &layout) {
  NestOp nest = layout.nest;
  return layout.filling->isCounted() && !readsPlacesOfRows(nest) &&
         !layout.collector->hasBuckets();
}

/// parallel part in parts: append from offsets[part] to offsets[part + 1]
static void buildCompute(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  function.start("compute", executeParameters(function),
                 /*isExported=*/runsOneByOne(layout));
  function.cloneOperands();
  Value parts = function.numParts();
  Value part = emitPart(function, function.startWorkers(parts).getWorker());
  Values first, last;
  if (layout.hasCounts())
    std::tie(first, last) = layout.filling->places(function, part);
  layout.filling->startPart(function, part, parts);
  PartBuilder builder(function, part, parts, PartTask::append);
  builder.append(first, last);
  layout.filling->finishPart(function, part, builder);
}

/// parallel row of the longest array of positions:
///   check positions; the first worker stores sizes without counts
static void checkPositions(PhaseFunctions &function, PositionChecks &checks) {
  ImplicitLocOpBuilder &b = function.b;
  Value worker = function.emitWorkers(checks.numWorkers()).getWorker();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(worker.getParentBlock());
  if (!function.layout.hasCounts())
    storeSizesOnce(function, worker);
  checks.emit(worker);
}

/// check positions; call partition; offsets = where the parts append; sizes =
/// those of the result
///
/// Where there are tiles, the function that finds their cuts checks, too.
static void buildPlan(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  function.start("plan", layout.filling->planParameters(function),
                 /*isExported=*/true);
  function.cloneOperands();
  bool hasSizes = function.tile && !layout.hasCounts();
  if (function.isOnDevice && !function.tile)
    if (PositionChecks checks(function); !checks.isEmpty()) {
      checkPositions(function, checks);
      hasSizes = !layout.hasCounts();
    }
  Value parts = function.numParts();
  callPartition(function, parts);
  if (!hasSizes)
    layout.filling->planOffsets(function, parts);
  func::ReturnOp::create(function.b);
}

/// The step attribute for callers: the inputs and cuts of the nest's function,
/// and the buffers that the functions take and fill.
static StepAttr describeStep(const PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  MLIRContext *context = function.b.getContext();
  auto levelOf = [](Value fiber) -> OfArgument {
    return {cast<FiberType>(fiber.getType()).getLevel(), *argumentOf(fiber)};
  };
  SmallVector<OfArgument> tables, buckets;
  for (FindOp find : layout.finds)
    tables.push_back(levelOf(find.getFiber()));
  if (layout.collector->hasBuckets())
    buckets.push_back(
        levelOf(CoiterateOp(layout.loopOfLevel.front()).getFibers().front()));
  SmallVector<KeptNumber> kept;
  if (collectTraitsOf(NestOp(layout.nest)).scansCosts)
    kept = keptNumbers(layout);
  ArrayRef<Type> partials;
  if (layout.hasPartials())
    partials = layout.reduction->getTypes();
  func::FuncOp source = function.source;
  auto buffers = StepBuffersAttr::get(
      context, source.getSymNameAttr(), layout.type,
      layout.hasCounts() ? layout.numColumns() : 0, partials,
      partials.empty() ? 2 : layout.numPartialRows(), layout.hasFixedParts(),
      NestOp(function.nest).getCollect(), layout.filling->kind(),
      layout.workspaceLevel, tables, buckets, kept, function.startsTogether());
  auto step = source->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName);
  return StepAttr::get(context, step.getInputs(), step.getCuts(), buffers,
                       step.getReads(), step.getMakes());
}

/// Whether there are partials to be combined: the row of a single part may be
/// the result already.
static Condition needsCombine(PhaseFunctions &function) {
  if (!function.layout.sumsAreResult())
    return kAlways;
  ImplicitLocOpBuilder &b = function.b;
  Value parts = function.numParts();
  return Number(b, parts) > 1;
}

/// call fill
static void callFill(PhaseFunctions &function) {
  if (!function.layout.needsFill())
    return;
  Values arguments = function.operands;
  llvm::append_range(arguments, function.args.flatten());
  arguments.push_back(function.args.threads);
  function.call("fill", arguments);
}

/// call compute; call combine
static void callCompute(PhaseFunctions &function, ValueRange arguments) {
  function.call("compute", arguments);
  Values withoutStatus(arguments);
  withoutStatus.erase(withoutStatus.end() - 2);
  if (function.layout.canSplit())
    emitIf(function.b, needsCombine(function),
           [&] { function.call("combine", withoutStatus); });
}

/// call fill; call clear; call compute; call combine; then the last code of the
/// filling
static void buildExecute(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  func::FuncOp func = function.start("execute", executeParameters(function),
                                     /*isExported=*/true);
  func->setAttr(NachoDialect::kStepAttrName, describeStep(function));
  callFill(function);
  layout.collector->startEntries(function);
  Values withoutStatus(func.getArguments());
  withoutStatus.erase(withoutStatus.end() - 2);
  if (layout.addsToAll())
    function.call("clear", withoutStatus);
  callCompute(function, func.getArguments());
  layout.filling->finishExecute(function);
  func::ReturnOp::create(function.b);
}

/// Whether a nest reads at most one sparse tensor, an operand of the kernel.
static bool readsOneOperand(PhaseFunctions &function) {
  func::FuncOp source = function.source;
  TypeRange types = source.getArgumentTypes().drop_back();
  auto step = StepAttr::ofFunction(source, types.size());
  auto isSparse = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !isDense(tensor);
  };
  return llvm::count_if(types, isSparse) <= 1 &&
         llvm::none_of(step.getInputs(),
                       [](const StepSource &from) { return from.isStep; });
}

/// Whether nothing that callers have to know lies between the search for the
/// cuts of a tile and what its parts do: they know all sizes, or bounds for the
/// lengths of a result whose entries parts append in order.
static bool runsAtOnce(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  if (!function.isOnDevice || !function.tile || layout.hasUnequalParts() ||
      layout.workspaceLevel || !layout.finds.empty() || layout.addsToAll() ||
      !layout.filling->isCounted() || !runsOneByOne(layout))
    return false;
  if (layout.hasCounts())
    return collectTraitsOf(NestOp(layout.nest)).appendsInOrder() &&
           !layout.hasPartials();
  return readsOneOperand(function);
}

/// call fill; cut; [count; scan;] call compute; call combine
static void buildRun(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  Parameters parameters = executeParameters(function);
  parameters.insert(parameters.end() - 1, Parameter::sizes);
  if (layout.hasCounts())
    parameters.insert(parameters.begin() + 1, Parameter::counts);
  func::FuncOp func = function.start("run", parameters, /*isExported=*/true);
  function.cloneOperands();
  callFill(function);
  Value parts = function.numParts();
  callPartition(function, parts);
  if (layout.hasCounts())
    layout.filling->planOffsets(function, parts);
  Values arguments;
  const PhaseArguments &args = function.args;
  for (Value argument : func.getArguments())
    if (argument != args.sizes && argument != args.counts)
      arguments.push_back(argument);
  callCompute(function, arguments);
  func::ReturnOp::create(function.b);
}

void nacho::assembleNest(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  buildPartition(function);
  layout.filling->buildCounting(function);
  if (layout.needsFill())
    buildFill(function);
  Parameters withoutStatus = executeParameters(function);
  withoutStatus.pop_back();
  if (layout.addsToAll())
    buildClear(function, withoutStatus);
  buildCompute(function);
  if (layout.canSplit())
    buildCombine(function, withoutStatus);
  buildPlan(function);
  buildExecute(function);
  if (runsAtOnce(function))
    buildRun(function);
  layout.filling->buildCompact(function);
}
