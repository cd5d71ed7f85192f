//===- PartSumsCollector.cpp - Sums of each part, sorted at the end -------===//
//
// A part adds up, in its workspace, the values that it appends at the same
// coordinate of one level. When the loops outside of that level move on, the
// sums become entries, whose last coordinate is the number of the part. After
// sorting, the sums of different parts for the same coordinates lie side by
// side.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"
#include "PhaseFunctions.h"

using namespace mlir;
using namespace nacho;

namespace {
class PartSumsCollector : public Collector {
public:
  /// The last level stores the number of the part.
  bool takes(const ResultLayout &layout, Value coordinate,
             unsigned level) const override {
    return coordinate.getDefiningOp<PartOp>() && level == partLevel(layout);
  }

  LogicalResult classifyLoops(ResultLayout &layout) const override {
    ArrayRef<CoiterateOp> appended = ArrayRef(layout.loopOfLevel).drop_back();
    layout.numOuter = 0;
    while (layout.numOuter < layout.loops.size() &&
           llvm::is_contained(appended, layout.loops[layout.numOuter]))
      ++layout.numOuter;
    ArrayRef<CoiterateOp> outer =
        ArrayRef(layout.loops).take_front(layout.numOuter);
    for (auto [level, loop] : llvm::enumerate(appended)) {
      if (llvm::is_contained(outer, loop))
        continue;
      if (layout.workspaceLevel)
        return refuseResult(layout, "a workspace holds one level");
      layout.workspaceLevel = level;
    }
    if (!layout.workspaceLevel)
      return refuseResult(layout, "nothing is scattered over its workspace");
    layout.workspaceHasKeys = true;
    if (layout.loopOfLevel.back())
      return refuseResult(layout,
                          "its last level is for the number of the part");
    return success();
  }

  Value levelExtent(const ResultPlaces &places, const ResultLayout &layout,
                    unsigned level, Value parts) const override {
    return level == partLevel(layout) ? parts : places.extent(level);
  }

  /// Sorts by all levels but the last: the entries of the parts are stored in
  /// the order of the parts, and the sort is stable.
  void finishEntries(PhaseFunctions &function) const override {
    emitSort(function, partLevel(function.layout));
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    return makeWorkspaceEntries(part, partLevel(part.layout));
  }

private:
  static unsigned partLevel(const ResultLayout &layout) {
    return layout.type.getRank() - 1;
  }
};
} // namespace

std::unique_ptr<Collector> nacho::makePartSumsCollector() {
  return std::make_unique<PartSumsCollector>();
}
