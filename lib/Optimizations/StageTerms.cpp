//===- StageTerms.cpp - Terms that the parts of a tile compute together ---===//
//
// Consumes workers that take tiles, with loops of scf. The entries that a part
// adds up follow one another, so that parts which lie next to each other read
// entries that do not, and look elements up while they add. But where a term
// depends on its entry alone, any part can compute it. So the parts of a tile
// first compute the terms of all of its entries, neighbouring parts those of
// neighbouring entries, and keep them in memory that they share. Then each part
// adds up its own, in the same order as before:
//
//   for n = part - begin to size step end - begin:
//     terms[n] = term(from + n)
//   for all parts of the tile: wait
//   for k = lo to hi: sum = sum + terms[k - from]
//
//===----------------------------------------------------------------------===//

#include "EntryLoop.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSTAGETERMS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether a value of the workers' body can be computed again without memory.
static bool takesNoMemory(Value value, Block *body) {
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != body || isa<TileMemoryOp>(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return takesNoMemory(operand, body);
          }));
}

namespace {
/// Lets the parts of a tile compute terms together.
class TermStager {
public:
  TermStager(ParallelOp workers, TileOp tile, int64_t share)
      : workers(workers), tile(tile), share(share),
        b(tile.getLoc(), tile->getNextNode()) {}

  void run();

private:
  bool findLoops();
  bool findSync();
  bool mayWaitAfter(Operation *last);
  Value emitAgain(Value value, IRMapping &known);
  void emitTogether();
  void emitBranches();
  void branch(Operation *op, Value isThere);
  bool isNeeded(StageInOp window);
  void dropWindows();

  ParallelOp workers;
  TileOp tile;
  int64_t share; ///< The cost of each part.
  ImplicitLocOpBuilder b;
  std::vector<EntryLoop> loops;
  TileSyncOp sync;    ///< The last one of the tile; null if there is none.
  Operation *start;   ///< The last op before which no term is needed.
  Value isWrong;      ///< Memory that tells whether a flag is set.
  scf::IfOp together; ///< Where terms are computed.
  SmallVector<scf::IfOp>
      branches; ///< Where they are added up, or are not there.
};
} // namespace

/// Finds what lies before all loops: windows, and the last barrier.
bool TermStager::findSync() {
  start = tile;
  for (Operation &op : *workers.getBodyBlock()) {
    if (isa<TileScanOp>(op))
      return false;
    if (isa<TileSyncOp, StageInOp, StageOutOp>(op))
      start = &op;
  }
  sync = dyn_cast<TileSyncOp>(start);
  return sync || mayWaitAfter(start);
}

/// Whether all that is used after an operation, of what is computed before it,
/// takes no memory.
bool TermStager::mayWaitAfter(Operation *last) {
  Block *body = workers.getBodyBlock();
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode()) {
    WalkResult result = op->walk([&](Operation *inner) {
      return llvm::all_of(inner->getOperands(),
                          [&](Value value) {
                            Operation *by = value.getDefiningOp();
                            bool isBefore = by && by->getBlock() == body &&
                                            !last->isBeforeInBlock(by);
                            return !isBefore || takesNoMemory(value, body);
                          })
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

bool TermStager::findLoops() {
  for (Operation *op = start->getNextNode(); op; op = op->getNextNode())
    op->walk([&](scf::ForOp loop) {
      if (EntryLoop found(loop, workers); found.match())
        loops.push_back(std::move(found));
    });
  return !loops.empty();
}

/// Emits a value again, with what it is loaded from: nobody writes to the cuts
/// at the ends of a tile when its windows are there.
Value TermStager::emitAgain(Value value, IRMapping &known) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != workers.getBodyBlock() || op == tile ||
      isa<TileCutsOp>(op) || known.contains(value))
    return known.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    emitAgain(operand, known);
  b.clone(*op, known);
  return known.lookup(value);
}

/// The first part says that nothing is wrong. After a barrier, parts compute
/// terms, if there is room for these.
void TermStager::emitTogether() {
  b.setInsertionPoint(sync ? sync : start->getNextNode());
  for (EntryLoop &loop : loops)
    loop.emitMemory(b);
  Type word = b.getI32Type();
  isWrong = TileMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, word), Number(b, 1));
  Number first = Number(b, tile.getPart()) - tile.getBegin();
  Value zero = Number(b, 0);
  auto once = scf::IfOp::create(b, first == 0, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(once.thenBlock());
    memref::StoreOp::create(b, Number(b, 0, word), isWrong, zero);
  }
  if (!sync)
    sync = TileSyncOp::create(b);
  b.setInsertionPointAfter(sync);
  // A loop whose step is known to be positive can have narrow indices.
  Value count = maxSigned(Number(b, tile.getEnd()) - tile.getBegin(), 1);
  IRMapping known;
  SmallVector<Value> starts;
  for (EntryLoop &loop : loops)
    starts.push_back(emitAgain(loop.windows.front().getFrom(), known));
  together = scf::IfOp::create(b, TileRoomOp::create(b), /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(together.thenBlock());
    for (auto [loop, from] : llvm::zip(loops, starts)) {
      Value isAny = loop.emitTerms(b, from, first, count);
      if (!isAny)
        continue;
      auto ifAny = scf::IfOp::create(b, isAny, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(ifAny.thenBlock());
      memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori,
                                  Number(b, 1, word), isWrong, zero);
    }
  }
  TileSyncOp::create(b);
}

