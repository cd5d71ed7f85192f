//===- ParallelToCPU.cpp - The backend contract on OpenMP -----------------===//
//
// The number of threads is a value, which upstream's scf-to-openmp cannot
// express. Parts are handed out dynamically: they cost the same, but the
// machine's cores need not be equally fast.
//
//===----------------------------------------------------------------------===//

#include "ScanLoop.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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

static void lowerParallel(ParallelOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  omp::ParallelOperands parallelClauses;
  parallelClauses.ifExpr =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, op.getThreads(), one);
  Value threads =
      arith::IndexCastOp::create(b, b.getI32Type(), op.getThreads());
  parallelClauses.numThreads = threads;
  auto parallel = omp::ParallelOp::create(b, parallelClauses);
  b.createBlock(&parallel.getRegion());

  omp::WsloopOperands loopClauses;
  loopClauses.scheduleKind = omp::ClauseScheduleKindAttr::get(
      b.getContext(), omp::ClauseScheduleKind::Dynamic);
  auto wsloop = omp::WsloopOp::create(b, loopClauses);
  omp::TerminatorOp::create(b);
  b.createBlock(&wsloop.getRegion());

  omp::LoopNestOperands nestClauses;
  nestClauses.loopLowerBounds = {zero};
  nestClauses.loopUpperBounds = {op.getWorkers()};
  nestClauses.loopSteps = {one};
  auto nest = omp::LoopNestOp::create(b, nestClauses);
  Block *body = op.getBodyBlock();
  nest.getRegion().takeBody(op.getBody());
  Operation *yield = body->getTerminator();
  b.setInsertionPoint(yield);
  omp::YieldOp::create(b);
  yield->erase();
  op.erase();
}

/// The declaration of the runtime's function; all arguments are integers or
/// addresses.
static func::FuncOp declareSort(ModuleOp module) {
  if (auto known = module.lookupSymbol<func::FuncOp>(kSortSymbol))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Type word = b.getI64Type();
  auto type =
      b.getFunctionType({word, word, word, word, word, word}, {b.getI32Type()});
  auto func = func::FuncOp::create(b, module.getLoc(), kSortSymbol, type);
  func.setPrivate();
  return func;
}

/// columns = [address, bytes, extent, ...]
/// status |= nacho_sort_entries(columns, n, values, bytes, entries, threads)
static void lowerSort(SortOp op, func::FuncOp callee) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type word = b.getI64Type();
  auto toWord = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, word, value);
  };
  auto addressOf = [&](Value buffer) -> Value {
    return toWord(memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  auto bytesOf = [&](Value buffer) -> Value {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    int64_t parts = 1;
    if (auto complex = dyn_cast<ComplexType>(element)) {
      element = complex.getElementType();
      parts = 2;
    }
    return constant(parts *
                    llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  };
  int64_t count = op.getCoordinates().size();
  Value columns =
      memref::AllocaOp::create(b, MemRefType::get({3 * count}, word));
  for (auto [n, coordinates, extent] :
       llvm::enumerate(op.getCoordinates(), op.getExtents()))
    for (auto [k, value] : llvm::enumerate(ArrayRef<Value>(
             {addressOf(coordinates), bytesOf(coordinates), toWord(extent)}))) {
      Value at = arith::ConstantIndexOp::create(b, 3 * n + k);
      memref::StoreOp::create(b, value, columns, at);
    }
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value entries = memref::DimOp::create(b, op.getCoordinates().front(), zero);
  auto call = func::CallOp::create(
      b, callee,
      ValueRange{addressOf(columns), constant(count), addressOf(op.getValues()),
                 bytesOf(op.getValues()), toWord(entries),
                 toWord(op.getThreads())});
  Value before = memref::LoadOp::create(b, op.getStatus());
  Value after = arith::OrIOp::create(b, before, call.getResult(0));
  memref::StoreOp::create(b, after, op.getStatus());
  op.erase();
}

namespace {
struct ParallelToCPU
    : nacho::impl::ConvertNachoParallelToCPUBase<ParallelToCPU> {
  void runOnOperation() override {
    getOperation().walk([](ParallelOp op) { lowerParallel(op); });
    getOperation().walk([](ExclusiveScanOp op) {
      OpBuilder builder(op);
      emitScanLoop(builder, op);
      op.erase();
    });
    getOperation().walk(
        [&](SortOp op) { lowerSort(op, declareSort(getOperation())); });
  }
};
} // namespace
