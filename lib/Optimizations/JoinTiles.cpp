//===- JoinTiles.cpp - Tiles cut and counted by one block -----------------===//
//
// Consumes calls of functions that are assembled. Where one of them cuts tiles
// into parts, and the next one does something for each part, the workers of the
// second need only what their own tile has been cut into. So a block can do
// both, and has to copy windows to the memory that its threads share only once.
//
//===----------------------------------------------------------------------===//

#include "RowsOfParts.h"
#include "TileCalls.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOJOINTILES
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Accesses of workers
//===----------------------------------------------------------------------===//

namespace {
/// The arrays of the caller that workers write to, besides the cuts of their
/// tile: those whose elements they store, and those which they only update.
struct Written {
  SmallVector<Value> stored, updated;

  bool has(Value array) const {
    return llvm::is_contained(stored, array) || isUpdated(array);
  }
  bool isUpdated(Value array) const {
    return llvm::is_contained(updated, array);
  }
};
} // namespace

/// Returns what workers write to, or nothing if others might notice when.
static std::optional<Written> findWritten(WorkersCall &by, TileCutsOp cuts) {
  Written written;
  WalkResult others = by.workers.getBody().walk([&](Operation *op) {
    if (isUnknown(op))
      return WalkResult::interrupt();
    Value stored = arrayStoredTo(op);
    if (!stored || stored == cuts.getCuts())
      return WalkResult::advance();
    Value array = by.given(stored);
    if (!array || array == by.given(cuts.getBounds()))
      return WalkResult::interrupt();
    (isa<memref::AtomicRMWOp>(op) ? written.updated : written.stored)
        .push_back(array);
    return WalkResult::advance();
  });
  if (others.wasInterrupted())
    return std::nullopt;
  return written;
}

/// Whether workers load from an array that is written to.
static bool readAny(WorkersCall &by, const Written &written) {
  WalkResult loads = by.workers.getBody().walk([&](Operation *op) {
    Value array;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      array = load.getMemRef();
    else if (auto load = dyn_cast<LoadCutOp>(op))
      array = load.getBounds();
    return array && written.has(by.given(array)) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
  });
  return loads.wasInterrupted();
}

/// Whether workers can go on where those before them have cut their tile: of
/// the cuts, they load those of their own part only, and they store to no array
/// that those before them have. Both may update the same one.
static bool canFollow(WorkersCall &second, WorkersCall &first, Value bounds,
                      const Written &written) {
  auto isShared = [&](Operation *op, Value array) {
    Value given = second.given(array);
    if (given && isa<memref::AtomicRMWOp>(op) && written.isUpdated(given))
      return false;
    return !given || llvm::is_contained(first.call.getOperands(), given);
  };
  WalkResult others = second.workers.getBody().walk([&](Operation *op) {
    Value stored = arrayStoredTo(op);
    if (isUnknown(op) || isa<TileOp>(op) || (stored && isShared(op, stored)))
      return WalkResult::interrupt();
    if (auto load = dyn_cast<LoadCutOp>(op))
      if (second.given(load.getBounds()) == bounds &&
          !isRowOf(second.workers, load.getRow(), 0) &&
          !isRowOf(second.workers, load.getRow(), 1))
        return WalkResult::interrupt();
    if (auto load = dyn_cast<memref::LoadOp>(op))
      if (second.given(load.getMemRef()) == bounds)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !others.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Replaces both calls by workers that do what both callees' workers do.
static void join(WorkersCall &first, WorkersCall &second) {
  OpBuilder b(second.call);
  IRMapping before = copyAround(b, first), after = copyAround(b, second);
  auto workers = cast<ParallelOp>(b.clone(*first.workers, before));
  TileOp tile = *workers.getBodyBlock()->getOps<TileOp>().begin();
  after.map(second.workers.getWorker(), workers.getWorker());
  b.setInsertionPoint(workers.getBodyBlock()->getTerminator());
  TileSyncOp::create(b, second.call.getLoc());
  for (Operation &op : second.workers.getBodyBlock()->without_terminator())
    loadFromTile(b.clone(op, after), cutsOfTile(workers), tile);
  first.call.erase();
  second.call.erase();
}

namespace {
struct JoinTiles : nacho::impl::NachoJoinTilesBase<JoinTiles> {
  bool tryJoin(func::CallOp call) {
    func::CallOp next = callAfter(call);
    WorkersCall first = findWorkers(call);
    WorkersCall second = next && first ? findWorkers(next) : WorkersCall();
    if (!second)
      return false;
    TileCutsOp cuts = cutsOfTile(first.workers);
    if (!cuts || !areSame(first, first.workers.getWorkers(), second,
                          second.workers.getWorkers()))
      return false;
    auto written = findWritten(first, cuts);
    if (!written || readAny(first, *written) || readAny(second, *written) ||
        !canFollow(second, first, first.given(cuts.getBounds()), *written))
      return false;
    join(first, second);
    return true;
  }

  void runOnOperation() override {
    SmallVector<func::CallOp> calls;
    llvm::SetVector<func::FuncOp> callees;
    getOperation().walk([&](func::CallOp call) {
      calls.push_back(call);
      if (WorkersCall by = findWorkers(call))
        callees.insert(by.callee);
    });
    DenseSet<Operation *> joined;
    for (func::CallOp call : calls) {
      if (joined.contains(call))
        continue;
      Operation *next = callAfter(call);
      if (next && tryJoin(call))
        joined.insert(next);
    }
    eraseUnused(callees, getOperation());
  }
};
} // namespace
