//===- WholeRowsCollector.cpp - Rows that one part owns -------------------===//
//
// A part adds up, in its workspace, the values that it appends to one row, or
// to one piece of a row. When the outer loops move on, it appends the row in
// order. Every part owns whole rows of the result, or whole pieces: these are
// not cut. Every coordinate of a row has a place of its own in the workspace.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"

using namespace mlir;
using namespace nacho;

namespace {
class WholeRowsCollector : public Collector {
public:
  LogicalResult classifyLoops(ResultLayout &layout) const override {
    unsigned last = layout.loopOfLevel.size() - 1;
    layout.numOuter = NestOp(layout.nest).getMaxCutLoops();
    layout.workspaceLevel = last;
    unsigned numRows = layout.numOuter - NestOp(layout.nest).getRowPieces();
    bool isInOrder = ArrayRef(layout.loops).take_front(numRows) ==
                     ArrayRef(layout.loopOfLevel).drop_back();
    if (layout.numStructural != last + 1 || !isInOrder)
      return refuseResult(layout,
                          "a workspace can only collect its last level");
    return success();
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    return makeWorkspaceEntries(part, std::nullopt);
  }
};
} // namespace

std::unique_ptr<Collector> nacho::makeWholeRowsCollector() {
  return std::make_unique<WholeRowsCollector>();
}
