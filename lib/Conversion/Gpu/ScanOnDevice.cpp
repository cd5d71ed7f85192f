//===- ScanOnDevice.cpp - The scan of many parts --------------------------===//
//
// Combining is associative. A warp does a tile:
//
//   parallel for each tile:
//     sum = all rows of the tile
//     before = all rows of the tiles before, as the warps tell that do these
//     for each row: output[row] = all rows before
//   the last warp: the stores that follow the scan
//
// In each step of the loops over rows, a lane has four that follow one another.
//
//===----------------------------------------------------------------------===//

#include "ScanOnDevice.h"

#include "../ScanLoop.h"
#include "TileChain.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// The number of rows that each lane has at a time.
static constexpr int64_t kEach = 4;
/// The rows of a tile for each lane: few enough for many warps, and so many
/// that these seldom wait for each other.
static constexpr int64_t kRowsOfTile = 4 * kEach;

namespace {
using Values = SmallVector<Value>;

/// A loop over the tiles of an array.
class WarpScan {
public:
  WarpScan(Operation *op, Value input, int64_t numLanes)
      : b(op->getLoc(), op), op(op), numLanes(numLanes), zero(Number(b, 0)),
        one(Number(b, 1)), end(memref::DimOp::create(b, input, zero)),
        tiles(max(ceilDiv(Number(b, end), rowsOfTile()), 1)) {}
  virtual ~WarpScan() = default;

  void emit() {
    SmallVector<Operation *> rest = storesAfter();
    auto combined = [&](ValueRange x, ValueRange y) { return combine(x, y); };
    TileChain chain(b, tiles, none(), combined);
    auto loop = ParallelOp::create(b, tiles, one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBodyBlock());
      lanes = Lanes::create(b, numLanes);
      Value tile = chain.take(lanes);
      scanTile(tile, chain.passOn(lanes, tile, combineTile(tile)));
      chain.finish(lanes, [&] { copyHere(rest); });
    }
    chain.release();
    for (Operation *store : rest)
      if (isa<memref::StoreOp>(store))
        store->erase();
  }

protected:
  virtual Values none() = 0;
  virtual Values combine(ValueRange x, ValueRange y) = 0;
  virtual Values load(Value row) = 0;
  /// Scans the rows of a tile, after those that lie before it.
  virtual void scanTile(Value tile, ValueRange before) = 0;

  Number rowsOfTile() { return Number(b, kRowsOfTile * numLanes); }
  /// The first row of a tile, which is the one after the last of the tile
  /// before, or the end of all rows.
  Number startOf(Value tile) {
    Number row = Number(b, tile) * rowsOfTile();
    return min(row, end);
  }
  Number after(Value number) { return Number(b, number) + one; }

