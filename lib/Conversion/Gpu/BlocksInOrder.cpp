//===- BlocksInOrder.cpp - Blocks that wait for those before them ---------===//
//
// Words are accessed atomically by the first thread of a block: a barrier and a
// fence lie between what all of its threads store and what it tells, and
// between what it hears and what all of them load.
//
//===----------------------------------------------------------------------===//

#include "BlocksInOrder.h"

#include "HostSide.h"
#include "WarpOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <functional>

using namespace mlir;
using namespace nacho;
using arith::AtomicRMWKind;

/// The words: how many blocks are taken, and how many are done.
static constexpr int64_t kTaken = 0, kDone = 1, kWords = 2;

BlocksInOrder::BlocksInOrder(ImplicitLocOpBuilder &b, AwaitOp await,
                             Value blocks, int64_t size)
    : b(b), await(await), blocks(blocks), size(size) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value numBytes = Number(b, kWords * 8);
  auto alloc = gpu::AllocOp::create(b, type, Type(), ValueRange(), numBytes,
                                    ValueRange());
  alloc->setAttr(kZerosAttr, b.getUnitAttr());
  bytes = alloc.getMemref();
  words = memref::ViewOp::create(b, MemRefType::get({kWords}, b.getI64Type()),
                                 bytes, Number(b, 0), ValueRange());
}

void BlocksInOrder::release() {
  auto dealloc = gpu::DeallocOp::create(b, Type(), ValueRange(), bytes);
  dealloc->setAttr(kZerosAttr, b.getUnitAttr());
}

/// Updates a word, and returns what it was.
Value BlocksInOrder::update(AtomicRMWKind kind, int64_t value, int64_t at) {
  Value word = Number(b, value, b.getI64Type()), place = Number(b, at);
  return memref::AtomicRMWOp::create(b, kind, word, words, place);
}

/// Computes how many blocks the first worker of a block waits for.
Value BlocksInOrder::numAwaited(Value block) {
  auto workers = cast<ParallelOp>(await->getParentOp());
  IRMapping copies;
  copies.map(workers.getWorker(), Number(b, block) * size);
  std::function<Value(Value)> repeat = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (copies.contains(value) || !op ||
        op->getBlock() != workers.getBodyBlock())
      return copies.lookupOrDefault(value);
    for (Value operand : op->getOperands())
      repeat(operand);
    b.clone(*op, copies);
    return copies.lookup(value);
  };
  return Number(b, repeat(await.getWorkers())) / size;
}

static Value isFirst(ImplicitLocOpBuilder &b, gpu::LaunchOp launch) {
  return Number(b, launch.getThreadIds().x) == 0;
}

/// if it is the first thread:
///   block = taken++
///   while done < those that it waits for
///   shared = block
/// barrier
/// return shared
Value BlocksInOrder::begin(gpu::LaunchOp launch) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get({1}, b.getI64Type(), MemRefLayoutAttrInterface(), space);
  Value shared = launch.addWorkgroupAttribution(type, b.getLoc());
  Value zero = Number(b, 0);
  auto once =
      scf::IfOp::create(b, isFirst(b, launch), /*withElseRegion=*/false);
  b.setInsertionPointToStart(once.thenBlock());
  Value taken = update(AtomicRMWKind::addi, 1, kTaken);
  Value awaited = numAwaited(Number(b, taken).asIndex());
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  b.createBlock(&loop.getBefore());
  Number done(b, update(AtomicRMWKind::ori, 0, kDone));
  scf::ConditionOp::create(b, done.asIndex() < awaited, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b);
  b.setInsertionPointAfter(loop);
  emitFence(b, b.getLoc());
  memref::StoreOp::create(b, taken, shared, zero);
  b.setInsertionPointAfter(once);
  gpu::BarrierOp::create(b);
  // That there are no more blocks tells how large the numbers of workers are.
  Number block(b, memref::LoadOp::create(b, shared, zero));
  return min(block.asIndex(), blocks);
}

/// barrier
/// if it is the first thread:
///   if done++ is the last one: taken = done = 0
void BlocksInOrder::end(gpu::LaunchOp launch) {
  gpu::BarrierOp::create(b);
  auto once =
      scf::IfOp::create(b, isFirst(b, launch), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(once.thenBlock());
  emitFence(b, b.getLoc());
  Number before(b, update(AtomicRMWKind::addi, 1, kDone));
  Value isLast = before.asIndex() + 1 == blocks;
  auto ifLast = scf::IfOp::create(b, isLast, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifLast.thenBlock());
  update(AtomicRMWKind::assign, 0, kTaken);
  update(AtomicRMWKind::assign, 0, kDone);
}
