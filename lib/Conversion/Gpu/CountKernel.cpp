//===- CountKernel.cpp - Kernels that count what they do ------------------===//
//
// The loops and branches of a kernel are operations of scf. So each block of
// operations is executed as a whole, or not at all, and threads that are in the
// same steps of all loops around a block execute it together.
//
//===----------------------------------------------------------------------===//

#include "CountKernel.h"

#include "KernelAccesses.h"
#include "nacho/Simulator/KernelCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace nacho;

/// The number of instructions that an operation counts as: none if it only
/// names memory or a constant, or if nobody uses it.
static int64_t weightOf(Operation &op) {
  bool isFree = op.hasTrait<OpTrait::ConstantLike>() ||
                op.hasTrait<OpTrait::IsTerminator>() ||
                isOpTriviallyDead(&op) ||
                isa<memref::DimOp, memref::AllocaOp, ViewLikeOpInterface>(op);
  return isFree ? 0 : 1;
}

/// Whether memory belongs to one thread, which has it in registers.
static bool isPrivate(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  auto type = cast<MemRefType>(memory.getType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return memory.getDefiningOp<memref::AllocaOp>() ||
         (space && space.getValue() == gpu::AddressSpace::Private);
}

/// Whether an operation accesses memory in a way that is not counted.
static bool isUnknown(Operation *op) {
  return op->getNumRegions() == 0 && !isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
}

namespace {
class KernelCounter {
public:
  KernelCounter(HostSide &host, Value thread) : host(host), thread(thread) {}

  void countBlock(Block &block) {
    int64_t weight = 0;
    for (Operation &op : block)
      weight += weightOf(op);
    auto b = ImplicitLocOpBuilder::atBlockBegin(thread.getLoc(), &block);
    call(b, kCountBlockSymbol, {constant(b, ++last), constant(b, weight)});
  }

  void countAccess(Operation *op, const KernelAccess &access) {
    if (isPrivate(access.memory))
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value id = constant(b, ++last);
    call(b, kCountAccessSymbol,
         {id, constant(b, int64_t(access.kind)),
          constant(b, isShared(access.memory)), addressOf(b, access),
          constant(b, access.bytes)});
  }

  /// begin; while: next, body; end
  void countSteps(Operation *loop) {
    ImplicitLocOpBuilder b(loop->getLoc(), loop);
    call(b, kBeginLoopSymbol, {});
    b.setInsertionPointAfter(loop);
    call(b, kEndLoopSymbol, {});
    b.setInsertionPointToStart(&loop->getRegion(0).front());
    call(b, kNextStepSymbol, {});
  }

private:
  Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  }
  void call(ImplicitLocOpBuilder &b, StringRef name, ValueRange arguments) {
    SmallVector<Value> all = {thread};
    llvm::append_range(all, arguments);
    host.callRuntime(b, name, LLVM::LLVMVoidType::get(b.getContext()), all);
  }

  HostSide &host;
  Value thread;
  int64_t last = 0; ///< The number of a block, or of an access.
};
} // namespace

LogicalResult nacho::countKernel(HostSide &host, Region &body, Value thread) {
  SmallVector<Operation *> ops;
  SmallVector<Block *> blocks;
  body.walk([&](Operation *op) { ops.push_back(op); });
  body.walk([&](Block *block) { blocks.push_back(block); });
  KernelCounter counter(host, thread);
  for (Block *block : blocks)
    counter.countBlock(*block);
  for (Operation *op : ops) {
    if (std::optional<KernelAccess> access = accessOf(op))
      counter.countAccess(op, *access);
    else if (isa<scf::ForOp, scf::WhileOp>(op))
      counter.countSteps(op);
    else if (isUnknown(op) || isa<LoopLikeOpInterface>(op))
      return op->emitOpError("cannot be counted");
  }
  return success();
}
