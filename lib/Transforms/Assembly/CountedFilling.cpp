//===- CountedFilling.cpp - Results whose entries are counted first -------===//
//
// Builds the function assemble, and the scan of its counts. A result without
// structure has nothing to count: every element has a known place in its block.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Filling.h"
#include "PartBuilder.h"

using namespace mlir;
using namespace nacho;

namespace {
class CountedFilling : public Filling {
public:
  bool isCounted() const override { return true; }

  Status statusWhenFull() const override { return kOperandsChanged; }

  Parameters planParameters(const ResultLayout &layout) const override {
    Parameters parameters = {Parameter::bounds};
    if (layout.hasCounts())
      parameters.append({Parameter::counts, Parameter::offsets});
    parameters.push_back(Parameter::sizes);
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

  /// parallel part in parts: counts[part] = what the part appends
  void buildAssemble(PhaseFunctions &function) const override {
    if (!function.layout.hasCounts())
      return;
    Parameters parameters = {Parameter::bounds, Parameter::counts};
    if (function.layout.workspaceLevel)
      parameters.push_back(Parameter::coordinateSet);
    parameters.push_back(Parameter::tables);
    if (function.layout.collector->hasBuckets())
      parameters.push_back(Parameter::buckets);
    parameters.push_back(Parameter::status);
    function.start("assemble", parameters, /*isExported=*/false);
    function.cloneOperands();
    Value parts = function.numParts();
    Value part = function.startWorkers(parts).getWorker();
    Values row = PartBuilder(function, part, parts, PartTask::count).count();
    function.storeRow(row, function.args.counts, part);
  }

  /// assemble; offsets = scan(counts)
  void planOffsets(PhaseFunctions &function, Value) const override {
    if (!function.layout.hasCounts())
      return;
    const PhaseArguments &args = function.args;
    Values arguments = function.operands;
    arguments.append({args.bounds, args.counts});
    if (args.keys)
      arguments.push_back(*args.keys);
    if (function.layout.workspaceLevel)
      arguments.push_back(args.marks);
    for (const PhaseArguments::Table &table : args.tables)
      arguments.append({table.keys, table.marks, table.positions});
    if (args.buckets)
      arguments.push_back(args.buckets);
    arguments.append({args.status, args.threads});
    function.call("assemble", arguments);
    emitScan(function, args.offsets);
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
