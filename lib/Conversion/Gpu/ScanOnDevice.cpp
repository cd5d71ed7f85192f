//===- ScanOnDevice.cpp - The scan of many parts --------------------------===//
//
// Combining is associative. So runs of rows are combined at the same time, then
// what they come to, one run after the other, and then each run is scanned:
//
//   parallel for each run:   output[end of the run] = all rows of the run
//   one worker, run by run:  output[end] = combine(output[begin], output[end])
//   parallel for each run:   scan the run, from output[begin] on
//
// The output holds what lies between the three loops: no other memory is
// needed.
//
//===----------------------------------------------------------------------===//

#include "ScanOnDevice.h"

#include "../ScanLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The rows of a run, and the runs that a block does: then its window of the
/// input, with a column or some, fits in the memory that its threads share.
static constexpr int64_t kRun = 32, kRunsOfBlock = 32;

namespace {
using Values = SmallVector<Value>;

class ScanOnDevice {
public:
  explicit ScanOnDevice(ExclusiveScanOp op)
      : b(op.getLoc(), op), op(op), rows(b, op),
        zero(arith::ConstantIndexOp::create(b, 0)),
        one(arith::ConstantIndexOp::create(b, 1)),
        each(arith::ConstantIndexOp::create(b, kRun)),
        end(memref::DimOp::create(b, op.getInput(), zero)),
        runs(arith::CeilDivUIOp::create(b, end, each)) {}

  void emit() {
    Values none = rows.none();
    forEachRun([&](Value from, Value to) {
      rows.store(to, rows.scan(from, to, none, /*isStored=*/false));
    });
    combineRuns(none);
    forEachRun([&](Value from, Value to) {
      Values first = rows.load(op.getOutput(), from);
      rows.scan(from, to, first, /*isStored=*/true);
    });
  }

private:
  Value beginOf(Value run) { return arith::MulIOp::create(b, run, each); }
  Value endOf(Value run) {
    Value next = arith::AddIOp::create(b, beginOf(run), each);
    return arith::MinUIOp::create(b, next, end);
  }

  void forEachRun(llvm::function_ref<void(Value, Value)> body) {
    auto workers = ParallelOp::create(b, runs, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    Type index = b.getIndexType();
    auto tile = TileOp::create(b, index, index, workers.getWorker(), runs,
                               kRunsOfBlock);
    Value first = beginOf(tile.getBegin()), last = beginOf(tile.getEnd());
    StageInOp::create(b, op.getInput(), first, last);
    Value from = beginOf(workers.getWorker()), to = endOf(workers.getWorker());
    body(from, to);
  }

  void combineRuns(ValueRange none) {
    auto worker = ParallelOp::create(b, one, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(worker.getBodyBlock());
    rows.store(zero, none);
    auto loop = scf::ForOp::create(b, zero, runs, one, none);
    b.setInsertionPointToStart(loop.getBody());
    Value last = endOf(loop.getInductionVar());
    auto sum =
        rows.combine(loop.getRegionIterArgs(), rows.load(op.getOutput(), last));
    rows.store(last, sum);
    scf::YieldOp::create(b, sum);
  }

  ImplicitLocOpBuilder b;
  ExclusiveScanOp op;
  ScanBuilder rows;
  Value zero, one, each, end, runs;
};
} // namespace

void nacho::scanInRuns(ExclusiveScanOp op) {
  ScanOnDevice(op).emit();
  op.erase();
}
