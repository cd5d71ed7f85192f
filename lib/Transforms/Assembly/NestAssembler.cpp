//===- NestAssembler.cpp - The functions that replace a nest --------------===//

#include "NestAssembler.h"

#include "Collector.h"
#include "Filling.h"
#include "PartBuilder.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

static Parameters executeParameters(const ResultLayout &layout) {
  Parameters parameters = {Parameter::bounds};
  if (layout.hasUnequalParts())
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
  if (!function.layout.hasUnequalParts())
    return worker;
  setName(worker, "worker");
  NameScope name(function.b, "part");
  return memref::LoadOp::create(function.b, function.args.order, worker);
}

/// The level of an argument whose position an entry of a list keeps, -1 if an
/// operand lacks it.
static std::optional<OfArgument> keptLevel(Value kept) {
  if (auto select = kept.getDefiningOp<arith::SelectOp>())
    kept = select.getTrueValue();
  auto position = kept.getDefiningOp<PositionOp>();
  if (!position)
    return std::nullopt;
  Value fiber = position.getFiber();
  unsigned level = cast<FiberType>(fiber.getType()).getLevel();
  std::optional<unsigned> argument = argumentOf(fiber);
  if (!argument || level == 0)
    return std::nullopt;
  return OfArgument{level - 1, *argument};
}

/// The levels whose positions a scanned list keeps, after the coordinates of
/// its loops; nothing if it keeps other numbers.
static std::optional<SmallVector<OfArgument>> keptLevels(NestOp nest) {
  SmallVector<OfArgument> levels;
  size_t numLoops = nest.getLoops().size();
  bool areKnown = true;
  nest.walk([&](AppendOp append) {
    for (Value kept : append.getCoordinates().drop_front(numLoops))
      if (std::optional<OfArgument> level = keptLevel(kept))
        levels.push_back(*level);
      else
        areKnown = false;
  });
  return areKnown ? std::optional(levels) : std::nullopt;
}

/// Whether the nest reads of a list what parts do not know of each other: the
/// cost of all its entries, or where its rows begin and end.
static bool readsWholeList(NestOp nest) {
  WalkResult result = nest.walk([](Operation *op) {
    return isa<HeavyOp, RowPositionOp, PieceShiftOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool nacho::runsOneByOne(const ResultLayout &layout) {
  NestOp nest = layout.nest;
  const CollectTraits &traits = collectTraitsOf(nest);
  bool isLone = !traits.makesList ||
                (traits.scansCosts && !traits.sortsEntries && keptLevels(nest));
  return layout.filling->isCounted() && isLone && !readsWholeList(nest) &&
         !layout.collector->hasBuckets();
}

/// parallel part in parts: append from offsets[part] to offsets[part + 1]
static void buildCompute(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  function.start("compute", executeParameters(layout),
                 /*isExported=*/runsOneByOne(layout));
  function.cloneOperands();
  Value parts = function.numParts();
  Value part = emitPart(function, function.startWorkers(parts).getWorker());
  ImplicitLocOpBuilder &b = function.b;
  Value next = Number(b, part) + 1;
  Values first, last;
  if (layout.hasCounts()) {
    first = function.loadRow(function.args.offsets, part);
    last = function.loadRow(function.args.offsets, next);
  }
  layout.filling->startPart(function, part, parts);
  PartBuilder builder(function, part, parts, PartTask::append);
  builder.append(first, last);
  layout.filling->finishPart(function, part, builder);
}

/// call partition; offsets = where the parts append; sizes = those of the
/// result
static void buildPlan(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  function.start("plan", layout.filling->planParameters(layout),
                 /*isExported=*/true);
  function.cloneOperands();
  Value parts = function.numParts();
  callPartition(function, parts);
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
  SmallVector<OfArgument> kept;
  if (collectTraitsOf(NestOp(layout.nest)).scansCosts)
    kept = keptLevels(layout.nest).value_or(kept);
  ArrayRef<Type> partials;
  if (layout.hasPartials())
    partials = layout.reduction->getTypes();
  func::FuncOp source = function.source;
  auto buffers = StepBuffersAttr::get(
      context, source.getSymNameAttr(), layout.type,
      layout.hasCounts() ? layout.numColumns() : 0, partials,
      partials.empty() ? 2 : layout.numPartialRows(), layout.hasFixedParts(),
      NestOp(function.nest).getCollect(),
      layout.filling->isCounted() ? FillingKind::counted : FillingKind::drafted,
      layout.workspaceLevel, tables, buckets, kept);
  auto step = source->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName);
  return StepAttr::get(context, step.getInputs(), step.getCuts(), buffers);
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

/// call fill; call clear; call compute; call combine; then the last code of the
/// filling
static void buildExecute(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  func::FuncOp func = function.start("execute", executeParameters(layout),
                                     /*isExported=*/true);
  func->setAttr(NachoDialect::kStepAttrName, describeStep(function));
  const PhaseArguments &args = function.args;
  if (layout.needsFill()) {
    Values arguments = function.operands;
    llvm::append_range(arguments, args.flatten());
    arguments.push_back(args.threads);
    function.call("fill", arguments);
  }
  layout.collector->startEntries(function);
  Values withoutStatus(func.getArguments());
  withoutStatus.erase(withoutStatus.end() - 2);
  if (layout.addsToAll())
    function.call("clear", withoutStatus);
  function.call("compute", func.getArguments());
  if (layout.canSplit())
    emitIf(function.b, needsCombine(function),
           [&] { function.call("combine", withoutStatus); });
  layout.filling->finishExecute(function);
  func::ReturnOp::create(function.b);
}

void nacho::assembleNest(PhaseFunctions &function) {
  const ResultLayout &layout = function.layout;
  buildPartition(function);
  layout.filling->buildCounting(function);
  if (layout.needsFill())
    buildFill(function);
  Parameters withoutStatus = executeParameters(layout);
  withoutStatus.pop_back();
  if (layout.addsToAll())
    buildClear(function, withoutStatus);
  buildCompute(function);
  if (layout.canSplit())
    buildCombine(function, withoutStatus);
  buildPlan(function);
  buildExecute(function);
  layout.filling->buildCompact(function);
}
