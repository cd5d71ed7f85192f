//===- ParallelToCPU.cpp - The backend contract on OpenMP -----------------===//
//
// Upstream's scf-to-openmp cannot express a number of threads that is only
// known at run time. Parts are handed out dynamically: they have equal costs,
// but cores need not be equally fast. Threads draw the number of the next part
// from an atomic counter, which takes a few nanoseconds. OpenMP's own dynamic
// schedule can take microseconds, as some distributions' libraries format
// debug messages in it.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "ScanLoop.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOPARALLELTOCPU
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// next = 0
/// each thread of a team: while (worker = next++) < workers: body(worker)
static void lowerParallel(ParallelOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type index = b.getIndexType();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value workers = op.getWorkers();
  Value next = memref::AllocaOp::create(b, MemRefType::get({}, b.getI64Type()));
  memref::StoreOp::create(b, arith::ConstantIntOp::create(b, 0, 64), next);
  omp::ParallelOperands clauses;
  clauses.ifExpr =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, op.getThreads(), one);
  Value threads =
      arith::IndexCastOp::create(b, b.getI32Type(), op.getThreads());
  clauses.numThreads = threads;
  auto parallel = omp::ParallelOp::create(b, clauses);
  b.createBlock(&parallel.getRegion());

  auto loop = scf::WhileOp::create(b, index, ValueRange());
  b.createBlock(&loop.getBefore());
  Value step = arith::ConstantIntOp::create(b, 1, 64);
  Value taken = memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi, step,
                                            next, ValueRange());
  Value worker = arith::IndexCastOp::create(b, index, taken);
  Value isOne =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, worker, workers);
  scf::ConditionOp::create(b, isOne, worker);
  b.setInsertionPointAfter(loop);
  omp::TerminatorOp::create(b);

  Block *body = op.getBodyBlock();
  loop.getAfter().takeBody(op.getBody());
  Operation *yield = body->getTerminator();
  b.setInsertionPoint(yield);
  scf::YieldOp::create(b);
  yield->erase();
  // Hoist allocas out of the loop over workers: the workers of one thread use
  // the same memory, one after the other.
  loop.walk([&](memref::AllocaOp alloca) {
    if (alloca->getNumOperands() == 0)
      alloca->moveBefore(loop);
  });
  op.erase();
}

/// The slot is the number of the thread in the team of the nacho.parallel.
static void lowerSlot(SlotOp op, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  func::FuncOp number =
      declare(module, "omp_get_thread_num", 0, b.getI32Type());
  Value thread = func::CallOp::create(b, number, ValueRange()).getResult(0);
  op.replaceAllUsesWith(
      arith::IndexCastOp::create(b, b.getIndexType(), thread).getResult());
  op.erase();
}

static Value asWord(ImplicitLocOpBuilder &b, Value value) {
  return arith::IndexCastOp::create(b, b.getI64Type(), value);
}

static Value addressOf(ImplicitLocOpBuilder &b, Value buffer) {
  return asWord(b, memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
}

static Value sizeOf(ImplicitLocOpBuilder &b, Value buffer) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return asWord(b, memref::DimOp::create(b, buffer, zero));
}

/// The bytes of an element of a buffer.
static Value bytesOf(ImplicitLocOpBuilder &b, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t parts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return arith::ConstantIntOp::create(b, parts * llvm::divideCeil(bits, 8), 64);
}

/// nacho_prefix_sum(values, bytes, entries, threads)
static void lowerPrefixSum(PrefixSumOp op, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value values = op.getValues();
  func::CallOp::create(b, declare(module, kPrefixSumSymbol, 4, {}),
                       ValueRange{addressOf(b, values), bytesOf(b, values),
                                  sizeOf(b, values),
                                  asWord(b, op.getThreads())});
  op.erase();
}

/// columns = [address, bytes, extent, ...]
/// status |= nacho_sort_entries(columns, n, keys, values, bytes, entries,
///                              threads)
static void lowerSort(SortOp op, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  SmallVector<std::pair<Value, Value>> arrays;
  Value zero = constant(0);
  for (auto [coordinates, extent] :
       llvm::zip(op.getCoordinates(), op.getExtents()))
    arrays.push_back({coordinates, asWord(b, extent)});
  for (Value coordinates : op.getAlong())
    arrays.push_back({coordinates, zero});
  int64_t count = arrays.size();
  Value columns =
      memref::AllocaOp::create(b, MemRefType::get({3 * count}, b.getI64Type()));
  for (auto [n, array] : llvm::enumerate(arrays)) {
    auto [coordinates, extent] = array;
    Value column[] = {addressOf(b, coordinates), bytesOf(b, coordinates),
                      extent};
    for (auto [k, value] : llvm::enumerate(column)) {
      Value at = arith::ConstantIndexOp::create(b, 3 * n + k);
      memref::StoreOp::create(b, value, columns, at);
    }
  }
  auto call = func::CallOp::create(
      b, declare(module, kSortSymbol, 7, b.getI32Type()),
      ValueRange{addressOf(b, columns), constant(count),
                 constant(op.getCoordinates().size()),
                 addressOf(b, op.getValues()), bytesOf(b, op.getValues()),
                 sizeOf(b, op.getCoordinates().front()),
                 asWord(b, op.getThreads())});
  Value before = memref::LoadOp::create(b, op.getStatus());
  Value after = arith::OrIOp::create(b, before, call.getResult(0));
  memref::StoreOp::create(b, after, op.getStatus());
  op.erase();
}

namespace {
struct ParallelToCPU
    : nacho::impl::ConvertNachoParallelToCPUBase<ParallelToCPU> {
  void runOnOperation() override {
    getOperation().walk([&](SlotOp op) { lowerSlot(op, getOperation()); });
    getOperation().walk([](ParallelOp op) { lowerParallel(op); });
    getOperation().walk([](ExclusiveScanOp op) {
      OpBuilder builder(op);
      emitScanLoop(builder, op);
      op.erase();
    });
    getOperation().walk([&](SortOp op) { lowerSort(op, getOperation()); });
    getOperation().walk(
        [&](PrefixSumOp op) { lowerPrefixSum(op, getOperation()); });
  }
};
} // namespace
