//===- WindowAccesses.cpp - Accesses to windows in place of arrays --------===//
//
// A choice between a window and its array is made once for all that depends on
// it: all elements of a vector, and all steps of a loop over neighbours.
//
//===----------------------------------------------------------------------===//

#include "WindowAccesses.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace nacho;

std::optional<ArrayAccesses> nacho::findAccesses(ParallelOp workers,
                                                 Value array) {
  bool hasRows = cast<MemRefType>(array.getType()).getRank() > 1;
  ArrayAccesses found;
  for (OpOperand &use : array.getUses()) {
    Operation *user = use.getOwner();
    if (!workers->isProperAncestor(user) ||
        isa<memref::DimOp, StageInOp, StageOutOp>(user))
      continue;
    bool isVector = isa<vector::LoadOp, vector::StoreOp>(user);
    if (isVector && hasRows)
      return std::nullopt;
    if (isa<memref::LoadOp, vector::LoadOp>(user))
      found.loads.push_back(&use);
    else if (isa<memref::StoreOp, vector::StoreOp>(user))
      found.stores.push_back(&use);
    else
      return std::nullopt;
  }
  return found;
}

int64_t nacho::rowsOf(Operation *access) {
  if (auto load = dyn_cast<vector::LoadOp>(access))
    return load.getVectorType().getNumElements();
  if (auto store = dyn_cast<vector::StoreOp>(access))
    return store.getVectorType().getNumElements();
  return 1;
}

namespace {
/// An access to an array that has a window.
struct Access {
  OpOperand *memory;
  Value shared;

  Operation *op() const { return memory->getOwner(); }
  Value row() const { return op()->getOperand(memory->getOperandNumber() + 1); }

  /// Lets a copy of the operation access the window.
  void redirect(Operation *copy, Value at) const {
    copy->setOperand(memory->getOperandNumber(), shared);
    copy->setOperand(memory->getOperandNumber() + 1, at);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// One access
//===----------------------------------------------------------------------===//

/// Returns whether all rows from `at` on that an access needs are inside:
///
///   at < size - (rows - 1), where size < rows is as if it were 0
static Number isInside(ImplicitLocOpBuilder &b, Value at, Value size,
                       int64_t rows) {
  if (rows == 1)
    return Number(b, at) < size;
  Number ends = max(Number(b, size), rows - 1);
  Value starts = ends - (rows - 1);
  return Number(b, at) < starts;
}

/// at = row - from
/// if isInside(at): access window[at]; else: access array[row]
static void choose(const TileWindow &window, const Access &access) {
  Operation *op = access.op();
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Number at = Number(b, access.row()) - window.from;
  Value inside = isInside(b, at, window.size, rowsOf(op));
  auto either =
      scf::IfOp::create(b, op->getResultTypes(), inside, /*withElse=*/true);
  op->replaceAllUsesWith(either.getResults());
  OpBuilder near = either.getThenBodyBuilder();
  Operation *copy = near.clone(*op);
  access.redirect(copy, at);
  Block *otherwise = either.elseBlock();
  op->moveBefore(otherwise, otherwise->begin());
  if (op->getNumResults() == 0)
    return;
  scf::YieldOp::create(near, op->getLoc(), copy->getResults());
  OpBuilder far = either.getElseBodyBuilder();
  scf::YieldOp::create(far, op->getLoc(), op->getResults());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns the innermost loop of which an access has the step as its row; null
/// if there is none.
static scf::ForOp loopOf(const Access &access) {
  auto step = dyn_cast<BlockArgument>(access.row());
  auto loop = step ? dyn_cast<scf::ForOp>(step.getOwner()->getParentOp())
                   : scf::ForOp();
  if (!loop || step != loop.getInductionVar() || loop.getUnsignedCmp())
    return {};
  WalkResult inner = loop.getBody()->walk(
      [](LoopLikeOpInterface) { return WalkResult::interrupt(); });
  return inner.wasInterrupted() ? scf::ForOp() : loop;
}

/// Before:
///
///   for row in lower .. upper step s: access array[row]
///
/// After, if an access needs up to n rows:
///
///   first = lower - from
///   last = upper - from
///   if first <= last + (n - 1) <= size:
///     for at in first .. last step s: access window[at]
///   else:
///     for row in lower .. upper step s: access array[row]
///
/// Steps are signed: there is none if `last` is negative.
static void chooseForLoop(const TileWindow &window, scf::ForOp loop,
                          ArrayRef<Access> accesses) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  int64_t rows = 1;
  for (const Access &access : accesses)
    rows = std::max(rows, rowsOf(access.op()));
  Number first = Number(b, loop.getLowerBound()) - window.from;
  Number last = Number(b, loop.getUpperBound()) - window.from;
  Number end = rows == 1 ? last : last + (rows - 1);
  Value inOrder = first <= end;
  Number inside = end <= window.size;
  auto either = scf::IfOp::create(b, loop.getResultTypes(), inside & inOrder,
                                  /*withElse=*/true);
  loop->replaceAllUsesWith(either.getResults());
  OpBuilder then = either.getThenBodyBuilder();
  IRMapping mapping;
  auto near = cast<scf::ForOp>(then.clone(*loop, mapping));
  near.setLowerBound(first);
  near.setUpperBound(last);
  auto start =
      ImplicitLocOpBuilder::atBlockBegin(loop.getLoc(), near.getBody());
  Value at = near.getInductionVar(), row = Number(start, at) + window.from;
  at.replaceAllUsesExcept(row, row.getDefiningOp());
  for (const Access &access : accesses)
    access.redirect(mapping.lookup(access.op()), at);
  Block *otherwise = either.elseBlock();
  loop->moveBefore(otherwise, otherwise->begin());
  if (loop.getNumResults() == 0)
    return;
  scf::YieldOp::create(then, loop.getLoc(), near.getResults());
  OpBuilder far = either.getElseBodyBuilder();
  scf::YieldOp::create(far, loop.getLoc(), loop.getResults());
}

void nacho::accessWindow(const TileWindow &window, ParallelOp workers,
                         bool stores) {
  llvm::MapVector<Operation *, SmallVector<Access>> ofLoops;
  SmallVector<Access> alone;
  for (const TileWindow::Copy &copy : window.copies) {
    ArrayAccesses found = *findAccesses(workers, copy.array);
    for (OpOperand *memory : stores ? found.stores : found.loads) {
      Access access{memory, copy.shared};
      scf::ForOp loop = loopOf(access);
      (loop ? ofLoops[loop] : alone).push_back(access);
    }
  }
  for (const Access &access : alone)
    choose(window, access);
  for (const auto &[loop, accesses] : ofLoops)
    chooseForLoop(window, cast<scf::ForOp>(loop), accesses);
}
