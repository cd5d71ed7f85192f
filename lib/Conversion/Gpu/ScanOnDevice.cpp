//===- ScanOnDevice.cpp - The scan of many parts --------------------------===//
//
// Combining is associative. A warp combines the rows of a tile, another one the
// tiles, and warps then scan the rows of each tile:
//
//   parallel for each tile:  output[its end] = all rows of the tile
//   one warp:                output[end of a tile] = all rows before
//   parallel for each tile:  output[row] = all rows before
//
// In each step of these loops, the lanes have 128 rows that follow one another.
// The output holds what lies between the loops: no other memory is needed.
//
//===----------------------------------------------------------------------===//

#include "ScanOnDevice.h"

#include "../ScanLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// How many rows each lane has at a time.
static constexpr int64_t kLanes = 32, kEach = 4;
/// The rows of a tile: few enough for many warps, and many enough for the one
/// that scans the tiles.
static constexpr int64_t kRowsOfTile = 4 * kEach * kLanes;

namespace {
using Values = SmallVector<Value>;

class ScanOnDevice {
public:
  explicit ScanOnDevice(ExclusiveScanOp op)
      : b(op.getLoc(), op), op(op), rows(b, op), zero(constant(0)),
        one(constant(1)), end(memref::DimOp::create(b, op.getInput(), zero)),
        tiles(arith::CeilDivUIOp::create(b, end, constant(kRowsOfTile))) {}

  void emit() {
    forEach(tiles, [&](Value tile) { combineTile(tile); });
    forEach(one, [&](Value) { scanTiles(); });
    forEach(tiles, [&](Value tile) { scanTile(tile); });
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  /// The first row of a tile, which is the one after the last of the tile
  /// before, or the end of all rows.
  Value startOf(Value tile) {
    Value row = arith::MulIOp::create(b, tile, constant(kRowsOfTile));
    return arith::MinUIOp::create(b, row, end);
  }
  Value after(Value number) { return arith::AddIOp::create(b, number, one); }

  /// A warp for each worker.
  void forEach(Value workers, llvm::function_ref<void(Value)> body) {
    auto loop = ParallelOp::create(b, workers, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    lane = LaneOp::create(b, b.getIndexType(), kLanes);
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
      chosen.push_back(arith::SelectOp::create(b, condition, x, y));
    return chosen;
  }

  /// The row that another lane has.
  Values fromLane(ValueRange row, Value other) {
    Values found;
    for (Value value : row) {
      Value bits = arith::IndexCastOp::create(b, b.getI64Type(), value);
      bits = FromLaneOp::create(b, bits, other);
      found.push_back(arith::IndexCastOp::create(b, b.getIndexType(), bits));
    }
    return found;
  }

  /// Combines the row of each lane with those of all lanes before.
  Values scanLanes(Values row) {
    for (int64_t distance = 1; distance < kLanes; distance *= 2) {
      Value other = arith::AddIOp::create(b, lane, constant(kLanes - distance));
      other = arith::RemUIOp::create(b, other, constant(kLanes));
      Values both = rows.combine(fromLane(row, other), row);
      Value isFar =
          compare(arith::CmpIPredicate::uge, lane, constant(distance));
      row = choose(isFar, both, row);
    }
    return row;
  }

  /// sum = first
  /// for n = 4 * lane; n - 4 * lane < count; n += 4 * 32:
  ///   for m in n .. n + 4:
  ///     all = sum combined with rows[rowOf(0)] to rows[rowOf(m)]
  ///     visit(m, whether m < count, all)
  ///   sum = the last lane's last one
  ///
  /// The four loads of a lane do not wait for each other.
  Values scan(Value count, ValueRange first, Value array,
              llvm::function_ref<Value(Value)> rowOf,
              llvm::function_ref<void(Value, Value, ValueRange)> visit) {
    auto loop =
        scf::ForOp::create(b, zero, count, constant(kEach * kLanes), first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value begin = arith::MulIOp::create(b, lane, constant(kEach));
    begin = arith::AddIOp::create(b, loop.getInductionVar(), begin);
    Value last = arith::SubIOp::create(b, count, one);
    SmallVector<std::pair<Value, Value>> numbers;
    SmallVector<Values> own;
    for (int64_t k = 0; k < kEach; ++k) {
      Value n = arith::AddIOp::create(b, begin, constant(k));
      Value isThere = compare(arith::CmpIPredicate::ult, n, count);
      numbers.push_back({n, isThere});
      own.push_back(choose(
          isThere, rows.load(array, rowOf(arith::MinUIOp::create(b, n, last))),
          rows.none()));
    }
    for (int64_t k = 1; k < kEach; ++k)
      own[k] = rows.combine(own[k - 1], own[k]);
    Values all = scanLanes(own.back());
    ValueRange sum = loop.getRegionIterArgs();
    Value isFirst = compare(arith::CmpIPredicate::eq, lane, zero);
    Value before = arith::AddIOp::create(b, lane, constant(kLanes - 1));
    before = arith::RemUIOp::create(b, before, constant(kLanes));
    Values base =
        rows.combine(sum, choose(isFirst, rows.none(), fromLane(all, before)));
    for (auto [number, row] : llvm::zip(numbers, own))
      visit(number.first, number.second, rows.combine(base, row));
    scf::YieldOp::create(
        b, rows.combine(sum, fromLane(all, constant(kLanes - 1))));
    return Values(loop.getResults());
  }

  /// Scans the rows of a tile, in the input.
  Values scanInput(Value tile, ValueRange first,
                   llvm::function_ref<void(Value, Value, ValueRange)> visit) {
    Value from = startOf(tile);
    Value count = arith::SubIOp::create(b, startOf(after(tile)), from);
    auto rowOf = [&](Value n) { return arith::AddIOp::create(b, from, n); };
    return scan(count, first, op.getInput(), rowOf, visit);
  }

  void storeOnce(Value row, ValueRange values) {
    emitIf(compare(arith::CmpIPredicate::eq, lane, zero),
           [&] { rows.store(row, values); });
  }

  void combineTile(Value tile) {
    Values sum = scanInput(tile, rows.none(), [](Value, Value, ValueRange) {});
    storeOnce(startOf(after(tile)), sum);
  }

  void scanTiles() {
    storeOnce(zero, rows.none());
    auto rowOf = [&](Value n) { return startOf(after(n)); };
    scan(tiles, rows.none(), op.getOutput(), rowOf,
         [&](Value n, Value isThere, ValueRange all) {
           emitIf(isThere, [&] { rows.store(startOf(after(n)), all); });
         });
  }

  /// The first row of a tile has its value already.
  void scanTile(Value tile) {
    Value from = startOf(tile), last = startOf(after(tile));
    scanInput(tile, rows.load(op.getOutput(), from),
              [&](Value n, Value, ValueRange all) {
                Value row = after(arith::AddIOp::create(b, from, n));
                emitIf(compare(arith::CmpIPredicate::ult, row, last),
                       [&] { rows.store(row, all); });
              });
  }

  ImplicitLocOpBuilder b;
  ExclusiveScanOp op;
  ScanBuilder rows;
  Value zero, one, end, tiles, lane;
};
} // namespace

void nacho::scanOnDevice(ExclusiveScanOp op) {
  ScanOnDevice(op).emit();
  op.erase();
}
