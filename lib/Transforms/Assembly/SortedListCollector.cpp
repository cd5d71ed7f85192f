//===- SortedListCollector.cpp - Entries that are sorted at the end -------===//
//
// Entries are appended in any order, and are sorted once all parts have
// appended theirs. If the loops of the last levels run in the order of these
// levels, the entries are in their order already, and the sort need not compare
// them.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"

using namespace mlir;
using namespace nacho;

namespace {
class SortedListCollector : public Collector {
public:
  /// A list may have computed coordinates, for it need not be in order.
  bool takes(const ResultLayout &, Value coordinate, unsigned) const override {
    return static_cast<bool>(coordinate.getDefiningOp<DeriveOp>());
  }

  LogicalResult classifyLoops(ResultLayout &layout) const override {
    layout.numOuter = layout.loops.size();
    return success();
  }

  void finishEntries(PhaseFunctions &function) const override {
    emitSort(function, numLevelsToSort(function.layout));
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    if (part.isCounting())
      return std::make_unique<CountedEntries>(part);
    return std::make_unique<AppendedEntries>(part);
  }
};
} // namespace

std::unique_ptr<Collector> nacho::makeSortedListCollector() {
  return std::make_unique<SortedListCollector>();
}
