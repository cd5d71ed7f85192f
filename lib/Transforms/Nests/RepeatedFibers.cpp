//===- RepeatedFibers.cpp - Fibers merged more than once ------------------===//

#include "RepeatedFibers.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"

using namespace mlir;
using namespace nacho;

Value nacho::seek(ImplicitLocOpBuilder &b, Type child, Value coordinate,
                  Value fiber) {
  return SeekOp::create(b, child, coordinate, fiber);
}

void nacho::takeOut(CoiterateOp loop, const llvm::SmallBitVector &repeated,
                    LocateChild locate) {
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
  auto made =
      CoiterateOp::create(b, stepping, loop.getGuards(), loop.getExtent(), rest,
                          loop.getIndexNameAttr());
  made->setLoc(loop.getLoc());
  SmallVector<int32_t> nonempty;
  for (int32_t n : loop.getNonempty())
    if (!repeated.test(n))
      nonempty.push_back(numbers[n]);
  made.setNonempty(nonempty);
  b.setInsertionPointToStart(made.getBodyBlock());
  loop.getCoordinate().replaceAllUsesWith(made.getCoordinate());
  SmallVector<Value> fibers;
  for (auto [n, child] : llvm::enumerate(loop.getChildren())) {
    Value now;
    if (repeated.test(n)) {
      NameScope name(b, getName(child));
      now =
          locate(b, child.getType(), made.getCoordinate(), loop.getFibers()[n]);
    } else {
      now = made.getChildren()[numbers[n]];
      now.setLoc(child.getLoc());
    }
    child.replaceAllUsesWith(now);
    fibers.push_back(now);
  }
  llvm::append_range(fibers, loop.getGuards());
  // Fibers that are certainly present in the new loop need no flag.
  SmallVector<Condition> flags(fibers.size(), kAlways);
  for (auto [n, fiber] : llvm::enumerate(fibers))
    if (isFound(n) || !holdsOnlyWith(rest, numberOf(n)))
      flags[n] = PresentOp::create(b, b.getI1Type(), fiber);
  Condition holds = emitMerge(b, merge, flags);
  Block *body = loop.getBodyBlock();
  made.getBodyBlock()->getOperations().splice(made.getBodyBlock()->end(),
                                              body->getOperations());
  loop.erase();
  // The merge expression may hold wherever the new loop runs its body.
  if (holds.isAlways())
    return;
  for (auto append : made.getBody().getOps<AppendOp>()) {
    ImplicitLocOpBuilder before(append.getLoc(), append);
    Condition own = fromOperand(append.getCondition());
    append.getConditionMutable().assign(emitBoth(before, own, holds).flag());
  }
}
