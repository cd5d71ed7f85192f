//===- CountedFilling.cpp - Results whose entries are counted first -------===//
//
// Builds the function assemble, and the function scan for its counts. A result
// without structure has nothing to count: every element has a known place in
// its block.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Filling.h"
#include "NestAssembler.h"
#include "PartBuilder.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

/// Whether callers may count single parts: not of tiles, whose parts are cut
/// and counted at the same time.
static bool countsAlone(const PhaseFunctions &function) {
  return runsOneByOne(function.layout) && !function.tile;
}

bool nacho::guardsCounts(const PhaseFunctions &function) {
  return function.startsTogether() && function.layout.hasCounts() &&
         function.layout.filling->isCounted();
}

//===----------------------------------------------------------------------===//
// Entries that are positions
//===----------------------------------------------------------------------===//

/// Whether a loop steps through one fiber, and asks for nothing else.
static bool stepsThroughOne(CoiterateOp loop) {
  return loop.getFibers().size() == 1 && loop.getGuards().empty() &&
         !loop.getExtent() && loop.getNonempty().empty() &&
         loop.getMerge().isLeaf();
}

/// Whether loops step through the levels of one operand, from the first to the
/// last, and do nothing else. Each position of the last one is an entry.
static bool stepThroughOperand(ArrayRef<CoiterateOp> loops) {
  Value fiber;
  for (CoiterateOp loop : loops) {
    if (!stepsThroughOne(loop) || (fiber && loop.getFibers().front() != fiber))
      return false;
    fiber = loop.getChildren().front();
  }
  if (!fiber)
    return false;
  auto type = cast<FiberType>(fiber.getType());
  CoiterateOp first = loops.front();
  RootOp root = rootOf(fiber);
  return type.isElement() && !type.isOfScannedList() && root &&
         isa<BlockArgument>(root.getTensor()) &&
         first.getFibers().front() == root.getFiber() &&
         isUniqueLevel(type.getTensor(), type.getLevel() - 1) &&
         llvm::none_of(llvm::seq(type.getLevel()), [&](unsigned level) {
           return hasGaps(type.getTensor(), level);
         });
}

/// Whether a part appends an entry for each position of an operand's last level
/// that lies between its cuts, or none if a loop inside has no coordinates:
///
///   for i, for j in A: for k = 0 to N: append to [i, j]
static bool appendsAtPositions(const ResultLayout &layout) {
  ArrayRef<CoiterateOp> loops = layout.loops;
  size_t numAppends = 0;
  NestOp(layout.nest).walk([&](AppendOp append) {
    numAppends += append.getCondition() ? 2 : 1;
  });
  auto isDense = [](CoiterateOp loop) {
    return loop.getFibers().empty() && loop.getGuards().empty();
  };
  return numAppends == 1 && layout.makesEntries() && layout.numColumns() == 1 &&
         layout.finds.empty() && !layout.workspaceLevel &&
         collectTraitsOf(NestOp(layout.nest)).appendsInOrder() &&
         layout.numCut == layout.numOuter &&
         stepThroughOperand(loops.take_front(layout.numOuter)) &&
         llvm::all_of(loops.drop_front(layout.numOuter), isDense);
}

/// Emits how many of such entries come before the cut where a part begins or
/// ends.
static Value emitEntriesBefore(const Part &part, Value cut) {
  ImplicitLocOpBuilder &b = part.b;
  const ResultLayout &layout = part.layout;
  int64_t last = layout.numOuter - 1;
  Value position = CutPositionOp::create(b, b.getIndexType(), cut, last, 0);
  Condition areThere = kAlways;
  for (CoiterateOp loop : ArrayRef(layout.loops).drop_front(layout.numOuter))
    areThere = emitBoth(b, areThere,
                        Number(b, emitExtent(b, loop, part.mapping)) != 0);
  return emitSelect(b, areThere, position, 0);
}

/// Emits how many entries the operand has.
static Value emitNumEntries(const Part &part) {
  CoiterateOp first = part.layout.loops.front();
  return CostOp::create(part.b, part.b.getIndexType(), CostKind::nnz,
                        part.mapping.lookup(first.getFibers().front()),
                        /*position=*/Value(), /*below=*/0);
}

/// Whether parts also say where they append, since cuts tell: then nothing is
/// scanned. What warps compute, since it has dense loops, has to wait until all
/// tiles are cut; other parts append as soon as those before them have counted.
static bool knowsOffsets(const PhaseFunctions &function) {
  return function.tile && function.layout.reduction &&
         appendsAtPositions(function.layout);
}

namespace {
class CountedFilling : public Filling {
public:
  FillingKind kind() const override { return FillingKind::counted; }

  Status statusWhenFull() const override { return kOperandsChanged; }

  Parameters planParameters(const PhaseFunctions &function) const override {
    const ResultLayout &layout = function.layout;
    Parameters parameters = {Parameter::bounds};
    if (layout.hasCounts())
      parameters.append({Parameter::counts, Parameter::offsets});
    parameters.push_back(Parameter::sizes);
    if (guardsCounts(function))
      parameters.append({Parameter::excess, Parameter::earlier});
    if (layout.workspaceLevel)
      parameters.push_back(Parameter::coordinateSet);
    parameters.push_back(Parameter::tables);
    if (layout.collector->hasBuckets())
      parameters.push_back(Parameter::buckets);
    parameters.push_back(Parameter::status);
    return parameters;
  }