  void emitIf(Value condition, llvm::function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  Values choose(Value condition, ValueRange row, ValueRange other) {
    Values chosen;
    for (auto [x, y] : llvm::zip(row, other))
      chosen.push_back(select(Number(b, condition), x, y));
    return chosen;
  }

  /// sum = first
  /// for n = 4 * lane; n - 4 * lane < count; n += 4 * lanes:
  ///   for m in n .. n + 4:
  ///     all = sum combined with loadRow(0) to loadRow(m)
  ///     visit(m, whether m < count, all)
  ///   sum = the last lane's last one
  ///
  /// The four loads of a lane do not wait for each other.
  Values scan(Value count, ValueRange first,
              llvm::function_ref<Values(Value)> loadRow,
              llvm::function_ref<void(Value, Value, ValueRange)> visit) {
    auto loop =
        scf::ForOp::create(b, zero, count, Number(b, kEach * numLanes), first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Number lane(b, lanes.lane());
    Number begin = lane * kEach;
    begin = Number(b, loop.getInductionVar()) + begin;
    Value last = Number(b, count) - one;
    SmallVector<std::pair<Value, Value>> numbers;
    SmallVector<Values> own;
    for (int64_t k = 0; k < kEach; ++k) {
      Number n = begin + k;
      Value isThere = n < count;
      numbers.push_back({n, isThere});
      own.push_back(choose(isThere, loadRow(min(n, last)), none()));
    }
    // A lane without a row loads the last one, which another lane may store.
    LaneSyncOp::create(b);
    for (int64_t k = 1; k < kEach; ++k)
      own[k] = combine(own[k - 1], own[k]);
    auto combined = [&](ValueRange x, ValueRange y) { return combine(x, y); };
    Values all = lanes.scan(b, own.back(), combined);
    ValueRange sum = loop.getRegionIterArgs();
    Value isFirst = lanes.isFirst(b);
    Number before = lane + (numLanes - 1);
    before = before % numLanes;
    Values base =
        combine(sum, choose(isFirst, none(), lanes.from(b, all, before)));
    for (auto [number, row] : llvm::zip(numbers, own))
      visit(number.first, number.second, combine(base, row));
    scf::YieldOp::create(
        b, combine(sum, lanes.from(b, all, Number(b, numLanes - 1))));
    return Values(loop.getResults());
  }

  /// Scans the rows of a tile.
  Values scanRows(Value tile, Value count, ValueRange first,
                  llvm::function_ref<void(Value, Value, ValueRange)> visit) {
    Value from = startOf(tile);
    auto loadRow = [&](Value n) { return load(Number(b, from) + n); };
    return scan(count, first, loadRow, visit);
  }

  Number sizeOf(Value tile) {
    Number next = startOf(after(tile));
    return next - startOf(tile);
  }

  Values combineTile(Value tile) {
    return scanRows(tile, sizeOf(tile), none(),
                    [](Value, Value, ValueRange) {});
  }

  /// Returns the stores that follow the scan directly, with what they need: a
  /// device would start a kernel for them alone. There are none if anything
  /// else uses what is loaded for them.
  SmallVector<Operation *> storesAfter() {
    SmallVector<Operation *> found;
    for (Operation *next = op->getNextNode();
         isa<memref::LoadOp, memref::StoreOp>(next) ||
         (isPure(next) && next->getNumRegions() == 0 &&
          !next->hasTrait<OpTrait::IsTerminator>());
         next = next->getNextNode())
      found.push_back(next);
    while (!found.empty() && !isa<memref::StoreOp>(found.back()))
      found.pop_back();
    for (Operation *each : found)
      if (isa<memref::LoadOp>(each) &&
          !llvm::all_of(each->getUsers(), [&](Operation *user) {
            return llvm::is_contained(found, user);
          }))
        return {};
    return found;
  }

  void copyHere(ArrayRef<Operation *> ops) {
    IRMapping copies;
    for (Operation *each : ops)
      b.clone(*each, copies);
  }

  ImplicitLocOpBuilder b;
  Operation *op;
  int64_t numLanes;
  Value zero, one, end, tiles;
  Lanes lanes;
};

/// Row n of the output combines all rows before: what the tiles up to one come
/// to is the first row of the next one.
class ExclusiveScan final : public WarpScan {
public:
  ExclusiveScan(ExclusiveScanOp op, int64_t numLanes)
      : WarpScan(op, op.getInput(), numLanes), scanned(op), rows(b, op) {}

private:
  Values none() override { return rows.none(); }
  Values combine(ValueRange x, ValueRange y) override {
    return rows.combine(x, y);
  }
  Values load(Value row) override { return rows.load(scanned.getInput(), row); }

  void scanTile(Value tile, ValueRange before) override {
    Number from = startOf(tile), isStart = from == zero;
    Value isFirst = isStart & lanes.isFirst(b);
    emitIf(isFirst, [&] { rows.store(zero, rows.none()); });
    scanRows(tile, sizeOf(tile), before,
             [&](Value n, Value isThere, ValueRange all) {
               emitIf(isThere, [&] { rows.store(after(from + n), all); });
             });
  }

  ExclusiveScanOp scanned;
  ScanBuilder rows;
};

/// Each number becomes the sum of those up to it.
class PrefixSum final : public WarpScan {
public:
  PrefixSum(PrefixSumOp op, int64_t numLanes)
      : WarpScan(op, op.getValues(), numLanes), values(op.getValues()) {}

private:
  Type element() { return cast<MemRefType>(values.getType()).getElementType(); }
  Values none() override { return {Number(b, 0, element())}; }
  Values combine(ValueRange x, ValueRange y) override {
    return {Number(b, x[0]) + y[0]};
  }
  Values load(Value row) override {
    return {memref::LoadOp::create(b, values, row)};
  }

  void scanTile(Value tile, ValueRange before) override {
    Number from = startOf(tile);
    scanRows(tile, sizeOf(tile), before,
             [&](Value n, Value isThere, ValueRange all) {
               emitIf(isThere, [&] {
                 Value row = from + n, sum = all[0];
                 memref::StoreOp::create(b, sum, values, row);
               });
             });
  }

  Value values;
};
} // namespace

void nacho::scanOnDevice(ExclusiveScanOp op, int64_t numLanes) {
  ExclusiveScan(op, numLanes).emit();
  op.erase();
}

void nacho::sumOnDevice(PrefixSumOp op, int64_t numLanes) {
  PrefixSum(op, numLanes).emit();
  op.erase();
}
