//===- AccessOnDevice.cpp - Launches in place of accesses by the host -----===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Errors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOACCESSONDEVICE
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether an operation stays on the host: it launches a kernel, calls a
/// function that does, or has such operations inside.
static bool staysOnHost(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         op->walk([](Operation *inner) {
             return isa<gpu::LaunchOp, func::CallOp>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

/// Whether an operation, or one inside of it, reads or writes memory.
template <typename Effect>
static bool has(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return !effects ||
         llvm::any_of(*effects,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return isa<Effect>(effect.getEffect());
                      });
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// Moves operations that write, and copies of those between them, into a launch
/// of a single thread. Fails if the host needs what one of them returns.
static LogicalResult launchOnce(ArrayRef<Operation *> ops) {
  Block *block = ops.front()->getBlock();
  auto isMoved = [ops, block](Operation *user) {
    Operation *op = block->findAncestorOpInBlock(*user);
    return llvm::is_contained(ops, op) && has<MemoryEffects::Write>(op);
  };
  for (Operation *op : ops)
    if (isMoved(op) && !llvm::all_of(op->getUsers(), isMoved))
      return op->emitOpError("writes, and returns what the host uses: not "
                             "supported");
  ImplicitLocOpBuilder b(ops.front()->getLoc(), ops.back());
  b.setInsertionPointAfter(ops.back());
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto launch = gpu::LaunchOp::create(b, one, one, one, one, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  IRMapping copies;
  for (Operation *op : ops)
    b.clone(*op, copies);
  gpu::TerminatorOp::create(b);
  for (Operation *op : llvm::reverse(ops))
    if (has<MemoryEffects::Write>(op))
      op->erase();
  return success();
}

/// Moves all writes of a block of the host into launches. Those that follow
/// each other share one.
static LogicalResult launchWrites(Block &block) {
  SmallVector<Operation *> group;
  auto finish = [&] {
    while (!group.empty() && !has<MemoryEffects::Write>(group.back()))
      group.pop_back();
    LogicalResult done = group.empty() ? success() : launchOnce(group);
    group.clear();
    return done;
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!staysOnHost(&op)) {
      if (!group.empty() || has<MemoryEffects::Write>(&op))
        group.push_back(&op);
      continue;
    }
    if (failed(finish()))
      return failure();
    if (isa<gpu::LaunchOp>(op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(launchWrites(inner)))
          return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

namespace {
/// The operations of the host that a value is computed by.
struct Slice {
  /// Adds the operations, each after those that it uses. What stays on the host
  /// is not among them.
  explicit Slice(Value value) { add(value.getDefiningOp()); }

  llvm::SetVector<Operation *> ops;
  bool reads = false;

private:
  void add(Operation *op) {
    if (!op || staysOnHost(op) || ops.contains(op))
      return;
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      add(value.getDefiningOp());
    reads |= has<MemoryEffects::Read>(op);
    ops.insert(op);
  }
};
} // namespace

/// The buffers that an operation reads.
static SmallVector<Value> buffersOf(Operation *op) {
  SmallVector<Value> buffers;
  op->walk([&](Operation *inner) {
    if (has<MemoryEffects::Read>(inner))
      llvm::copy_if(
          inner->getOperands(), std::back_inserter(buffers),
          [](Value value) { return isa<MemRefType>(value.getType()); });
  });
  return buffers;
}

/// Whether an operation may write to a buffer.
static bool mayWrite(Operation *op, Value buffer) {
  return op
      ->walk([&](Operation *inner) {
        bool uses = llvm::is_contained(inner->getOperands(), buffer);
        bool writes =
            isa<func::CallOp>(inner) ||
            (inner->getNumRegions() == 0 && has<MemoryEffects::Write>(inner));
        return uses && writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether what an operation reads may have changed when a launch that comes
/// after it begins.
static bool mayChange(Operation *read, gpu::LaunchOp launch) {
  SmallVector<Value> buffers = buffersOf(read);
  for (Operation *at = launch; at->getBlock() != read->getBlock();
       at = at->getParentOp())
    if (isa<LoopLikeOpInterface>(at->getParentOp()) &&
        llvm::any_of(buffers,
                     [&](Value b) { return mayWrite(at->getParentOp(), b); }))
      return true;
  Operation *end = read->getBlock()->findAncestorOpInBlock(*launch);
  for (Operation *op = read->getNextNode(); op != end; op = op->getNextNode())
    if (llvm::any_of(buffers, [&](Value b) { return mayWrite(op, b); }))
      return true;
  return false;
}

/// Lets a launch load by itself what the host has loaded for it.
static LogicalResult loadInside(gpu::LaunchOp launch) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(launch.getBody(), used);
  IRMapping copies;
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (Value value : used) {
    Slice slice(value);
    if (!slice.reads)
      continue;
    for (Operation *op : slice.ops) {
      if (has<MemoryEffects::Read>(op) && mayChange(op, launch))
        return op->emitOpError("reads memory of the device that changes before "
                               "a kernel uses what was read");
      if (!copies.contains(op->getResult(0)))
        b.clone(*op, copies);
    }
    replaceAllUsesInRegionWith(value, copies.lookup(value), launch.getBody());
  }
  return success();
}

/// Erases what the host has read for launches only.
static LogicalResult eraseReads(func::FuncOp func) {
  SmallVector<Operation *> reads;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (op == func || staysOnHost(op))
      return WalkResult::advance();
    reads.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : llvm::reverse(reads))
    if (isOpTriviallyDead(op))
      op->erase();
    else if (has<MemoryEffects::Read>(op))
      return unsupported(
          op->emitOpError("reads memory of the device for the host itself: "
                          "not supported"));
  return success();
}

namespace {
struct AccessOnDevice : nacho::impl::NachoAccessOnDeviceBase<AccessOnDevice> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      if (failed(launchWrites(block)))
        return signalPassFailure();
    WalkResult result = getOperation().walk([](gpu::LaunchOp launch) {
      return failed(loadInside(launch)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
    });
    if (result.wasInterrupted() || failed(eraseReads(getOperation())))
      signalPassFailure();
  }
};
} // namespace