/// if there is room, and no flag is set: add up terms
/// else: as before
void TermStager::emitBranches() {
  Value hasRoom = TileRoomOp::create(b), zero = Number(b, 0);
  Number wrong(b, memref::LoadOp::create(b, isWrong, zero));
  Value isRight = wrong == 0;
  Value isThere = Number(b, hasRoom) & isRight;
  IRMapping known;
  SmallVector<Value> starts;
  for (EntryLoop &loop : loops)
    starts.push_back(emitAgain(loop.windows.front().getFrom(), known));
  llvm::MapVector<Operation *, SmallVector<size_t>> around;
  for (auto [n, loop] : llvm::enumerate(loops))
    around[workers.getBodyBlock()->findAncestorOpInBlock(*loop.loop)].push_back(
        n);
  for (auto &[op, numbers] : around) {
    b.setInsertionPoint(op);
    auto either = scf::IfOp::create(b, op->getResultTypes(), isThere,
                                    /*withElse=*/true);
    op->replaceAllUsesWith(either.getResults());
    OpBuilder here = either.getThenBodyBuilder(),
              there = either.getElseBodyBuilder();
    IRMapping copies;
    Operation *copy = here.clone(*op, copies);
    if (op->getNumResults()) {
      scf::YieldOp::create(here, op->getLoc(), copy->getResults());
      scf::YieldOp::create(there, op->getLoc(), op->getResults());
    }
    op->moveBefore(either.elseBlock(), either.elseBlock()->begin());
    for (size_t n : numbers)
      loops[n].useTerms(copies, starts[n]);
    branches.push_back(either);
  }
}

/// Whether parts read an array where terms are not there in its place.
bool TermStager::isNeeded(StageInOp window) {
  return llvm::any_of(window.getArray().getUsers(), [&](Operation *user) {
    if (!isa<memref::LoadOp>(user) || !workers->isProperAncestor(user) ||
        together->isProperAncestor(user))
      return false;
    Operation *code = workers.getBodyBlock()->findAncestorOpInBlock(*user);
    return !code->isBeforeInBlock(sync) &&
           llvm::none_of(branches, [&](scf::IfOp branch) {
             return branch.getElseRegion().isAncestor(user->getParentRegion());
           });
  });
}

/// Erases windows that are needed no more. Terms take their place.
void TermStager::dropWindows() {
  int64_t bytes = 0;
  llvm::SetVector<Operation *> dropped;
  for (EntryLoop &loop : loops) {
    for (Value term : loop.terms)
      bytes += bytesOf(term.getType());
    for (StageInOp window : loop.windows)
      if (!isNeeded(window))
        dropped.insert(window);
  }
  for (Operation *window : dropped)
    bytes -=
        bytesOf(cast<StageInOp>(window).getArray().getType().getElementType());
  for (Operation *window : dropped)
    window->erase();
  if (std::optional<uint64_t> before = tile.getBytes()) {
    int64_t all = int64_t(tile.getBy() + 1) * share * 9 / 8 * bytes;
    tile.setBytes(llvm::alignTo(std::max<int64_t>(int64_t(*before) + all, 1),
                                kGpuWindowBytes));
  }
}

void TermStager::run() {
  if (!findSync() || !findLoops())
    return;
  emitTogether();
  emitBranches();
  dropWindows();
}

namespace {
struct StageTerms : nacho::impl::NachoStageTermsBase<StageTerms> {
  using NachoStageTermsBase::NachoStageTermsBase;

  void runOnOperation() override {
    SmallVector<ParallelOp> found;
    getOperation().walk([&](ParallelOp workers) { found.push_back(workers); });
    for (ParallelOp workers : found) {
      auto tiles = workers.getBodyBlock()->getOps<TileOp>();
      if (!tiles.empty())
        TermStager(workers, *tiles.begin(), share).run();
    }
  }
};
} // namespace
