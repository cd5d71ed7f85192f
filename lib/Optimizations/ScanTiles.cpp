//===- ScanTiles.cpp - Tiles counted and appended by one block ------------===//
//
// Consumes workers that cut tiles and count what each part appends, followed by
// the scan of all counts and by the call of workers that append. These need, of
// the offsets that the scan finds, those of their own part only. So a block can
// do all of it, if it learns what the tiles before its own come to.
//
//===----------------------------------------------------------------------===//

#include "RowsOfParts.h"
#include "TileCalls.h"
#include "TileSlots.h"
#include "nacho/IR/Arith.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSCANTILES
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// A call of a function that scans an array it is given, and then loads the
/// last row of what it has found, and stores numbers.
struct ScanCall {
  WorkersCall by; ///< Without workers.
  ExclusiveScanOp scan;

  explicit operator bool() const { return scan; }
  Value counts() { return by.given(scan.getInput()); }
  Value offsets() { return by.given(scan.getOutput()); }
};
} // namespace

/// Whether an operation may lie beside a scan: it loads what that has found, or
/// stores, after it, or takes no memory.
static bool isBesideScan(Operation &op, ExclusiveScanOp scan) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return scan && load.getMemRef() == scan.getOutput() &&
           load.getIndices().size() == 2;
  return isPure(&op) || (scan && isa<memref::StoreOp>(op));
}

static ScanCall findScan(func::CallOp call) {
  func::FuncOp callee = call ? calleeOf(call) : func::FuncOp();
  if (!callee)
    return {};
  ScanCall found;
  for (Operation &op : callee.getBody().front().without_terminator()) {
    auto scan = dyn_cast<ExclusiveScanOp>(op);
    if (scan ? bool(found) : !isBesideScan(op, found.scan))
      return {};
    if (scan)
      found = {{call, callee, {}}, scan};
  }
  return found && found.counts() && found.offsets() ? found : ScanCall();
}

namespace {
/// Workers of a function, the scan of their counts, and those that append.
class ScannedTile {
public:
  ScannedTile(ParallelOp workers, ScanCall scan, WorkersCall append)
      : first{{}, workers->getParentOfType<func::FuncOp>(), workers},
        scan(scan), append(append), cuts(cutsOfTile(workers)),
        tile(*workers.getBodyBlock()->getOps<TileOp>().begin()),
        slots(first, this->append, this->scan.offsets()) {}

  /// Whether the workers can go on appending.
  bool canJoin() {
    return findCounts() && slots.find(row) &&
           areSame(first, first.workers.getWorkers(), append,
                   append.workers.getWorkers()) &&
           readsLastRow() && areGivenBefore(scan.by.call) &&
           areGivenBefore(append.call) && canFollow();
  }
  void join();

private:
  bool findCounts();
  bool readsLastRow();
  bool areGivenBefore(func::CallOp call);
  bool canFollow();
  bool canFollow(Operation *op);
  bool isAccessedBefore(Value array, bool isUpdate);
  bool isLastRow(WorkersCall &by, Value at) {
    return areSame(first, first.workers.getWorkers(), by, at);
  }
  bool isDoneOnce(scf::IfOp branch);
  bool canLoadOffset(memref::LoadOp load);
  IRMapping copyBeforeScan(OpBuilder &b);
  void emitScan(ImplicitLocOpBuilder &b, IRMapping &mapping);
  void emitSizes(ImplicitLocOpBuilder &b, IRMapping &mapping);
  void loadFromScan(Operation *copy);
  void guardStores(Operation *copy);
  Value rowOf(OpBuilder &b, Value part);

  WorkersCall first;
  ScanCall scan;
  WorkersCall append;
  TileCutsOp cuts;
  TileOp tile;
  TileSlots slots;
  SmallVector<memref::StoreOp> stores; ///< Those of the counts.
  SmallVector<Value> row;              ///< The counts of a part.
  Value rows;                          ///< The offsets that a tile knows.
};
} // namespace

/// Finds the counts of a part. Whether all of them are stored once, whatever
/// the part does, and not loaded.
bool ScannedTile::findCounts() {
  row.assign(scan.scan.getNumColumns(), Value());
  for (Operation *user : scan.counts().getUsers()) {
    if (!first.workers->isProperAncestor(user))
      continue;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || store->getBlock() != first.workers.getBodyBlock() ||
        store.getIndices().size() != 2 ||
        !isRowOf(first.workers, store.getIndices()[0], 0))
      return false;
    std::optional<int64_t> column = getConstantIntValue(store.getIndices()[1]);
    if (!column || *column >= int64_t(row.size()) || row[*column])
      return false;
    row[*column] = store.getValueToStore();
    stores.push_back(store);
  }
  return llvm::all_of(row, [](Value count) { return bool(count); });
}