  Parameters offsetParameters(const ResultLayout &layout) const override {
    return layout.hasCounts() ? Parameters{Parameter::offsets} : Parameters();
  }

  void buildCounting(PhaseFunctions &function) const override {
    if (function.layout.hasCounts())
      buildAssemble(function);
    // The cuts of tiles come with sizes that follow from extents or positions.
    if (function.layout.hasCounts() ? !knowsOffsets(function) : !function.tile)
      buildScan(function);
  }

  /// parallel part in parts: counts[part] = what the part appends
  static void buildAssemble(PhaseFunctions &function) {
    Parameters parameters = {Parameter::bounds, Parameter::counts};
    if (knowsOffsets(function))
      parameters.append({Parameter::offsets, Parameter::sizes});
    if (guardsCounts(function))
      parameters.push_back(Parameter::earlier);
    if (function.layout.workspaceLevel)
      parameters.push_back(Parameter::coordinateSet);
    parameters.push_back(Parameter::tables);
    if (function.layout.collector->hasBuckets())
      parameters.push_back(Parameter::buckets);
    parameters.push_back(Parameter::status);
    function.start("assemble", parameters, countsAlone(function));
    function.cloneOperands();
    Value parts = function.numParts();
    Value part = function.startWorkers(parts).getWorker();
    if (appendsAtPositions(function.layout))
      return countPositions(function, part, parts);
    Values row = PartBuilder(function, part, parts, PartTask::count).count();
    function.storeRow(row, function.args.counts, part);
  }

  /// counts[part] = positions before its end - positions before its beginning
  /// offsets[part] = positions before its beginning
  static void countPositions(PhaseFunctions &function, Value number,
                             Value parts) {
    Part part(function, number, parts, PartTask::count);
    Number end(part.b, emitEntriesBefore(part, part.upper));
    Number begin(part.b, emitEntriesBefore(part, part.lower));
    if (knowsOffsets(function)) {
      // Positions may be wrong, but none is said to be behind the last one.
      Value all = emitNumEntries(part);
      end = min(end, all);
      begin = min(begin, all);
    }
    Value count = max(end, begin) - begin;
    function.storeRow(count, function.args.counts, number);
    if (!knowsOffsets(function))
      return;
    Value offsets = function.args.offsets;
    Value next = Number(part.b, number) + 1;
    function.storeRow(begin, offsets, number);
    emitIf(part.b, Number(part.b, next) == parts, [&] {
      function.storeRow(end, offsets, parts);
      storeSizes(function, offsets, parts);
    });
  }

  /// offsets = scan(counts); sizes = those of the result
  static void buildScan(PhaseFunctions &function) {
    Parameters parameters = {Parameter::bounds};
    if (function.layout.hasCounts())
      parameters.append({Parameter::counts, Parameter::offsets});
    parameters.push_back(Parameter::sizes);
    function.start("scan", parameters, countsAlone(function));
    function.cloneOperands();
    Value parts = function.numParts();
    if (function.layout.hasCounts())
      emitScan(function, function.args.offsets);
    storeSizes(function, function.args.offsets, parts);
    func::ReturnOp::create(function.b);
  }

  /// assemble; scan
  void planOffsets(PhaseFunctions &function, Value) const override {
    const PhaseArguments &args = function.args;
    Values scanned = function.operands;
    scanned.push_back(args.bounds);
    if (function.layout.hasCounts()) {
      callAssemble(function);
      if (knowsOffsets(function))
        return;
      scanned.append({args.counts, args.offsets});
    }
    scanned.append({args.sizes, args.threads});
    function.call("scan", scanned);
  }

  static void callAssemble(PhaseFunctions &function) {
    const PhaseArguments &args = function.args;
    Values arguments = function.operands;
    arguments.append({args.bounds, args.counts});
    if (knowsOffsets(function))
      arguments.append({args.offsets, args.sizes});
    if (guardsCounts(function))
      arguments.push_back(args.earlier);
    if (args.keys)
      arguments.push_back(*args.keys);
    if (function.layout.workspaceLevel)
      arguments.push_back(args.marks);
    for (const PhaseArguments::Table &table : args.tables)
      arguments.append({table.keys, table.marks, table.numbers});
    if (args.buckets)
      arguments.push_back(args.buckets);
    arguments.append({args.status, args.threads});
    function.call("assemble", arguments);
  }

  void startPart(PhaseFunctions &function, Value part,
                 Value parts) const override {
    if (function.layout.hasCounts())
      storeFirstFiberInPart(function, function.args.offsets, part, parts);
  }

  void finishExecute(PhaseFunctions &function) const override {
    function.layout.collector->finishEntries(function);
  }
};
} // namespace

std::unique_ptr<Filling> Filling::counted() {
  return std::make_unique<CountedFilling>();
}
