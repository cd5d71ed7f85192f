//===- TileScan.cpp - Rows that blocks scan and pass on -------------------===//
//
//   block = the first that no other has taken
//   code of the parts, each of which stores its row
//   barrier
//   the first warp:
//     before = what all blocks before come to, as they tell
//     each row = before, combined with the rows of all parts before
//   barrier
//
//===----------------------------------------------------------------------===//

#include "TileScan.h"

#include "../ScanLoop.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

static SmallVector<Value> zeros(ImplicitLocOpBuilder &b, size_t columns) {
  Number zero(b, 0);
  return SmallVector<Value>(columns, zero);
}

static SmallVector<Value> numbers(ImplicitLocOpBuilder &b, size_t columns) {
  SmallVector<Value> all;
  for (size_t column = 0; column < columns; ++column)
    all.push_back(Number(b, int64_t(column)));
  return all;
}

TileScan::TileScan(ImplicitLocOpBuilder &b, TileScanOp op, Value blocks,
                   int64_t numLanes)
    : b(b), op(op), numLanes(numLanes),
      numParts(op.getRows().getType().getDimSize(0) - 1),
      columns(numbers(b, op.getRow().size())),
      none(zeros(b, op.getRow().size())),
      chain(b, blocks, none,
            [&b, op](ValueRange x, ValueRange y) mutable {
              return combineRows(b, op.getCombine().front(), x, y);
            }),
      lastBlock(max(Number(b, blocks), 1) - 1) {}

int64_t TileScan::numBytes() {
  return op.getRows().getType().getNumElements() * bytesOf(b.getIndexType());
}

void TileScan::onFirstWarp(llvm::function_ref<void()> body) {
  Value isFirst = Number(b, thread) < numLanes;
  auto branch = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// The first warp:
///   shared = the tile that it takes
/// barrier
/// return shared
Value TileScan::begin(gpu::LaunchOp launch) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto typeOf = [&](ArrayRef<int64_t> shape) {
    return MemRefType::get(shape, b.getIndexType(), MemRefLayoutAttrInterface(),
                           space);
  };
  Value taken = launch.addWorkgroupAttribution(typeOf({1}), b.getLoc());
  shared = launch.addWorkgroupAttribution(
      typeOf(op.getRows().getType().getShape()), b.getLoc());
  thread = launch.getThreadIds().x;
  lanes = Lanes::create(b, numLanes);
  Value zero = Number(b, 0);
  onFirstWarp([&] {
    Value tile = chain.take(lanes);
    auto once =
        scf::IfOp::create(b, lanes.isFirst(b), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(once.thenBlock());
    memref::StoreOp::create(b, tile, taken, zero);
  });
  gpu::BarrierOp::create(b);
  Number found(b, memref::LoadOp::create(b, taken, zero));
  // No block takes a tile that is not there, which bounds the numbers of parts.
  return block = min(found, lastBlock);
}

SmallVector<Value> TileScan::load(Value row) {
  return llvm::map_to_vector(columns, [&](Value column) -> Value {
    return memref::LoadOp::create(b, shared, ValueRange{row, column});
  });
}

void TileScan::store(ValueRange values, Value table, Value row) {
  for (auto [column, value] : llvm::zip(columns, values))
    memref::StoreOp::create(b, value, table, ValueRange{row, column});
}

void TileScan::storeRow(Block *code, Value thread) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(code->getTerminator());
  store(op.getRow(), shared, Number(b, thread) + 1);
}

/// Returns a row, or zeros unless a condition holds.
SmallVector<Value> TileScan::choose(Value condition, ValueRange row) {
  SmallVector<Value> chosen;
  for (auto [value, nothing] : llvm::zip(row, none))
    chosen.push_back(select(Number(b, condition), value, nothing));
  return chosen;
}

/// Each lane has as many rows, which follow one another. Row n + 1 holds what
/// part n counts at first, and then what is before part n + 1.
void TileScan::scanRows(Value count) {
  auto combine = [&](ValueRange x, ValueRange y) {
    return combineRows(b, op.getCombine().front(), x, y);
  };
  int64_t each = numParts / numLanes;
  Number lane(b, lanes.lane()), first = lane * each;
  Number last(b, count);
  last = last - 1;
  SmallVector<Value> places;
  SmallVector<Values> own;
  for (int64_t k = 0; k < each; ++k) {
    Number part = first + k;
    places.push_back(part + 1);
    Value isThere = part < count;
    Value stored = min(part, last) + 1;
    own.push_back(choose(isThere, load(stored)));
    if (k > 0)
      own[k] = combine(own[k - 1], own[k]);
  }
  // A lane without a row has loaded the last one, which another lane stores.
  LaneSyncOp::create(b);
  Values all = lanes.scan(b, own.back(), combine);
  Values total = lanes.from(b, all, Number(b, numLanes - 1));
  Number previous = (lane + (numLanes - 1)) % numLanes;
  Value isLater = lane != 0;
  Values inTile = choose(isLater, lanes.from(b, all, previous));
  Values before = chain.passOn(lanes, block, total);
  auto once = scf::IfOp::create(b, lanes.isFirst(b), /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(once.thenBlock());
    store(before, shared, Number(b, 0));
  }
  Values start = combine(before, inTile);
  for (auto [place, row] : llvm::zip(places, own))
    store(combine(start, row), shared, place);
  chain.finish(lanes, [] {});
}

void TileScan::emit(const TileOfBlock &tile, Value part, Value exists) {
  gpu::BarrierOp::create(b);
  onFirstWarp([&] { scanRows(Number(b, tile.end) - tile.begin); });
  gpu::BarrierOp::create(b);
  auto ifExists = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifExists.thenBlock());
  Number next = Number(b, thread) + 1;
  store(load(next), op.getAll(), Number(b, part) + 1);
  Value isFirst = Number(b, part) == 0;
  auto once = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(once.thenBlock());
  store(none, op.getAll(), Number(b, 0));
  op.getRows().replaceAllUsesWith(shared);
  op.erase();
}
