//===- SimulatedThread.cpp - Threads of simulated kernels -----------------===//
//
// Threads know their number, access shared memory, and wait for each other.
// All of that becomes calls of the simulator (Simulator.h).
//
//===----------------------------------------------------------------------===//

#include "SimulatedThread.h"

#include "WarpOps.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Simulator/Simulator.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// The most shared memory that a block of an H100 can have.
static constexpr int64_t kMostShared = 232448;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The memory ends where the last array does, so that an access beyond the
/// array is found.
FailureOr<SharedLayout> nacho::layOutShared(gpu::GPUFuncOp kernel) {
  static constexpr int64_t kAlignment = 16;
  SharedLayout layout;
  for (BlockArgument array : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(array.getType());
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
        isa<VectorType>(type.getElementType()))
      return kernel.emitOpError("has shared memory that is not simulated");
    int64_t offset = llvm::alignTo(layout.bytes, kAlignment);
    layout.offsets.push_back(offset);
    layout.bytes =
        offset + type.getNumElements() * bytesOf(type.getElementType());
  }
  if (layout.bytes > kMostShared)
    return kernel.emitOpError("has ")
           << layout.bytes << " bytes of shared memory, more than "
           << kMostShared;
  return layout;
}

bool nacho::meets(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isMeeting(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void nacho::dropMemorySpaces(Operation *function) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!isa_and_nonnull<gpu::AddressSpaceAttr>(type.getMemorySpace()))
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  function->walk([](memref::MemorySpaceCastOp cast) {
    cast.replaceAllUsesWith(cast.getSource());
    cast.erase();
  });
}

//===----------------------------------------------------------------------===//
// Numbers of threads
//===----------------------------------------------------------------------===//

Value SimulatedThreadBuilder::load(ImplicitLocOpBuilder &b, int32_t field) {
  Value at = LLVM::GEPOp::create(b, host.pointer, b.getI64Type(), thread,
                                 ArrayRef<LLVM::GEPArg>{field});
  return LLVM::LoadOp::create(b, b.getI64Type(), at);
}

/// A field, or what there is along the other dimensions.
Value SimulatedThreadBuilder::idOf(ImplicitLocOpBuilder &b,
                                   gpu::Dimension dimension, int32_t field,
                                   int64_t other) {
  if (dimension == gpu::Dimension::x)
    return load(b, field);
  return Number(b, other, b.getI64Type());
}

/// The number that an operation asks for; null if it asks for none.
Value SimulatedThreadBuilder::number(ImplicitLocOpBuilder &b, Operation *op) {
  auto lanes = [&] { return Number(b, kLanes, b.getI64Type()); };
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return idOf(b, id.getDimension(), kBlock, 0);
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return idOf(b, id.getDimension(), kThread, 0);
  if (auto dim = dyn_cast<gpu::GridDimOp>(op))
    return idOf(b, dim.getDimension(), kBlocks, 1);
  if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
    return idOf(b, dim.getDimension(), kThreads, 1);
  if (isa<gpu::SubgroupSizeOp>(op))
    return lanes();
  if (!isa<gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::NumSubgroupsOp>(op))
    return nullptr;
  bool isOfBlock = isa<gpu::NumSubgroupsOp>(op);
  Number number(b, load(b, isOfBlock ? kThreads : kThread));
  Number ofWarp = lanes();
  if (isOfBlock)
    return ceilDiv(number, ofWarp);
  return isa<gpu::LaneIdOp>(op) ? number % ofWarp : number / ofWarp;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value SimulatedThreadBuilder::sharedArray(ImplicitLocOpBuilder &b,
                                          MemRefType type, int64_t offset) {
  Value at = LLVM::GEPOp::create(b, host.pointer, b.getI64Type(), thread,
                                 ArrayRef<LLVM::GEPArg>{kShared});
  Value memory = LLVM::LoadOp::create(b, host.pointer, at);
  Value begin = LLVM::GEPOp::create(b, host.pointer, b.getI8Type(), memory,
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  Value array = MemRefDescriptor::fromStaticShape(b, b.getLoc(), host.types,
                                                  plain, begin);
  return castTo(b, type, array);
}

LogicalResult SimulatedThreadBuilder::watchShared(Operation *op) {
  std::optional<KernelAccess> access = accessOf(op);
  if (!access) {
    if (llvm::any_of(op->getOperands(), isShared) && !isMemoryEffectFree(op))
      return op->emitOpError("accesses shared memory in a way that is not "
                             "simulated");
    return success();
  }
  if (!isShared(access->memory))
    return success();
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Number kind(b, int64_t(access->kind), b.getI64Type());
  Number bytes(b, access->bytes, b.getI64Type());
  Value address = addressOf(b, *access);
  call(b, kAccessSharedSymbol, op, {kind, address, bytes}, /*isVoid=*/true);
  return success();
}

//===----------------------------------------------------------------------===//
// Threads that wait for each other
//===----------------------------------------------------------------------===//

/// name(thread, site of the operation, arguments...)
Value SimulatedThreadBuilder::call(ImplicitLocOpBuilder &b, StringRef name,
                                   Operation *op, ValueRange arguments,
                                   bool isVoid) {
  SmallVector<Value> all = {thread, sites.of(b, op)};
  llvm::append_range(all, arguments);
  Type none = LLVM::LLVMVoidType::get(b.getContext());
  return host.callRuntime(b, name, isVoid ? none : b.getI64Type(), all);
}

/// A number or a bit as an integer of 64 bits.
static Value asWord(ImplicitLocOpBuilder &b, Value value) {
  if (isa<FloatType>(value.getType()))
    value = arith::BitcastOp::create(
        b, b.getIntegerType(value.getType().getIntOrFloatBitWidth()), value);
  if (value.getType().isInteger(64))
    return value;
  return Number(b, value).as(b.getI64Type());
}

/// Reverses asWord().
static Value fromWord(ImplicitLocOpBuilder &b, Value word, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64)
    word = Number(b, word).as(b.getIntegerType(width));
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, word) : word;
}

