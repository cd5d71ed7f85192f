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

/// Whether whatever is appended has the coordinate of a lookup in its last
/// level, and the fiber is made by a loop over coordinates of the other levels.
static bool isOfRow(NestOp nest, FindOp find) {
  auto fiber = dyn_cast<BlockArgument>(find.getFiber());
  auto outer = fiber ? dyn_cast<CoiterateOp>(fiber.getOwner()->getParentOp())
                     : CoiterateOp();
  auto isInRow = [&](AppendOp append) {
    OperandRange at = append.getCoordinates();
    return !at.empty() && at.back() == find.getCoordinate() &&
           llvm::is_contained(at.drop_back(), outer.getCoordinate());
  };
  return outer && !nest.walk([&](AppendOp append) {
                         return isInRow(append) ? WalkResult::advance()
                                                : WalkResult::interrupt();
                       })
                       .wasInterrupted();
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
