//===- PrefetchRows.cpp - Prefetch rows of dense tensors ------------------===//
//
// Adds only prefetches: a loop over stored coordinates that selects a row of a
// dense tensor in each iteration prefetches the row of a later iteration.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOPREFETCHROWS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The number of iterations to prefetch ahead. Memory takes about 100 ns, in
/// which a loop does roughly this many iterations.
static constexpr int64_t kAhead = 16;

/// Whether a loop steps through the stored coordinates of a single operand.
static bool stepsThroughStored(CoiterateOp loop) {
  if (loop.getFibers().size() != 1 || !loop.getGuards().empty() ||
      visitsAll(loop))
    return false;
  auto type = cast<FiberType>(loop.getFibers().front().getType());
  return !isFullLevel(type.getTensor(), type.getLevel());
}

/// The coordinates, level by level, of the row of a dense tensor from which an
/// inner loop reads; none if this loop does not select the row.
static SmallVector<Value> rowOf(LocateOp locate, CoiterateOp loop) {
  auto type = cast<RankedTensorType>(locate.getTensor().getType());
  unsigned rank = type.getRank();
  if (!sparse_tensor::getSparseTensorEncoding(type) || rank < 2 ||
      locate->getParentOp() == loop)
    return {};
  SmallVector<Value> row;
  bool isSelected = false;
  for (unsigned level = 0; level < rank; ++level) {
    Value coordinate = locate.getCoordinates()[dimensionOf(type, level)];
    bool isLast = level + 1 == rank;
    if (loop.getBody().isAncestor(coordinate.getParentRegion()) &&
        coordinate != loop.getCoordinate()) {
      if (!isLast)
        return {};
    } else if (isLast) {
      return {};
    }
    isSelected |= coordinate == loop.getCoordinate();
    if (!isLast)
      row.push_back(coordinate);
  }
  return isSelected ? row : SmallVector<Value>();
}

namespace {
struct PrefetchRows : nacho::impl::NachoPrefetchRowsBase<PrefetchRows> {
  void runOnOperation() override {
    SmallVector<std::pair<CoiterateOp, LocateOp>> found;
    getOperation()->walk([&](CoiterateOp loop) {
      if (stepsThroughStored(loop))
        loop.walk([&](LocateOp locate) {
          if (!rowOf(locate, loop).empty())
            found.push_back({loop, locate});
        });
    });
    for (auto [loop, locate] : found) {
      ImplicitLocOpBuilder b(locate.getLoc(), loop.getBodyBlock(),
                             loop.getBodyBlock()->begin());
      Value later = AheadOp::create(b, loop.getChildren().front(), kAhead);
      SmallVector<Value> row = rowOf(locate, loop);
      llvm::replace(row, Value(loop.getCoordinate()), later);
      PrefetchRowOp::create(b, locate.getTensor(), row);
    }
  }
};
} // namespace
