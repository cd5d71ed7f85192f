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
  if (arrayStoredTo(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  return !isa<MemoryEffectOpInterface>(op) ||
         hasEffect<MemoryEffects::Write>(op);
}

/// Whether an operation is run only by workers with which no tile begins.
static bool isInsideTile(Operation *op, ParallelOp workers, TileOp tile) {
  auto excludesFirst = [&](Value condition, auto &&self) -> bool {
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return self(both.getLhs(), self) || self(both.getRhs(), self);
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    return compare && compare.getPredicate() == arith::CmpIPredicate::ne &&
           compare.getLhs() == workers.getWorker() &&
           compare.getRhs() == tile.getBegin();
  };
  for (Operation *inner = op; inner != workers; inner = inner->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(inner->getParentOp());
    if (branch && inner->getBlock() == branch.thenBlock() &&
        excludesFirst(branch.getCondition(), excludesFirst))
      return true;
  }
  return false;
}

/// The arrays of the caller that workers store cuts to, each in the row of its
/// part, and not in that with which a tile begins: another tile ends there.
/// Nothing if the workers do anything else.
static std::optional<SmallVector<Value>> findCutArrays(WorkersCall &by,
                                                       TileOp tile) {
  SmallVector<Value> arrays;
  WalkResult others = by.workers.getBody().walk([&](Operation *op) {
    auto store = dyn_cast<StoreCutOp>(op);
    if (isUnknown(op) || bool(store) != bool(arrayStoredTo(op)))
      return WalkResult::interrupt();
    if (!store)
      return WalkResult::advance();
    Value array = by.given(store.getBounds());
    if (!array || store.getRow() != by.workers.getWorker() ||
        !isInsideTile(op, by.workers, tile))
      return WalkResult::interrupt();
    arrays.push_back(array);
    return WalkResult::advance();
  });
  if (others.wasInterrupted())
    return std::nullopt;
  return arrays;
}

/// Whether workers can go on where those before them have cut their tile: of
/// the cuts, they load those of their own part only, and they store to no array
/// that those before them have.
static bool canFollow(WorkersCall &second, WorkersCall &first,
                      ArrayRef<Value> cutArrays) {
  auto isCut = [&](Value array) {
    return llvm::is_contained(cutArrays, second.given(array));
  };
  auto isShared = [&](Value array) {
    Value given = second.given(array);
    return !given || llvm::is_contained(first.call.getOperands(), given);
  };
  WalkResult others = second.workers.getBody().walk([&](Operation *op) {
    Value stored = arrayStoredTo(op);
    if (isUnknown(op) || isa<TileOp>(op) || (stored && isShared(stored)))
      return WalkResult::interrupt();
    if (auto load = dyn_cast<LoadCutOp>(op))
      if (isCut(load.getBounds()) &&
          !isRowOf(second.workers, load.getRow(), 0) &&
          !isRowOf(second.workers, load.getRow(), 1))
        return WalkResult::interrupt();
    if (auto load = dyn_cast<memref::LoadOp>(op))
      if (isCut(load.getMemRef()))
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

/// Replaces both calls by workers that do what both callees' workers do.
static void join(WorkersCall &first, WorkersCall &second) {
  OpBuilder b(second.call);
  IRMapping before = copyAround(b, first), after = copyAround(b, second);
  auto workers = cast<ParallelOp>(b.clone(*first.workers, before));
  after.map(second.workers.getWorker(), workers.getWorker());
  b.setInsertionPoint(workers.getBodyBlock()->getTerminator());
  TileSyncOp::create(b, second.call.getLoc());
  for (Operation &op : second.workers.getBodyBlock()->without_terminator())
    b.clone(op, after);
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
    auto tiles = first.workers.getBodyBlock()->getOps<TileOp>();
    if (tiles.empty() || !areSame(first, first.workers.getWorkers(), second,
                                  second.workers.getWorkers()))
      return false;
    auto cutArrays = findCutArrays(first, *tiles.begin());
    if (!cutArrays || !canFollow(second, first, *cutArrays))
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
