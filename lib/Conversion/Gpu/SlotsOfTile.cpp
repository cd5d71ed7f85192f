//===- SlotsOfTile.cpp - What the parts of a tile keep until it is scanned ===//
//
//   code of the parts, which stores to slots
//   scan
//   each part notes the slots of its elements, in the order of the result
//   barrier
//   for n in what the tile appends, by threads:
//     array[first + n] = slots[order[n]]
//
// Threads that lie next to each other copy elements that do. The order lies
// where windows have been that nobody needs after the scan.
//
//===----------------------------------------------------------------------===//

#include "TileWindows.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nacho;

/// Makes memory of the tile: of words, if elements can be computed last.
void TileWindows::makeSlots(ImplicitLocOpBuilder &b, TileMemoryOp op) {
  Value wanted =
      copyForBlock(b, workers, op.getSize()).lookupOrDefault(op.getSize());
  op.getSizeMutable().assign(wanted);
  op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  require(b, Number(b, wanted) <= sharedBytes);
  Number size = min(Number(b, wanted), sharedBytes);
  Type element = op.getMemory().getType().getElementType();
  Slots made{op, {}, std::nullopt};
  if (auto *found = computed.find(op.getMemory()); found != computed.end()) {
    made.late = std::move(found->second);
    element = made.late->wordType();
    computed.erase(found);
  }
  made.kept = viewAs(b, used, size, {}, element);
  Value taken = size * bytesOf(element);
  Number end = Number(b, used) + taken + (kGpuWindowBytes - 1);
  used = end & -kGpuWindowBytes;
  slots.push_back(std::move(made));
}

/// Makes memory for the number of each slot, where windows have been.
void TileWindows::makeOrder(ImplicitLocOpBuilder &b, Value free) {
  for (auto op : workers.getBodyBlock()->getOps<TileAppendOp>()) {
    Value count = memref::DimOp::create(b, slotsOf(op.getSlots().front()).kept,
                                        Number(b, 0));
    order = viewAs(b, free, count, {}, b.getI16Type());
    Number end = Number(b, count) * 2 + free;
    used = max(Number(b, used), end);
  }
}

const TileWindows::Slots &TileWindows::slotsOf(Value memory) {
  return *llvm::find_if(slots, [&](const Slots &each) {
    return each.memory == memory.getDefiningOp();
  });
}

/// Lets parts store to slots.
void TileWindows::goToSlots() {
  for (Slots &each : slots) {
    Value memory = each.memory.getMemory();
    if (each.late)
      each.late->writeWord(each.late->getStore(), IRMapping(), each.kept);
    memory.replaceUsesWithIf(each.kept, [](OpOperand &use) {
      return !isa<TileAppendOp>(use.getOwner());
    });
  }
}

/// Lets parts access windows where they know that there is room. Where they do
/// something else if there is none, they access arrays.
void TileWindows::goToWindows() {
  auto findBranch = [&](const WindowAccess &access) {
    Operation *op = access.memory->getOwner();
    auto branch =
        dyn_cast<scf::IfOp>(workers.getBodyBlock()->findAncestorOpInBlock(*op));
    Value condition = branch ? branch.getCondition() : Value();
    if (auto both = condition ? condition.getDefiningOp<arith::AndIOp>()
                              : arith::AndIOp())
      condition = both.getLhs();
    bool asks = condition && condition.getDefiningOp<TileRoomOp>();
    return asks ? branch : scf::IfOp();
  };
  auto go = [&](SmallVectorImpl<WindowAccess> &accesses, auto how) {
    SmallVector<WindowAccess> left;
    for (const WindowAccess &access : accesses) {
      scf::IfOp branch = findBranch(access);
      Operation *op = access.memory->getOwner();
      if (!branch)
        left.push_back(access);
      else if (branch.getThenRegion().isAncestor(op->getParentRegion()))
        how(access, op);
    }
    accesses = left;
  };
  SmallVector<AskedWindow> asked;
  go(alone, goToWindow);
  go(others, [&](const WindowAccess &access, Operation *op) {
    askWindow(access, op, asked);
  });
  for (auto room : llvm::make_early_inc_range(
           workers.getBodyBlock()->getOps<TileRoomOp>())) {
    room.getHasRoom().replaceAllUsesWith(isWhole);
    room.erase();
  }
}

/// Each part notes the slots of what it appends:
///
///   begin = min(place - first, count)
///   for at in begin .. min(next - first, count):
///     order[at] = at + (slot - begin)
void TileWindows::emitAfterScan(ImplicitLocOpBuilder &block) {
  for (auto op : llvm::make_early_inc_range(
           workers.getBodyBlock()->getOps<TileAppendOp>())) {
    IRMapping known =
        copyForBlock(block, workers, {op.getFirst(), op.getLast()});
    Value first = known.lookupOrDefault(op.getFirst());
    Value last = known.lookupOrDefault(op.getLast());
    Value count = memref::DimOp::create(block, order, Number(block, 0));
    Append append{first, {}, order, {}};
    Number size = min(Number(block, last) - first, count);
    for (auto [memory, array] : llvm::zip(op.getSlots(), op.getArrays())) {
      Number length(block,
                    memref::DimOp::create(block, array, Number(block, 0)));
      Number rest = max(length, first) - first;
      size = min(size, rest);
      append.arrays.push_back({array, &slotsOf(memory)});
    }
    append.size = size;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Number begin = min(Number(b, op.getPlace()) - first, count);
    Number end = min(Number(b, op.getNext()) - first, count);
    Type word = b.getI16Type();
    Number moved = (Number(b, op.getSlot()) - begin).as(word);
    auto loop = scf::ForOp::create(b, begin, end, Number(b, 1));
    b.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar(), slot = Number(b, at).as(word) + moved;
    memref::StoreOp::create(b, slot, order, at);
    appends.push_back(std::move(append));
    op.erase();
  }
}

/// for n in 0 .. size by threads:
///   array[first + n] = slots[order[n]], for each array
void TileWindows::copySlots(ImplicitLocOpBuilder &b, const Append &append) {
  OpBuilder::InsertionGuard guard(b);
  int64_t perSector = 1;
  for (const auto &[array, slots] : append.arrays)
    perSector = std::max(perSector, kSector / rowBytesOf(array));
  Number first(b, append.first);
  Value n = startMoved(b, first, append.size, perSector);
  Number slot(b, memref::LoadOp::create(b, append.order, n));
  Value at = first + n, from = slot.asIndex();
  SmallVector<Value> elements;
  for (const auto &[array, slots] : append.arrays) {
    Number kept(b, memref::LoadOp::create(b, slots->kept, from));
    elements.push_back(slots->late ? slots->late->compute(b, kept)
                                   : Value(kept));
  }
  for (auto [each, element] : llvm::zip(append.arrays, elements))
    memref::StoreOp::create(b, element, each.first, at);
}