/// Whether only the row after those of all parts is loaded.
bool ScannedTile::readsLastRow() {
  Block &body = scan.by.callee.getBody().front();
  return llvm::all_of(body.getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
    return isLastRow(scan.by, load.getIndices()[0]);
  });
}

/// Whether all that a call is given is known where the workers begin.
bool ScannedTile::areGivenBefore(func::CallOp call) {
  DominanceInfo dominance(first.callee);
  return llvm::all_of(call.getOperands(), [&](Value operand) {
    return dominance.properlyDominates(operand, first.workers);
  });
}

/// Whether the workers that cut and count access an array in another way than
/// by updates, or at all.
bool ScannedTile::isAccessedBefore(Value array, bool isUpdate) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    return first.workers->isProperAncestor(user) &&
           !(isUpdate && isa<memref::AtomicRMWOp>(user));
  });
}

/// Whether the first part alone does a branch, which any other could do: it
/// uses nothing of the part.
bool ScannedTile::isDoneOnce(scf::IfOp branch) {
  auto test = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!test || test.getPredicate() != arith::CmpIPredicate::eq ||
      test.getLhs() != append.workers.getWorker() ||
      !matchPattern(test.getRhs(), m_Zero()) || branch.elseBlock() ||
      branch->getBlock() != append.workers.getBodyBlock())
    return false;
  WalkResult result = branch.getThenRegion().walk([&](Operation *op) {
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) {
                          Region *home = operand.getParentRegion();
                          return branch.getThenRegion().isAncestor(home) ||
                                 !append.workers.getBody().isAncestor(home);
                        })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether a part knows an offset that it loads: its own, or that after all
/// parts, if the last part can load it in place of the first.
bool ScannedTile::canLoadOffset(memref::LoadOp load) {
  Value at = load.getIndices()[0];
  if (isRowOf(append.workers, at, 0) || isRowOf(append.workers, at, 1))
    return true;
  auto branch = dyn_cast<scf::IfOp>(load->getParentOp());
  return branch && isLastRow(append, at) && isDoneOnce(branch);
}

/// Whether an operation can be done where the tile has been counted: of the
/// cuts and the offsets, it loads those of its own part only, and it stores to
/// no array that was accessed before.
bool ScannedTile::canFollow(Operation *op) {
  if (isUnknown(op) || isa<TileOp, TileCutsOp, TileSyncOp, TileScanOp>(op))
    return false;
  if (Value stored = arrayStoredTo(op)) {
    Value array = append.given(stored);
    return array && array != cuts.getBounds() && array != scan.offsets() &&
           !isAccessedBefore(array, isa<memref::AtomicRMWOp>(op));
  }
  auto isOwn = [&](Value at) {
    return isRowOf(append.workers, at, 0) || isRowOf(append.workers, at, 1);
  };
  if (auto load = dyn_cast<LoadCutOp>(op))
    return append.given(load.getBounds()) == cuts.getBounds() &&
           isOwn(load.getRow());
  auto load = dyn_cast<memref::LoadOp>(op);
  Value array = load ? append.given(load.getMemRef()) : Value();
  if (array && array == scan.offsets())
    return canLoadOffset(load);
  return !array || (array != scan.counts() && array != cuts.getBounds());
}

