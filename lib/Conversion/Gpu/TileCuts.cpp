//===- TileCuts.cpp - Cuts that the parts of a tile find for themselves ---===//

#include "TileCuts.h"
#include "TileStages.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

TileCuts::TileCuts(gpu::LaunchOp launch, ParallelOp workers,
                   const TileOfBlock &tile)
    : workers(workers), tile(tile) {
  auto found = workers.getBodyBlock()->getOps<TileCutsOp>();
  if (found.empty())
    return;
  TileCutsOp cuts = *found.begin();
  auto space = gpu::AddressSpaceAttr::get(cuts.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::Builder(cuts.getCuts().getType()).setMemorySpace(space);
  bounds = cuts.getBounds();
  isAlone = cuts.getAlone();
  shared = launch.addWorkgroupAttribution(type, cuts.getLoc());
  cuts.replaceAllUsesWith(shared);
  cuts.erase();
}

int64_t TileCuts::numBytes() const {
  if (!shared)
    return 0;
  auto type = cast<MemRefType>(shared.getType());
  return type.getNumElements() * bytesOf(type.getElementType());
}

TileSyncOp TileCuts::findSync() {
  auto syncs = workers.getBodyBlock()->getOps<TileSyncOp>();
  return !shared || syncs.empty() ? TileSyncOp() : *syncs.begin();
}

/// barrier
/// rows = end - begin, and one more if end == parts
/// for n in thread .. rows * columns step threads:
///   bounds[begin * columns + n] = shared[n], as lists of numbers
///
/// If nobody needs the others, n begins with the last row.
void TileCuts::emitAfter(ImplicitLocOpBuilder &b) {
  if (!shared)
    return;
  gpu::BarrierOp::create(b);
  Number columns(b, cast<MemRefType>(shared.getType()).getDimSize(1));
  Number isLast = Number(b, tile.end) == workers.getWorkers();
  Number one(b, 1);
  Number rows = Number(b, tile.end) - tile.begin;
  rows = rows + select(isLast, one, Number(b, 0));
  Value numbers = rows * columns, first = tile.thread;
  if (isAlone) {
    Number all = Number(b, tile.end) - tile.begin;
    first = all * columns + first;
  }
  Value from = flatten(b, shared), to = flatten(b, bounds);
  Value start = Number(b, tile.begin) * columns;
  auto loop = scf::ForOp::create(b, first, numbers, tile.threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Value number = memref::LoadOp::create(b, from, at);
  Value inBounds = Number(b, start) + at;
  memref::StoreOp::create(b, number, to, inBounds);
}
