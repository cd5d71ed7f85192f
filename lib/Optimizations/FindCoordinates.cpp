//===- FindCoordinates.cpp - Fibers that are merged again and again -------===//
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

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

#include "llvm/ADT/SmallBitVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFINDCOORDINATES
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static bool isStored(Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  return !isFullLevel(type.getTensor(), type.getLevel());
}

/// Whether a fiber of a loop is the same in every iteration of the loop around
/// it, and has each coordinate at most once.
static bool isRepeated(Value fiber, CoiterateOp loop) {
  auto outer = loop->getParentOfType<CoiterateOp>();
  auto type = cast<FiberType>(fiber.getType());
  return outer && isStored(fiber) &&
         !sharesPositions(type.getTensor(), type.getLevel()) &&
         isUniqueLevel(type.getTensor(), type.getLevel()) &&
         (type.getLevel() == 0 ||
          isUniqueLevel(type.getTensor(), type.getLevel() - 1)) &&
         !outer->isAncestor(fiber.getParentBlock()->getParentOp());
}

/// The fibers of a loop that can be looked up instead of stepped through; none
/// if the loop without them would visit coordinates that no fiber has.
static llvm::SmallBitVector repeatedFibers(CoiterateOp loop) {
  ValueRange fibers = loop.getFibers();
  llvm::SmallBitVector repeated(fibers.size());
  for (auto [n, fiber] : llvm::enumerate(fibers))
    if (isRepeated(fiber, loop))
      repeated.set(n);
  auto isFree = [&](unsigned n) {
    return n >= fibers.size() || repeated.test(n) || !isStored(fibers[n]);
  };
  if (isAlways(iterationDomain(loop.getMerge(), isFree)))
    repeated.reset();
  return repeated;
}

/// Replaces a loop by one without the repeated fibers.
static void findRepeated(CoiterateOp loop,
                         const llvm::SmallBitVector &repeated) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  MergeAttr merge = loop.getMerge();
  SmallVector<Value> stepping;
  SmallVector<unsigned> numbers(loop.getFibers().size());
  for (auto [n, fiber] : llvm::enumerate(loop.getFibers())) {
    numbers[n] = stepping.size();
    if (!repeated.test(n))
      stepping.push_back(fiber);
  }
  auto isFound = [&](unsigned n) {
    return n < numbers.size() && repeated.test(n);
  };
  auto numberOf = [&](unsigned n) -> unsigned {
    return n < numbers.size() ? numbers[n] : n - repeated.count();
  };
  MergeAttr rest = mapLeaves(iterationDomain(merge, isFound), numberOf);
  auto made = CoiterateOp::create(b, stepping, loop.getGuards(),
                                  loop.getExtent(), rest);
  made->setLoc(loop.getLoc());
  b.setInsertionPointToStart(made.getBodyBlock());
  made.getCoordinate().setLoc(loop.getCoordinate().getLoc());
  loop.getCoordinate().replaceAllUsesWith(made.getCoordinate());
  SmallVector<Value> present;
  for (auto [n, child] : llvm::enumerate(loop.getChildren())) {
    Value now;
    if (repeated.test(n)) {
      NameScope name(b, getName(child));
      now = FindOp::create(b, child.getType(), made.getCoordinate(),
                           loop.getFibers()[n], Value());
    } else {
      now = made.getChildren()[numbers[n]];
      now.setLoc(child.getLoc());
    }
    child.replaceAllUsesWith(now);
    present.push_back(now);
  }
  llvm::append_range(present, loop.getGuards());
  // Fibers that are certainly present in the new loop need no flag.
  for (auto [n, fiber] : llvm::enumerate(present)) {
    bool isKnown = !isFound(n) && holdsOnlyWith(rest, numberOf(n));
    fiber =
        isKnown ? Value() : Value(PresentOp::create(b, b.getI1Type(), fiber));
  }
  Value holds = emitMerge(b, b.getLoc(), merge, present);
  Block *body = loop.getBodyBlock();
  made.getBodyBlock()->getOperations().splice(made.getBodyBlock()->end(),
                                              body->getOperations());
  loop.erase();
  // Null means that the merge expression holds wherever the new loop runs its
  // body.
  if (!holds)
    return;
  for (auto append : made.getBody().getOps<AppendOp>()) {
    OpBuilder before(append);
    append.getConditionMutable().assign(
        emitAnd(before, append.getLoc(), append.getCondition(), holds));
  }
}

namespace {
struct FindCoordinates
    : nacho::impl::NachoFindCoordinatesBase<FindCoordinates> {
  void runOnOperation() override {
    SmallVector<CoiterateOp> innermost;
    getOperation()->walk([&](NestOp nest) {
      if (!nest.getCuts())
        innermost.push_back(nest.getLoops().back());
    });
    for (CoiterateOp loop : innermost) {
      bool isLast = loop.getBody().getOps<CoiterateOp>().empty();
      llvm::SmallBitVector repeated = repeatedFibers(loop);
      if (isLast && repeated.any())
        findRepeated(loop, repeated);
    }
  }
};
} // namespace
