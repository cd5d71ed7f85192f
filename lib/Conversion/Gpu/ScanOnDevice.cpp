//===- ScanOnDevice.cpp - The scan of many parts --------------------------===//
//
// Combining is associative. A warp combines the rows of a tile, another one the
// tiles, and warps then scan the rows of each tile:
//
//   parallel for each tile:  output[its end] = all rows of the tile
//   one warp:                output[end of a tile] = all rows before
//   parallel for each tile:  output[row] = all rows before
//
// In each step of these loops, a lane has four rows that follow one another.
// The output holds what lies between the loops: no other memory is needed. A
// prefix sum is made in place: there, the last row of a tile holds what it
// comes to.
//
//===----------------------------------------------------------------------===//

#include "ScanOnDevice.h"

#include "../ScanLoop.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The number of rows that each lane has at a time.
static constexpr int64_t kEach = 4;
/// The rows of a tile for each lane: few enough for many warps, and many enough
/// for the one that scans the tiles.
static constexpr int64_t kRowsOfTile = 4 * kEach;

namespace {
using Values = SmallVector<Value>;

/// Three loops over the rows of an array.
class WarpScan {
public:
  WarpScan(Operation *op, Value input, int64_t numLanes)
      : b(op->getLoc(), op), numLanes(numLanes), zero(Number(b, 0)),
        one(Number(b, 1)), end(memref::DimOp::create(b, input, zero)),
        tiles(ceilDiv(Number(b, end), rowsOfTile())) {}
  virtual ~WarpScan() = default;

  void emit() {
    forEach(tiles, [&](Value tile) { combineTile(tile); });
    forEach(one, [&](Value) { scanTiles(); });
    forEach(tiles, [&](Value tile) { scanTile(tile); });
  }

protected:
  virtual Values none() = 0;
  virtual Values combine(ValueRange x, ValueRange y) = 0;
  virtual Values load(Value row) = 0;
  /// Loads the sum of a tile, after the second loop with all tiles before it.
  virtual Values loadTile(Value tile) = 0;
  virtual void storeTile(Value tile, ValueRange values) = 0;
  /// Stores what comes before the first tile.
  virtual void begin() {}
  virtual void scanTile(Value tile) = 0;

  Number rowsOfTile() { return Number(b, kRowsOfTile * numLanes); }
  /// The first row of a tile, which is the one after the last of the tile
  /// before, or the end of all rows.
  Number startOf(Value tile) {
    Number row = Number(b, tile) * rowsOfTile();
    return min(row, end);
  }
  Number after(Value number) { return Number(b, number) + one; }

  /// A warp for each worker.
  void forEach(Value workers, llvm::function_ref<void(Value)> body) {
    auto loop = ParallelOp::create(b, workers, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    lanes = Lanes::create(b, numLanes);
    body(loop.getWorker());
  }

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

  void once(llvm::function_ref<void()> body) { emitIf(lanes.isFirst(b), body); }

  void combineTile(Value tile) {
    Values sum =
        scanRows(tile, sizeOf(tile), none(), [](Value, Value, ValueRange) {});
    once([&] { storeTile(tile, sum); });
  }

  void scanTiles() {
    once([&] { begin(); });
    scan(
        tiles, none(), [&](Value tile) { return loadTile(tile); },
        [&](Value tile, Value isThere, ValueRange all) {
          emitIf(isThere, [&] { storeTile(tile, all); });
        });
  }

  ImplicitLocOpBuilder b;
  int64_t numLanes;
  Value zero, one, end, tiles;
  Lanes lanes;
};

/// Row n of the output combines all rows before: what a tile comes to is the
/// first row of the next one.
class ExclusiveScan final : public WarpScan {
public:
  ExclusiveScan(ExclusiveScanOp op, int64_t numLanes)
      : WarpScan(op, op.getInput(), numLanes), op(op), rows(b, op) {}

private:
  Values none() override { return rows.none(); }
  Values combine(ValueRange x, ValueRange y) override {
    return rows.combine(x, y);
  }
  Values load(Value row) override { return rows.load(op.getInput(), row); }
  Values loadTile(Value tile) override {
    return rows.load(op.getOutput(), startOf(after(tile)));
  }
  void storeTile(Value tile, ValueRange values) override {
    rows.store(startOf(after(tile)), values);
  }
  void begin() override { rows.store(zero, rows.none()); }

  void scanTile(Value tile) override {
    Value from = startOf(tile), last = startOf(after(tile));
    scanRows(tile, sizeOf(tile), rows.load(op.getOutput(), from),
             [&](Value n, Value, ValueRange all) {
               Value row = after(Number(b, from) + n);
               emitIf(Number(b, row) < last, [&] { rows.store(row, all); });
             });
  }

  ExclusiveScanOp op;
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
  Number lastOf(Value tile) { return startOf(after(tile)) - one; }
  Values loadTile(Value tile) override { return load(lastOf(tile)); }
  void storeTile(Value tile, ValueRange sum) override {
    memref::StoreOp::create(b, sum[0], values, lastOf(tile));
  }

  void scanTile(Value tile) override {
    Number isFirst = Number(b, tile) == zero;
    Value before = select(isFirst, one, tile) - one;
    Values sum = choose(isFirst, none(), loadTile(before));
    Value from = startOf(tile);
    Value count = sizeOf(tile) - one;
    scanRows(tile, count, sum, [&](Value n, Value isThere, ValueRange all) {
      emitIf(isThere, [&] {
        Value row = Number(b, from) + n, sum = all[0];
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
