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
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace nacho;

/// Whether memory belongs to one thread, which has it in registers.
static bool isPrivate(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  auto type = cast<MemRefType>(memory.getType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return memory.getDefiningOp<memref::AllocaOp>() ||
         (space && space.getValue() == gpu::AddressSpace::Private);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Returns whether a GPU has a value in a pair of registers of 32 bits.
static bool isPair(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() > 32);
}

/// Whether a number of 32 bits is extended to the index of an access.
static bool isExtended(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  return cast && cast.getIn().getType().isInteger(32);
}

/// Whether nothing has to be done for a cast: it takes one register of a pair,
/// or an instruction that computes an address extends the number.
static bool isFreeCast(Operation &op) {
  Value result = op.getResult(0);
  if (isPair(op.getOperand(0).getType()) && !isPair(result.getType()))
    return true;
  return isExtended(result) &&
         llvm::all_of(result.getUsers(),
                      [](Operation *user) { return accessOf(user); });
}

/// Whether an op shifts a pair by one register.
static bool isShiftByHalf(Operation *op) {
  APInt by;
  return isa_and_nonnull<arith::ShRUIOp, arith::ShLIOp>(op) &&
         matchPattern(op->getOperand(1), m_ConstantInt(&by)) && by == 32;
}

/// Whether a pair is one register, extended, or moved to the high half.
static bool isHalf(Value pair) {
  if (auto shift = pair.getDefiningOp<arith::ShLIOp>(); isShiftByHalf(shift))
    pair = shift.getLhs();
  auto extended = pair.getDefiningOp<arith::ExtUIOp>();
  return extended && extended.getIn().getType().isInteger(32);
}

/// Whether an op only says which registers are a pair, as around a shuffle of
/// 64 bits, which exchanges one half at a time:
///
///   high = trunci(shrui pair, 32)
///   pair = ori(shli(extui high), 32), extui low)
static bool namesHalves(Operation &op) {
  if (isa<arith::BitcastOp>(op))
    return true;
  if (auto both = dyn_cast<arith::OrIOp>(op))
    return isHalf(both.getLhs()) && isHalf(both.getRhs());
  if (isa<arith::ShRUIOp>(op))
    return isShiftByHalf(&op) &&
           llvm::all_of(op.getUsers(), llvm::IsaPred<arith::TruncIOp>);
  return isa<arith::ShLIOp, arith::ExtUIOp>(op) && isHalf(op.getResult(0)) &&
         llvm::all_of(op.getUsers(),
                      [](Operation *user) { return namesHalves(*user); });
}

/// Returns how many instructions compute the address of an access: one if it
/// multiplies and adds numbers of 32 bits, to get one of 64 bits.
static int64_t addressWeight(const KernelAccess &access) {
  bool isOne = llvm::all_of(access.indices, isExtended);
  return isOne ? 1 : 2;
}

/// Returns how many instructions compute an integer, or choose a value.
static int64_t arithmeticWeight(Operation &op) {
  static constexpr int64_t kDivision = 20, kLongDivision = 70;
  Type type = op.getOperand(op.getNumOperands() - 1).getType();
  bool isLong = isPair(type), isFloat = isa<FloatType>(type);
  return llvm::TypeSwitch<Operation *, int64_t>(&op)
      .Case<arith::SelectOp>([&](auto) { return isLong ? 2 : 1; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
            arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(
          [&](auto) {
            IntegerAttr by;
            if (matchPattern(op.getOperand(1), m_Constant(&by)))
              return by.getValue().isPowerOf2() ? int64_t(2) : int64_t(6);
            return isLong ? kLongDivision : kDivision;
          })
      .Case<arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(
          [&](auto) { return isLong ? 4 : 1; })
      .Case<arith::MulIOp>([&](auto) { return isLong ? 3 : 1; })
      .Case<arith::MulUIExtendedOp, arith::MulSIExtendedOp>(
          [&](auto) { return isLong ? 8 : 2; })
      .Case<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto) { return isFreeCast(op) ? 0 : 1; })
      .Default([&](Operation *) { return isLong && !isFloat ? 2 : 1; });
}

/// Returns the number of instructions that an operation counts as: none if it
/// only names memory, a register or a constant, or if nobody uses it.
/// Processors compute with 32 bits of an integer at a time.
static int64_t weightOf(Operation &op) {
  static constexpr int64_t kBranch = 2;
  bool isFree = op.hasTrait<OpTrait::ConstantLike>() ||
                op.hasTrait<OpTrait::IsTerminator>() ||
                isOpTriviallyDead(&op) || namesHalves(op) ||
                isa<memref::DimOp, memref::AllocaOp, vector::ExtractOp,
                    ViewLikeOpInterface>(op);
  if (isFree)
    return 0;
  if (std::optional<KernelAccess> access = accessOf(&op))
    return isPrivate(access->memory) ? 1 : 1 + addressWeight(*access);
  if (isa<scf::IfOp>(op))
    return kBranch;
  if (isa<arith::ArithDialect>(op.getDialect()))
    return arithmeticWeight(op);
  return 1;
}

/// Returns the instructions that a loop adds to a step: those of a counter, or
/// a branch.
static int64_t weightOfStep(Block &block) {
  static constexpr int64_t kCounter = 5, kShortCounter = 3, kBranch = 1;
  if (auto loop = dyn_cast<scf::ForOp>(block.getParentOp()))
    return isPair(loop.getInductionVar().getType()) ? kCounter : kShortCounter;
  auto loop = dyn_cast<scf::WhileOp>(block.getParentOp());
  return loop && &block == loop.getBeforeBody() ? kBranch : 0;
}

/// Whether an operation accesses memory in a way that is not counted.
static bool isUnknown(Operation *op) {
  return op->getNumRegions() == 0 && !isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Whether a value depends on what a loop hands from one step to the next.
static bool isCarried(Value value, scf::ForOp loop) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.getBody() &&
           argument != loop.getInductionVar();
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return false;
  return op->getNumRegions() || llvm::any_of(op->getOperands(), [&](Value of) {
           return isCarried(of, loop);
         });
}

/// Whether an access is done for several steps of a loop at once: steps with no
/// loop of their own that know where, whatever the steps before have done.
static bool isAhead(Operation *op, const KernelAccess &access) {
  auto around = op->getParentOfType<LoopLikeOpInterface>();
  auto loop = around ? dyn_cast<scf::ForOp>(*around) : scf::ForOp();
  return loop && llvm::none_of(access.indices, [&](Value index) {
           return isCarried(index, loop);
         });
}

/// Sets how often a warp waits for each load of a block: once for all that need
/// as many others before. A processor executes the operations between a load
/// and the first that needs its value, and no warp waits for what nobody needs.
///
///   a = load x[i]        // 1
///   b = load y[i]        // 0: together with a
///   c = load z[a]        // 1
///   d = x[i] + 1 -> x[i] // 0: an atomic access, if d is not used
static void setWaits(Block &block,
                     llvm::DenseMap<Operation *, int64_t> &waits) {
  llvm::DenseMap<Operation *, int64_t> depths;
  llvm::DenseSet<int64_t> known[2]; // In global, and in shared memory.
  for (Operation &op : block) {
    int64_t depth = 0;
    for (Value operand : op.getOperands())
      depth = std::max(depth, depths.lookup(operand.getDefiningOp()));
    std::optional<KernelAccess> access = accessOf(&op);
    if (access && !op.use_empty() && !isPrivate(access->memory)) {
      ++depth;
      if (known[isShared(access->memory)].insert(depth).second)
        waits[&op] = isAhead(&op, *access) ? 1 : KernelCounts::kWaitsTogether;
    }
    depths[&op] = depth;
  }
}

namespace {
class KernelCounter {
public:
  KernelCounter(HostSide &host, Value thread) : host(host), thread(thread) {}

  void countBlock(Block &block) {
    int64_t weight = weightOfStep(block);
    for (Operation &op : block)
      weight += weightOf(op);
    setWaits(block, waits);
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
          constant(b, access.bytes), constant(b, waits.lookup(op))});
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
  llvm::DenseMap<Operation *, int64_t> waits;
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
