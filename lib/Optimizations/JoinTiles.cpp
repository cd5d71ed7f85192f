//===- JoinTiles.cpp - Tiles cut and counted by one block -----------------===//
//
// Consumes calls of functions that are assembled. Where one of them cuts tiles
// into parts, and the next one does something for each part, the workers of the
// second need only what their own tile has been cut into. So a block can do
// both, and has to copy windows to the memory that its threads share only once.
//
//===----------------------------------------------------------------------===//

#include "RowsOfParts.h"
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
// Calls of workers
//===----------------------------------------------------------------------===//

namespace {
/// A call of a function that has workers and, besides them, only what takes no
/// memory.
struct WorkersCall {
  func::CallOp call;
  func::FuncOp callee;
  ParallelOp workers;

  explicit operator bool() const { return workers; }

  /// The caller's value for one of the callee; null if the callee makes it.
  Value given(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isOfCallee = argument && argument.getOwner()->getParentOp() == callee;
    return isOfCallee ? call.getOperand(argument.getArgNumber()) : Value();
  }
};
} // namespace

static WorkersCall findWorkers(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      call.getNumResults() != 0)
    return {};
  ParallelOp found;
  for (Operation &op : callee.getBody().front().without_terminator()) {
    auto workers = dyn_cast<ParallelOp>(op);
    if (workers ? bool(found) : !isMemoryEffectFree(&op))
      return {};
    if (workers)
      found = workers;
  }
  return {call, callee, found};
}

/// Whether two callees compute the same number from what they are given.
static bool areSame(WorkersCall &first, Value one, WorkersCall &second,
                    Value other) {
  if (Value given = first.given(one))
    return given == second.given(other);
  Operation *op = one.getDefiningOp(), *like = other.getDefiningOp();
  if (!op || !like || !isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      op->getName() != like->getName() ||
      op->getNumOperands() != like->getNumOperands() ||
      op->getAttrDictionary() != like->getAttrDictionary() ||
      cast<OpResult>(one).getResultNumber() !=
          cast<OpResult>(other).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip(op->getOperands(), like->getOperands()),
                      [&](auto both) {
                        auto [a, b] = both;
                        return areSame(first, a, second, b);
                      });
}

//===----------------------------------------------------------------------===//
// Accesses of workers
//===----------------------------------------------------------------------===//

/// The array that an operation stores to; null if it stores nothing.
static Value arrayStoredTo(Operation *op) {
  if (auto store = dyn_cast<StoreCutOp>(op))
    return store.getBounds();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
    return update.getMemref();
  return {};
}

/// Whether an operation may write to memory in a way that is not known here.
static bool isUnknown(Operation *op) {
  if (arrayStoredTo(op) || isa<TileCutsOp, TileSyncOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  return !isa<MemoryEffectOpInterface>(op) ||
         hasEffect<MemoryEffects::Write>(op);
}

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

/// Copies what a callee has besides its workers.
static IRMapping copyAround(OpBuilder &b, WorkersCall &by) {
  IRMapping mapping;
  mapping.map(by.callee.getArguments(), by.call.getOperands());
  for (Operation &op : by.callee.getBody().front().without_terminator())
    if (&op != by.workers)
      b.clone(op, mapping);
  return mapping;
}

/// Loads the cuts of a tile from where its parts have them.
static void loadFromTile(Operation *copy, TileCutsOp cuts, TileOp tile) {
  copy->walk([&](LoadCutOp load) {
    if (load.getBounds() != cuts.getBounds())
      return;
    OpBuilder b(load);
    Value row =
        arith::SubIOp::create(b, load.getLoc(), load.getRow(), tile.getBegin());
    load.getBoundsMutable().assign(cuts.getCuts());
    load.getRowMutable().assign(row);
  });
}

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

/// The call that comes next in a block, if what lies between takes no memory.
static func::CallOp callAfter(func::CallOp call) {
  for (Operation *op = call->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<func::CallOp>(op))
      return next;
    if (!isMemoryEffectFree(op))
      break;
  }
  return {};
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
    for (func::FuncOp callee : callees)
      if (callee.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(callee, getOperation()))
        callee.erase();
  }
};
} // namespace
