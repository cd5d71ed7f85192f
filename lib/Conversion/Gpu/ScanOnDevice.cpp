//===- ScanOnDevice.cpp - The scan of many parts --------------------------===//
//
// Combining is associative. So rows are combined in runs, the runs of a tile in
// that tile, tiles in chunks, and chunks by one thread:
//
//   parallel for each run:    output[its end] = all rows of the run
//                             sync; one run of each tile: the same, from the
//                             beginning of the tile on
//   parallel for each chunk:  output[end of a tile] = the same, from the
//                             beginning of the chunk, then of all rows, on
//   parallel for each run:    output[row] = all rows before
//
// The output holds what lies between the loops: no other memory is needed.
//
//===----------------------------------------------------------------------===//

#include "ScanOnDevice.h"

#include "../ScanLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The rows of a run, and the runs of a tile: then its window of the input,
/// with a column or some, fits in the memory that its threads share.
static constexpr int64_t kRun = 32, kRunsOfTile = 32;
/// The chunks of tiles, of which all belong to one tile themselves.
static constexpr int64_t kChunks = 32;

namespace {
using Values = SmallVector<Value>;
using RowOf = llvm::function_ref<Value(Value)>;

class ScanOnDevice {
public:
  explicit ScanOnDevice(ExclusiveScanOp op)
      : b(op.getLoc(), op), op(op), rows(b, op), zero(constant(0)),
        one(constant(1)), end(memref::DimOp::create(b, op.getInput(), zero)),
        runs(ceilDiv(end, kRun)), tiles(ceilDiv(end, kRun * kRunsOfTile)) {}

  void emit() {
    combineRuns();
    combineTiles();
    scanRuns();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value ceilDiv(Value number, int64_t by) {
    return arith::CeilDivUIOp::create(b, number, constant(by));
  }
  Value after(Value number) { return arith::AddIOp::create(b, number, one); }
  Value before(Value number) { return arith::SubIOp::create(b, number, one); }
  /// min(number * size, most)
  Value startOf(Value number, Value size, Value most) {
    Value start = arith::MulIOp::create(b, number, size);
    return arith::MinUIOp::create(b, start, most);
  }
  /// The row after the last of a run or of a tile.
  Value endOfRun(Value run) { return startOf(after(run), constant(kRun), end); }
  Value endOfTile(Value tile) {
    return startOf(after(tile), constant(kRun * kRunsOfTile), end);
  }

  /// if x predicate y: body
  void emitIf(arith::CmpIPredicate predicate, Value x, Value y,
              llvm::function_ref<void()> body) {
    Value condition = arith::CmpIOp::create(b, predicate, x, y);
    auto branch = scf::IfOp::create(b, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  /// Workers in tiles, and a window of the input for each tile of runs.
  void forEach(Value workers, int64_t perTile, int64_t bytes,
               llvm::function_ref<void(Value, TileOp)> body) {
    auto loop = ParallelOp::create(b, workers, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    Type index = b.getIndexType();
    auto tile = TileOp::create(b, index, index, loop.getWorker(), workers,
                               perTile, b.getI64IntegerAttr(bytes));
    body(loop.getWorker(), tile);
  }

  void forEachRun(llvm::function_ref<void(Value, TileOp)> body) {
    int64_t bytes = kRunsOfTile * kRun * op.getNumColumns() * sizeof(int64_t);
    forEach(runs, kRunsOfTile, bytes, [&](Value run, TileOp tile) {
      Value first = startOf(tile.getBegin(), constant(kRun), end);
      Value last = startOf(tile.getEnd(), constant(kRun), end);
      StageInOp::create(b, op.getInput(), first, last);
      body(run, tile);
    });
  }

  /// sum = none; for n in from .. to: output[rowOf(n)] = sum =
  ///                                      combine(sum, output[rowOf(n)])
  void sumUp(Value from, Value to, RowOf rowOf) {
    auto loop = scf::ForOp::create(b, from, to, one, rows.none());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = rowOf(loop.getInductionVar());
    Values sum =
        rows.combine(loop.getRegionIterArgs(), rows.load(op.getOutput(), row));
    rows.store(row, sum);
    scf::YieldOp::create(b, sum);
  }

  void combineRuns() {
    forEachRun([&](Value run, TileOp tile) {
      Value from = startOf(run, constant(kRun), end), to = endOfRun(run);
      rows.store(to, rows.scan(from, to, rows.none(), /*isStored=*/false));
      TileSyncOp::create(b);
      emitIf(arith::CmpIPredicate::eq, run, tile.getBegin(), [&] {
        sumUp(tile.getBegin(), tile.getEnd(),
              [&](Value other) { return endOfRun(other); });
      });
    });
  }

  void combineTiles() {
    Value each = ceilDiv(tiles, kChunks);
    Value chunks = arith::CeilDivUIOp::create(b, tiles, each);
    auto rowOf = [&](Value tile) { return endOfTile(tile); };
    auto lastOf = [&](Value chunk) {
      return before(startOf(after(chunk), each, tiles));
    };
    forEach(chunks, kChunks, /*bytes=*/1, [&](Value chunk, TileOp) {
      Value from = startOf(chunk, each, tiles), last = lastOf(chunk);
      sumUp(from, after(last), rowOf);
      TileSyncOp::create(b);
      emitIf(arith::CmpIPredicate::eq, chunk, zero, [&] {
        rows.store(zero, rows.none());
        sumUp(zero, chunks, [&](Value n) { return rowOf(lastOf(n)); });
      });
      TileSyncOp::create(b);
      emitIf(arith::CmpIPredicate::ne, chunk, zero,
             [&] { addToTiles(from, last); });
    });
  }

  /// for n in from .. to: output[end of n] =
  ///     combine(output[end of from - 1], output[end of n])
  void addToTiles(Value from, Value to) {
    Values sum = rows.load(op.getOutput(), endOfTile(before(from)));
    auto loop = scf::ForOp::create(b, from, to, one);
    b.setInsertionPointToStart(loop.getBody());
    Value row = endOfTile(loop.getInductionVar());
    rows.store(row, rows.combine(sum, rows.load(op.getOutput(), row)));
  }

  /// The first row of a tile has its value already, and is read by all runs of
  /// the tile.
  void scanRuns() {
    forEachRun([&](Value run, TileOp tile) {
      Value from = startOf(run, constant(kRun), end);
      Value first = startOf(tile.getBegin(), constant(kRun), end);
      Values ofTile = rows.load(op.getOutput(), first);
      Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, run,
                                            tile.getBegin());
      Values inTile = rows.combine(ofTile, rows.load(op.getOutput(), from)),
             sum;
      for (auto [own, all] : llvm::zip(inTile, ofTile))
        sum.push_back(arith::SelectOp::create(b, isFirst, all, own));
      emitIf(arith::CmpIPredicate::ne, run, tile.getBegin(),
             [&] { rows.store(from, sum); });
      auto loop = scf::ForOp::create(b, from, before(endOfRun(run)), one, sum);
      b.setInsertionPointToStart(loop.getBody());
      Value row = loop.getInductionVar();
      Values next =
          rows.combine(loop.getRegionIterArgs(), rows.load(op.getInput(), row));
      rows.store(after(row), next);
      scf::YieldOp::create(b, next);
    });
  }

  ImplicitLocOpBuilder b;
  ExclusiveScanOp op;
  ScanBuilder rows;
  Value zero, one, end, runs, tiles;
};
} // namespace

void nacho::scanOnDevice(ExclusiveScanOp op) {
  ScanOnDevice(op).emit();
  op.erase();
}
