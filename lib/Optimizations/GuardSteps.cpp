//===- GuardSteps.cpp - Guards of coordinates beyond their extent ---------===//
//
// Consumes and leaves loops of scf. A loop reports that a coordinate was not
// below its extent, and keeps its accesses in range by clipping what it indexes
// with. Both become one branch around the step:
//
//   for p:  k = crd[p]; at = min(k, last); use at; outside |= k >= extent
//
//   for p:  k = crd[p]
//           if k < min(extent, last + 1):  use k
//           else:                          outside = true
//
//===----------------------------------------------------------------------===//

#include "BranchOnLookups.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

namespace {
/// A loop that carries whether a coordinate was outside of its extent, and that
/// clips the coordinate.
class GuardedLoop {
public:
  explicit GuardedLoop(scf::ForOp loop) : loop(loop), body(loop.getBody()) {}

  /// Whether the loop has such a coordinate, and many steps do nothing else.
  bool match();
  void guard();

private:
  bool isOftenIdle();
  bool findReport();
  bool findCoordinate();
  SmallVector<arith::MinUIOp> clips();
  Value emitBound(ImplicitLocOpBuilder &b);

  scf::ForOp loop;
  Block *body;
  unsigned number = 0;         ///< The number of the carried report.
  Operation *report = nullptr; ///< The report, with this step's.
  arith::CmpIOp isOutside;     ///< This step's.
  /// The operations that compute the coordinate.
  llvm::SetVector<Operation *> slice;
};
} // namespace

bool GuardedLoop::findReport() {
  auto args = loop.getRegionIterArgs();
  for (auto [i, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    auto either = yielded.getDefiningOp<arith::OrIOp>();
    if (!either || either->getBlock() != body || !either->hasOneUse() ||
        !args[i].hasOneUse())
      continue;
    for (auto [before, now] : {std::pair(either.getLhs(), either.getRhs()),
                               std::pair(either.getRhs(), either.getLhs())}) {
      isOutside = now.getDefiningOp<arith::CmpIOp>();
      if (before == args[i] && isOutside && isOutside->hasOneUse() &&
          isOutside.getPredicate() == arith::CmpIPredicate::uge &&
          loop.isDefinedOutsideOfLoop(isOutside.getRhs())) {
        number = i;
        report = either;
        return true;
      }
    }
  }
  return false;
}

/// Finds what computes the coordinate. That comes first in each step.
bool GuardedLoop::findCoordinate() {
  SmallVector<Value> needed = {isOutside.getLhs()};
  while (!needed.empty()) {
    Operation *op = needed.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != body)
      continue;
    if (op->getNumRegions())
      return false;
    if (slice.insert(op))
      llvm::append_range(needed, op->getOperands());
  }
  unsigned found = 0;
  for (Operation &op : *body) {
    if (found == slice.size())
      return true;
    if (slice.contains(&op))
      ++found;
    else if (!isPure(&op))
      return false;
  }
  return false;
}

/// Whether the only branches of a step are those that do nothing if they are
/// not taken. One more branch does not pay where the step always has work.
bool GuardedLoop::isOftenIdle() {
  auto branches = body->getOps<scf::IfOp>();
  bool hasLoop =
      body->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return !hasLoop && !branches.empty() &&
         llvm::all_of(branches, [](scf::IfOp branch) {
           return !branch.elseBlock() ||
                  &branch.elseBlock()->front() == branch.elseYield();
         });
}

bool GuardedLoop::match() {
  return isOftenIdle() && findReport() && findCoordinate() && !clips().empty();
}

/// The ops that clip the coordinate to a number that is the same in all steps.
SmallVector<arith::MinUIOp> GuardedLoop::clips() {
  SmallVector<arith::MinUIOp> found;
  for (Operation *user : isOutside.getLhs().getUsers())
    if (auto least = dyn_cast<arith::MinUIOp>(user);
        least && least.getLhs() == isOutside.getLhs() &&
        loop.isDefinedOutsideOfLoop(least.getRhs()))
      found.push_back(least);
  return found;
}

/// The number below which a coordinate is inside, and not clipped either.
Value GuardedLoop::emitBound(ImplicitLocOpBuilder &b) {
  Value bound = isOutside.getRhs();
  Number one(b, 1);
  for (arith::MinUIOp clip : clips()) {
    Value end = Number(b, clip.getRhs()) + one;
    bound = min(Number(b, bound), end);
  }
  return bound;
}

void GuardedLoop::guard() {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value bound = emitBound(b);
  Value coordinate = isOutside.getLhs();
  for (arith::MinUIOp clip : clips()) {
    clip.replaceAllUsesWith(coordinate);
    clip.erase();
  }
  Operation *terminator = body->getTerminator();
  SmallVector<Value> inside(terminator->getOperands());
  SmallVector<Value> outside(loop.getRegionIterArgs());
  inside[number] = loop.getRegionIterArgs()[number];
  b.setInsertionPoint(terminator);
  Value isInside = Number(b, coordinate) < bound;
  auto branch = scf::IfOp::create(b, ValueRange(inside).getTypes(), isInside,
                                  /*withElseRegion=*/true);
  SmallVector<Operation *> steps;
  for (Operation &op : *body)
    if (!slice.contains(&op) &&
        !llvm::is_contained({report, isOutside.getOperation(),
                             isInside.getDefiningOp(), branch.getOperation(),
                             terminator},
                            &op))
      steps.push_back(&op);
  Block *taken = branch.thenBlock();
  for (Operation *op : steps)
    op->moveBefore(taken, taken->end());
  b.setInsertionPointToEnd(taken);
  scf::YieldOp::create(b, inside);
  b.setInsertionPointToStart(branch.elseBlock());
  outside[number] = Number::flag(b, true);
  scf::YieldOp::create(b, outside);
  terminator->setOperands(branch.getResults());
  report->erase();
  isOutside.erase();
}

void nacho::guardSteps(func::FuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp op : loops) {
    GuardedLoop loop(op);
    if (loop.match())
      loop.guard();
  }
}
