//===- PieceListCollector.cpp - Costs that are sorted, then added up ------===//
//
// Entries are costs of pieces of rows. The loops come to the pieces of one
// entry of a row after the other; once they are sorted, the entries of each
// piece lie side by side, in the order of the row. Then the value of each entry
// becomes the sum of all values up to it.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"
#include "PhaseFunctions.h"

using namespace mlir;
using namespace nacho;

namespace {
class PieceListCollector : public Collector {
public:
  /// The levels after those of the loops may store any numbers.
  bool takes(const ResultLayout &, Value, unsigned) const override {
    return true;
  }

  /// The cost of the list that the loops visit says little about how many
  /// pieces there are: a draft would have room for many more.
  bool prefersDraft(const ResultLayout &) const override { return false; }

  LogicalResult classifyLoops(ResultLayout &layout) const override {
    layout.numOuter = layout.loops.size();
    return success();
  }

  void finishEntries(PhaseFunctions &function) const override {
    emitSort(function, numLevelsToSort(function.layout));
    PrefixSumOp::create(function.b, function.args.values,
                        function.args.threads);
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    if (part.isCounting())
      return std::make_unique<CountedEntries>(part);
    return std::make_unique<AppendedEntries>(part);
  }
};
} // namespace

std::unique_ptr<Collector> nacho::makePieceListCollector() {
  return std::make_unique<PieceListCollector>();
}