bool ScannedTile::canFollow() {
  WalkResult result = append.workers.getBody().walk([&](Operation *op) {
    return canFollow(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Returns the row of a part in memory of its tile.
Value ScannedTile::rowOf(OpBuilder &b, Value part) {
  return arith::SubIOp::create(b, tile.getLoc(), part, tile.getBegin());
}

/// Copies what the scan uses, to where the workers begin.
IRMapping ScannedTile::copyBeforeScan(OpBuilder &b) {
  IRMapping mapping;
  mapping.map(scan.by.callee.getArguments(), scan.by.call.getOperands());
  for (Operation &op : scan.by.callee.getBody().front()) {
    if (&op == scan.scan)
      break;
    b.clone(op, mapping);
  }
  return mapping;
}

void ScannedTile::emitScan(ImplicitLocOpBuilder &b, IRMapping &mapping) {
  auto columns = int64_t(row.size());
  auto type =
      MemRefType::get({int64_t(tile.getBy()) + 1, columns}, b.getIndexType());
  auto scanned = TileScanOp::create(b, type, row, scan.offsets());
  scan.scan.getCombine().cloneInto(&scanned.getCombine(), mapping);
  rows = scanned.getRows();
}

/// if part + 1 == parts: what follows the scan
void ScannedTile::emitSizes(ImplicitLocOpBuilder &b, IRMapping &mapping) {
  Number next = Number(b, first.workers.getWorker()) + 1;
  Value isLast = next == first.workers.getWorkers();
  auto once = scf::IfOp::create(b, isLast, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(once.thenBlock());
  Value last = rowOf(b, next);
  for (Operation *op = scan.scan->getNextNode();
       !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    auto load = dyn_cast<memref::LoadOp>(b.clone(*op, mapping));
    if (!load)
      continue;
    load.getIndicesMutable()[0].assign(last);
    load.getMemrefMutable().assign(rows);
  }
}

/// Loads offsets from where the parts of a tile have them: the one after all
/// parts, the last part.
void ScannedTile::loadFromScan(Operation *copy) {
  copy->walk([&](memref::LoadOp load) {
    if (load.getMemRef() != scan.offsets())
      return;
    ImplicitLocOpBuilder b(load.getLoc(), load);
    Value at = load.getIndices()[0];
    if (!isRowOf(first.workers, at, 0) && !isRowOf(first.workers, at, 1)) {
      auto branch = cast<scf::IfOp>(load->getParentOp());
      ImplicitLocOpBuilder before(load.getLoc(), branch);
      Number next = Number(before, first.workers.getWorker()) + 1;
      branch.getConditionMutable().assign(next == first.workers.getWorkers());
      at = next;
    }
    load.getIndicesMutable()[0].assign(rowOf(b, at));
    load.getMemrefMutable().assign(rows);
  });
}

/// Stores only to elements that there are:
///
///   if place < size of the array: array[place] = value
///
/// What was counted of operands that are not valid may be more than their
/// lengths allow, and nobody has seen it before it is appended.
void ScannedTile::guardStores(Operation *copy) {
  SmallVector<memref::StoreOp> stores;
  copy->walk([&](memref::StoreOp store) {
    bool isArray = store.getMemRefType().getRank() == 1;
    if (isArray && !getConstantIntValue(store.getIndices()[0]))
      stores.push_back(store);
  });
  for (memref::StoreOp store : stores) {
    ImplicitLocOpBuilder b(store.getLoc(), store);
    Value size = memref::DimOp::create(b, store.getMemRef(), Number(b, 0));
    Value isThere = Number(b, store.getIndices()[0]) < size;
    auto branch = scf::IfOp::create(b, isThere, /*withElse=*/false);
    store->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  }
}

/// Lets the workers append, and erases both calls. If the tile has no room for
/// what its parts keep, they have nothing to append.
void ScannedTile::join() {
  ImplicitLocOpBuilder b(append.call.getLoc(), first.workers);
  IRMapping mapping = copyAround(b, append);
  mapping.map(append.workers.getWorker(), first.workers.getWorker());
  IRMapping scanned = copyBeforeScan(b);
  llvm::for_each(stores, [](memref::StoreOp store) { store.erase(); });
  row = slots.keep(mapping, row);
  cuts.setAlone(true);
  b.setInsertionPoint(first.workers.getBodyBlock()->getTerminator());
  emitScan(b, scanned);
  emitSizes(b, scanned);
  Value hasRoom = slots.emitRoom(b);
  auto rest = scf::IfOp::create(b, hasRoom, /*withElse=*/false);
  slots.emitAppend(b, rows);
  b.setInsertionPointToStart(rest.thenBlock());
  for (Operation &op : append.workers.getBodyBlock()->without_terminator()) {
    Operation *copy =
        &op == slots.outermost() ? slots.emitRest(b) : b.clone(op, mapping);
    if (!copy)
      continue;
    loadFromTile(copy, cuts, tile);
    loadFromScan(copy);
    guardStores(copy);
  }
  scan.by.call.erase();
  append.call.erase();
}

namespace {
struct ScanTiles : nacho::impl::NachoScanTilesBase<ScanTiles> {
  using NachoScanTilesBase::NachoScanTilesBase;

  /// Whether warps do a part better: these do not take tiles.
  bool isForWarps(ParallelOp workers) {
    return warps && hasDenseLoops(workers);
  }

  void tryJoin(ParallelOp workers, llvm::SetVector<func::FuncOp> &callees) {
    auto tiles = workers.getBodyBlock()->getOps<TileOp>();
    if (!cutsOfTile(workers) || tiles.empty() ||
        (*tiles.begin()).getBy() % lanes != 0 ||
        !workers.getBodyBlock()->getOps<TileScanOp>().empty())
      return;
    ScanCall scan = findScan(callAfter(workers));
    func::CallOp next = scan ? callAfter(scan.by.call) : func::CallOp();
    WorkersCall append = next ? findWorkers(next) : WorkersCall();
    if (!append || isForWarps(append.workers))
      return;
    ScannedTile all(workers, scan, append);
    if (!all.canJoin())
      return;
    callees.insert(scan.by.callee);
    callees.insert(append.callee);
    all.join();
  }

  void runOnOperation() override {
    SmallVector<ParallelOp> found;
    getOperation().walk([&](ParallelOp workers) { found.push_back(workers); });
    llvm::SetVector<func::FuncOp> callees;
    for (ParallelOp workers : found)
      tryJoin(workers, callees);
    eraseUnused(callees, getOperation());
  }
};
} // namespace
