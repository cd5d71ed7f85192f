//===- PrefetchRows.cpp - Ask for rows of dense tensors in time -----------===//
//
// Consumes nests and leaves them as they are, but for hints: a loop over stored
// coordinates that selects a row of a dense tensor in each iteration asks for
// that of a later iteration.
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

/// Iterations until a row is there, about: memory takes 100 ns.
static constexpr int64_t kAhead = 16;

/// Whether the loop steps through coordinates as they are stored.
static bool stepsThroughStored(CoiterateOp loop) {
  if (loop.getFibers().size() != 1 || !loop.getGuards().empty() ||
      visitsAll(loop))
    return false;
  auto type = cast<FiberType>(loop.getFibers().front().getType());
  return !isFullLevel(type.getTensor(), type.getLevel());
}

/// The coordinates, level by level, of the row in which an element is that an
/// inner loop locates; none if that is not selected by this loop.
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
      PrefetchRowOp::create(b, locate.getTensor(), row, /*from=*/Value());
    }
  }
};
} // namespace
