//===- InOrderCollector.cpp - Entries in the order of the result's levels -===//
//
// The outer loops run over the coordinates of the structure's levels, in the
// order of the levels. The values that the loops inside of them append at the
// same coordinates are reduced. Loops over coordinates of the block may be
// outer loops or inside of them.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"

using namespace mlir;
using namespace nacho;

namespace {
class InOrderCollector : public Collector {
public:
  LogicalResult classifyLoops(ResultLayout &layout) const override {
    layout.numOuter = 0;
    while (
        layout.numOuter < layout.loops.size() &&
        llvm::is_contained(layout.loopOfLevel, layout.loops[layout.numOuter]))
      ++layout.numOuter;
    bool isReduced = static_cast<bool>(NestOp(layout.nest).getReduce());
    if (!isReduced && layout.numOuter != layout.loops.size())
      return refuseResult(layout,
                          "a loop over other coordinates needs a reduction");
    ArrayRef<CoiterateOp> outer =
        ArrayRef(layout.loops).take_front(layout.numOuter);
    for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
      if (!loop)
        return refuseResult(layout, "nothing is appended");
      bool isOuter = llvm::is_contained(outer, loop);
      bool isItsTurn = level < layout.loops.size() &&
                       CoiterateOp(layout.loops[level]) == loop;
      bool isInOrder = isOuter && (layout.appendsKeys() || isItsTurn);
      if (level < layout.numStructural && !isInOrder)
        return refuseResult(layout,
                            "its levels are not in the order of the loops");
      if (!isOuter)
        layout.innerLevels.push_back(level);
    }
    if (isReduced)
      layout.reduction.emplace(layout.nest, reducedLoops(layout));
    return success();
  }

  /// The draft of a union is nearly all of its result: it is moved in pieces.
  Drafts draftsOf(const ResultLayout &layout) const override {
    if (layout.reduction)
      return Drafts::none;
    CoiterateOp loop = layout.loops.back();
    size_t merged = loop.getFibers().size();
    if (loop.getMerge().getKind() == MergeKind::intersect && merged > 1)
      return Collector::draftsOf(layout);
    if (loop.getMerge().getKind() == MergeKind::unite && merged > 1 &&
        Collector::draftsOf(layout) != Drafts::none)
      return Drafts::unions;
    return Drafts::none;
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    const ResultLayout &layout = part.layout;
    if (part.isCounting())
      return std::make_unique<CountedEntries>(part);
    if (!layout.reduction && layout.makesEntries())
      return std::make_unique<AppendedEntries>(part);
    if (!layout.reduction)
      return std::make_unique<BlockEntries>(part);
    return layout.innerLevels.empty() ? makeRegisterSums(part)
                                      : makeRowSums(part);
  }

private:
  /// The loops of the chain over indices that the result lacks.
  static SmallVector<CoiterateOp> reducedLoops(const ResultLayout &layout) {
    SmallVector<CoiterateOp> loops;
    for (CoiterateOp loop : ArrayRef(layout.loops).drop_front(layout.numOuter))
      if (!llvm::is_contained(layout.loopOfLevel, loop))
        loops.push_back(loop);
    return loops;
  }
};
} // namespace

std::unique_ptr<Collector> nacho::makeInOrderCollector() {
  return std::make_unique<InOrderCollector>();
}
