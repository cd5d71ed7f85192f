//===- TiledParts.cpp - Blocks that do the parts of a tile ----------------===//

#include "TiledParts.h"

#include "Launches.h"
#include "TileCuts.h"
#include "TileScan.h"
#include "TileWindows.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <functional>

using namespace mlir;
using namespace nacho;

TileOp nacho::tileOf(ParallelOp workers) {
  auto tiles = workers.getBodyBlock()->getOps<TileOp>();
  return tiles.empty() ? TileOp() : *tiles.begin();
}

/// Computes again, after a barrier, what is used there of what lies before it,
/// which all parts have in common if it is memory of the tile. Fails if that
/// takes memory, which may have changed.
static LogicalResult repeatAfter(Operation *sync) {
  Block *body = sync->getBlock();
  OpBuilder b(sync->getContext());
  b.setInsertionPointAfter(sync);
  IRMapping copies;
  WalkResult result = WalkResult::advance();
  std::function<Value(Value)> repeat = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !op->isBeforeInBlock(sync) ||
        isa<TileMemoryOp>(op))
      return value;
    if (Value copy = copies.lookupOrNull(value))
      return copy;
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
      result = WalkResult::interrupt();
    for (Value operand : op->getOperands())
      copies.map(operand, repeat(operand));
    b.clone(*op, copies);
    return copies.lookup(value);
  };
  SmallVector<OpOperand *> uses;
  for (Operation *op = sync->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        uses.push_back(&use);
    });
  for (OpOperand *use : uses)
    use->set(repeat(use->get()));
  if (result.wasInterrupted())
    return sync->emitOpError("has values before it that are used after it, and "
                             "take memory");
  return success();
}

/// Moves ops from the beginning of the code of parts to where a block does
/// them. It becomes a branch of its own: threads without a part get to
/// barriers, too.
static Block *moveUntil(ImplicitLocOpBuilder &b, Value exists, Block *body,
                        Block::iterator end) {
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/false);
  Block *into = ifExists.thenBlock();
  into->getOperations().splice(into->begin(), body->getOperations(),
                               body->begin(), end);
  return into;
}

/// Moves what lies before a barrier, which becomes one of the block. Returns
/// where it is then.
static Block *moveUntilSync(ImplicitLocOpBuilder &b, Value exists,
                            TileSyncOp sync) {
  Block *into = moveUntil(b, exists, sync->getBlock(), sync->getIterator());
  sync.erase();
  gpu::BarrierOp::create(b);
  return into;
}

namespace {
/// The code of the parts of a tile, which a block does.
struct TiledCode {
  ParallelOp op;
  Value part, exists;
  TileOfBlock tile;
};
} // namespace

/// Moves the code of parts, with the barriers in it. Between these, parts go to
/// windows or to arrays.
static void moveParts(ImplicitLocOpBuilder &b, TiledCode code, TileCuts &cuts,
                      TileWindows &windows, TileScanOp scanned,
                      std::optional<TileScan> &scan) {
  Block *body = code.op.getBodyBlock();
  for (TileSyncOp sync :
       llvm::make_early_inc_range(body->getOps<TileSyncOp>())) {
    windows.choose(moveUntilSync(b, code.exists, sync), /*isLast=*/false);
    cuts.loadOnce(b, code.part);
  }
  if (scan) {
    Block *before = moveUntil(b, code.exists, body, scanned->getIterator());
    scan->storeRow(before, code.tile.thread);
    windows.choose(before, /*isLast=*/true);
    scan->emit(code.tile, code.part, code.exists);
    windows.emitAfterScan(b);
  }
  body->getTerminator()->erase();
  windows.choose(moveUntil(b, code.exists, body, body->end()),
                 /*isLast=*/true);
}

/// Finds the scan of what the parts of a tile count; null if there is none.
static FailureOr<TileScanOp> findScan(ParallelOp op, TileOp tile,
                                      int64_t lanes) {
  auto scans = op.getBodyBlock()->getOps<TileScanOp>();
  if (scans.empty())
    return TileScanOp();
  TileScanOp scan = *scans.begin();
  if (tile.getBy() % lanes != 0)
    return scan.emitOpError("needs tiles with a multiple of ")
           << lanes << " parts";
  for (Operation &each : *op.getBodyBlock())
    if (isa<TileSyncOp, StageInOp, StageOutOp>(each) &&
        scan->isBeforeInBlock(&each))
      return each.emitOpError("comes after a nacho.tile_scan");
  return scan;
}

/// Computes again, after each barrier, what is used there.
static LogicalResult repeatAfterSyncs(ParallelOp op) {
  SmallVector<Operation *> syncs;
  for (Operation &each : *op.getBodyBlock())
    if (isa<TileSyncOp, TileScanOp>(each))
      syncs.push_back(&each);
  return success(llvm::all_of(
      syncs, [](Operation *sync) { return succeeded(repeatAfter(sync)); }));
}

/// A block takes the parts of a tile: it makes their windows, does them, and
/// copies what they have written. If the parts find the cuts of their tile, the
/// block does that first: windows lie between these.
LogicalResult nacho::lowerTiled(ParallelOp op, TileOp tile, int64_t sharedBytes,
                                int64_t lanes) {
  FailureOr<TileScanOp> scanned = findScan(op, tile, lanes);
  if (failed(scanned))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Number size(b, int64_t(tile.getBy()));
  Value parts = op.getWorkers();
  Value blocks = ceilDiv(Number(b, parts), size);
  std::optional<TileScan> scan;
  if (*scanned)
    scan.emplace(b, *scanned, blocks, lanes);
  gpu::LaunchOp launch = createLaunch(b, blocks, size);
  Value thread = launch.getThreadIds().x;
  Value block = scan ? scan->begin(launch) : launch.getBlockIds().x;
  Number begin = Number(b, block) * size;
  Value part = begin + thread;
  Value end = min(begin + size, parts);
  TileOfBlock ofBlock{thread, size, begin, end};
  TileCuts cuts(launch, op, ofBlock);
  int64_t taken = cuts.numBytes() + (scan ? scan->numBytes() : 0);
  TileWindows windows(launch, tile, thread, sharedBytes - taken);
  Value exists = Number(b, part) < parts;
  op.getWorker().replaceAllUsesWith(part);
  tile.getBegin().replaceAllUsesWith(begin);
  tile.getEnd().replaceAllUsesWith(end);
  tile.erase();
  if (failed(repeatAfterSyncs(op)))
    return failure();
  if (TileSyncOp sync = cuts.findSync()) {
    moveUntilSync(b, exists, sync);
    cuts.loadOnce(b, part);
  }
  windows.emitBefore(b);
  moveParts(b, {op, part, exists, ofBlock}, cuts, windows, *scanned, scan);
  windows.emitAfter(b);
  cuts.emitAfter(b);
  if (scan) {
    lowerLanes(launch.getBody(), op,
               scan->lanesOfWarp().lane().getDefiningOp<LaneOp>(),
               {thread, {}, {}, lanes, lanes});
    b.setInsertionPointAfter(launch);
    scan->release();
  }
  op.erase();
  return success();
}
