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
    // The cuts of tiles come with sizes that follow from extents.
    if (function.layout.hasCounts() || !function.tile)
      buildScan(function);
  }

  /// parallel part in parts: counts[part] = what the part appends
  static void buildAssemble(PhaseFunctions &function) {
    Parameters parameters = {Parameter::bounds, Parameter::counts};
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
    Values row = PartBuilder(function, part, parts, PartTask::count).count();
    function.storeRow(row, function.args.counts, part);
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
      scanned.append({args.counts, args.offsets});
    }
    scanned.append({args.sizes, args.threads});
    function.call("scan", scanned);
  }

  static void callAssemble(PhaseFunctions &function) {
    const PhaseArguments &args = function.args;
    Values arguments = function.operands;
    arguments.append({args.bounds, args.counts});
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
