//===- FindCoordinates.cpp - Lookups in tables of fibers ------------------===//
//
// A fiber of an innermost loop may be the same in every iteration of the loop
// around it, and would be stepped through each time. If the other fibers decide
// which coordinates to visit, this pass takes such a fiber out of the loop and
// looks up its children by their coordinates:
//
//   for j in A[i] n B:                      for j in A[i] n B:
//     for k in M[i] n B[j]: append ...  ->    for k in B[j]:
//                                               m = M[i] at k
//                                               append ... if m is present
//
//===----------------------------------------------------------------------===//

#include "RepeatedFibers.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Collect.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFINDCOORDINATES
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether a table can have the children of a fiber: the fiber has each
/// coordinate at most once.
static bool canBeTabled(Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  return !sharesPositions(type.getTensor(), type.getLevel()) &&
         isUniqueLevel(type.getTensor(), type.getLevel()) &&
         (type.getLevel() == 0 ||
          isUniqueLevel(type.getTensor(), type.getLevel() - 1));
}

static Value lookUp(ImplicitLocOpBuilder &b, Type child, Value coordinate,
                    Value fiber) {
  return FindOp::create(b, child, coordinate, fiber, /*table=*/Value(),
                        /*ofRow=*/false);
}

/// Whether a fiber is the same for all that is appended to a row: only loops
/// over coordinates of the row's place lead to it.
static bool belongsToRow(Value fiber, ValueRange place) {
  while (auto child = dyn_cast<BlockArgument>(fiber)) {
    auto loop = dyn_cast<CoiterateOp>(child.getOwner()->getParentOp());
    if (!loop || !llvm::is_contained(place, loop.getCoordinate()))
      return false;
    fiber = loop.getFibers()[llvm::find(loop.getChildren(), child) -
                             loop.getChildren().begin()];
  }
  return isa_and_nonnull<RootOp>(fiber.getDefiningOp());
}

/// Whether whatever is appended has the coordinate of a lookup in its last
/// level, and a row's lookups are all in one fiber of a tensor's inner level.
static bool isOfRow(NestOp nest, FindOp find) {
  auto isElsewhere = [&](AppendOp append) {
    OperandRange at = append.getCoordinates();
    bool isInRow = !at.empty() && at.back() == find.getCoordinate() &&
                   belongsToRow(find.getFiber(), at.drop_back());
    return isInRow ? WalkResult::advance() : WalkResult::interrupt();
  };
  return isa<BlockArgument>(find.getFiber()) &&
         !nest.walk(isElsewhere).wasInterrupted();
}

namespace {
struct FindCoordinates
    : nacho::impl::NachoFindCoordinatesBase<FindCoordinates> {
  using NachoFindCoordinatesBase::NachoFindCoordinatesBase;

  void runOnOperation() override {
    SmallVector<NestOp> nests;
    getOperation()->walk([&](NestOp nest) {
      if (!nest.getCuts())
        nests.push_back(nest);
    });
    for (NestOp nest : nests) {
      CoiterateOp loop = nest.getLoops().back();
      bool isLast = loop.getBody().getOps<CoiterateOp>().empty();
      llvm::SmallBitVector repeated = repeatedFibers(loop, canBeTabled);
      const CollectTraits &traits = collectTraitsOf(nest);
      bool isSought = traits.leavesRowsWhole ? seekInLanes : seekShared;
      if (isLast && repeated.any())
        takeOut(loop, repeated, isSought ? seek : lookUp);
      nest.walk([&](FindOp find) { find.setOfRow(isOfRow(nest, find)); });
    }
  }
};
} // namespace