LogicalResult SimulatedThreadBuilder::convertShuffle(gpu::ShuffleOp shuffle) {
  Type type = shuffle.getValue().getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return shuffle.emitOpError("has a value that is not simulated");
  auto mode = [&] {
    switch (shuffle.getMode()) {
    case gpu::ShuffleMode::XOR:
      return ShuffleMode::exclusiveOr;
    case gpu::ShuffleMode::DOWN:
      return ShuffleMode::down;
    case gpu::ShuffleMode::UP:
      return ShuffleMode::up;
    case gpu::ShuffleMode::IDX:
      return ShuffleMode::index;
    }
    llvm_unreachable("all modes are above");
  }();
  ImplicitLocOpBuilder b(shuffle.getLoc(), shuffle);
  Value word = call(
      b, kShuffleSymbol, shuffle,
      {Number(b, int64_t(mode), b.getI64Type()), asWord(b, shuffle.getValue()),
       asWord(b, shuffle.getOffset()), asWord(b, shuffle.getWidth())},
      /*isVoid=*/false);
  Value valid = host.callRuntime(b, kIsShuffledSymbol, b.getI64Type(), thread);
  shuffle.getShuffleResult().replaceAllUsesWith(fromWord(b, word, type));
  shuffle.getValid().replaceAllUsesWith(fromWord(b, valid, b.getI1Type()));
  shuffle.erase();
  return success();
}

/// nvvm.shfl.sync idx mask, value, lane, 31: lanes of a mask may be elsewhere
/// than those of another one.
LogicalResult SimulatedThreadBuilder::convertQuestion(NVVM::ShflOp shuffle) {
  Type type = shuffle.getVal().getType();
  if (shuffle.getKind() != NVVM::ShflKind::idx || shuffle.getType() != type ||
      getConstantIntValue(shuffle.getMaskAndClamp()) != kLanes - 1)
    return shuffle.emitOpError("is not simulated");
  ImplicitLocOpBuilder b(shuffle.getLoc(), shuffle);
  Value word =
      call(b, kAskLaneSymbol, shuffle,
           {asWord(b, shuffle.getThreadMask()), asWord(b, shuffle.getVal()),
            asWord(b, shuffle.getOffset())},
           /*isVoid=*/false);
  shuffle.replaceAllUsesWith(fromWord(b, word, type));
  shuffle.erase();
  return success();
}

/// any: votes != 0; all: no lane votes against it; ballot: the votes
LogicalResult SimulatedThreadBuilder::convertVote(Operation *op) {
  auto vote = cast<NVVM::VoteSyncOp>(op);
  if (vote.getKind() == NVVM::VoteSyncKind::uni)
    return op->emitOpError("is not simulated");
  ImplicitLocOpBuilder b(op->getLoc(), op);
  bool isAll = vote.getKind() == NVVM::VoteSyncKind::all;
  Value bit = vote.getPred();
  if (isAll)
    bit = !Number(b, bit);
  Number votes(b, call(b, kVoteSymbol, op,
                       {asWord(b, vote.getMask()), asWord(b, bit)},
                       /*isVoid=*/false));
  Number zero(b, 0, b.getI64Type());
  Value result = vote.getKind() == NVVM::VoteSyncKind::ballot
                     ? fromWord(b, votes, b.getI32Type())
                 : isAll ? votes == zero
                         : votes != zero;
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

LogicalResult SimulatedThreadBuilder::convert(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    return convertShuffle(shuffle);
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
    return convertQuestion(shuffle);
  if (isa<NVVM::VoteSyncOp>(op))
    return convertVote(op);
  if (Value found = number(b, op)) {
    op->getResult(0).replaceAllUsesWith(
        Number(b, found).asSigned(b.getIndexType()));
  } else if (isa<gpu::BarrierOp>(op)) {
    call(b, kMeetBlockSymbol, op, {}, /*isVoid=*/true);
  } else if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    call(b, kMeetWarpSymbol, op, asWord(b, sync.getMask()), /*isVoid=*/true);
  } else if (isa<gpu::ReturnOp>(op)) {
    func::ReturnOp::create(b);
  } else {
    return op->emitOpError("is not simulated");
  }
  op->erase();
  return success();
}
