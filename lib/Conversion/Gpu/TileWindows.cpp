//===- TileWindows.cpp - Windows of arrays in shared memory ---------------===//
//
// The windows of a tile lie in shared memory one after the other. Their sizes
// are known when the kernel runs; if there is no room for one, its size is 0,
// and parts access the array itself. So they do wherever an index is outside of
// the window: what a window has is never a question of what is computed.
//
//===----------------------------------------------------------------------===//

#include "TileWindows.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

using namespace mlir;
using namespace nacho;

/// The number of bytes of an array that an access to memory moves at once:
/// windows begin where such a sector does.
static constexpr int64_t kSector = 32;

TileOp nacho::tileOf(ParallelOp workers) {
  auto tiles = workers.getBodyBlock()->getOps<TileOp>();
  return tiles.empty() ? TileOp() : *tiles.begin();
}

/// The number of bytes that the windows of a tile share. Since each window
/// takes a multiple of kGpuWindowBytes, so must be their memory: otherwise, a
/// window whose elements fit could take more than is left, and the room after
/// it would wrap around to almost any size.
static int64_t sharedBytesOf(TileOp tile, int64_t most) {
  int64_t wanted =
      llvm::alignTo(tile.getBytes().value_or(most), kGpuWindowBytes);
  return llvm::alignDown(std::min(wanted, most), kGpuWindowBytes);
}

TileWindows::TileWindows(gpu::LaunchOp launch, TileOp tile, Value thread,
                         int64_t mostBytes)
    : workers(tile->getParentOfType<ParallelOp>()), tile(tile), thread(thread),
      threads(int64_t(tile.getBy())),
      sharedBytes(sharedBytesOf(tile, mostBytes)) {
  auto space = gpu::AddressSpaceAttr::get(tile.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get({sharedBytes}, IntegerType::get(tile.getContext(), 8),
                      MemRefLayoutAttrInterface(), space);
  memory = launch.addWorkgroupAttribution(type, tile.getLoc());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// A view of shared memory for elements of another type.
static Value viewAs(ImplicitLocOpBuilder &b, Value memory, Value from,
                    Value size, ArrayRef<int64_t> columns, Type element) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, columns);
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                      cast<MemRefType>(memory.getType()).getMemorySpace());
  return memref::ViewOp::create(b, type, memory, from, size);
}

/// min(to, elements of the array) - from, if there is room for all of these
/// elements; 0 if there is not
Value TileWindows::sizeOf(ImplicitLocOpBuilder &b, const Stage &stage,
                          int64_t bytes) {
  Number zero(b, 0);
  Number end =
      min(Number(b, stage.to), memref::DimOp::create(b, stage.array, zero));
  Number isSome = Number(b, stage.from) < end;
  Number size = end - stage.from;
  Number room = Number(b, sharedBytes) - used;
  Value most = room / bytes;
  Value fits = size <= most;
  return select(isSome & fits, size, zero);
}

TileWindows::Window TileWindows::makeWindow(ImplicitLocOpBuilder &b,
                                            const Stage &stage) {
  auto type = cast<MemRefType>(stage.array.getType());
  ArrayRef<int64_t> columns = type.getShape().drop_front();
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t count : columns)
    bytes *= count;
  Window window{stage.array, stage.from, sizeOf(b, stage, bytes), {}, used};
  window.shared =
      viewAs(b, memory, used, window.size, columns, type.getElementType());
  Number taken = Number(b, window.size) * bytes;
  taken = taken + (kGpuWindowBytes - 1);
  taken = taken & -kGpuWindowBytes;
  used = Number(b, used) + taken;
  return window;
}

/// for n in thread .. count step threads
Value TileWindows::startLoop(ImplicitLocOpBuilder &b, Value count) {
  auto loop = scf::ForOp::create(b, thread, count, Number(b, threads));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// With rows of one element, the threads move so that the first one of them
/// accesses the beginning of a sector of the array:
///
///   skipped = from mod the elements of a sector
///   for n in thread .. size + skipped step threads:
///     if n - skipped < size: body(array[from + n - skipped],
///                                 shared[n - skipped])
///
/// Otherwise,
///
///   for n in thread .. size * columns step threads:
///     body(array[from + n / columns, n mod columns],
///          shared[n / columns, n mod columns])
void TileWindows::forEachElement(
    ImplicitLocOpBuilder &b, const Window &window,
    llvm::function_ref<void(ValueRange, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  auto type = cast<MemRefType>(window.array.getType());
  if (type.getRank() == 2) {
    Number columns(b, type.getDimSize(1));
    Number at(b, startLoop(b, Number(b, window.size) * columns));
    Value row = at / columns;
    Value column = at % columns;
    Value inArray = Number(b, window.from) + row;
    return body({inArray, column}, {row, column});
  }
  int64_t perSector =
      std::max<int64_t>(kSector / bytesOf(type.getElementType()), 1);
  Value skipped = Number(b, window.from) % perSector;
  Value moved = startLoop(b, Number(b, window.size) + skipped);
  Number at = Number(b, moved) - skipped;
  Value isInside = at < window.size;
  auto ifInside = scf::IfOp::create(b, isInside, /*withElse=*/false);
  b.setInsertionPointToStart(ifInside.thenBlock());
  Value inArray = Number(b, window.from) + at;
  body(inArray, at);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// The accesses to an array in the code of parts: what each uses it as.
struct Accesses {
  SmallVector<OpOperand *> loads, stores;
};
} // namespace

/// Returns nothing if parts access the array in other ways.
static std::optional<Accesses> findAccesses(ParallelOp workers, Value array) {
  bool hasRows = cast<MemRefType>(array.getType()).getRank() > 1;
  Accesses found;
  for (OpOperand &use : array.getUses()) {
    Operation *user = use.getOwner();
    if (!workers->isProperAncestor(user) ||
        isa<memref::DimOp, StageInOp, StageOutOp>(user))
      continue;
    bool isVector = isa<vector::LoadOp, vector::StoreOp>(user);
    if (isVector && hasRows)
      return std::nullopt;
    if (isa<memref::LoadOp, vector::LoadOp>(user))
      found.loads.push_back(&use);
    else if (isa<memref::StoreOp, vector::StoreOp>(user))
      found.stores.push_back(&use);
    else
      return std::nullopt;
  }
  return found;
}

/// Returns how many rows of an array an access reads or writes.
static int64_t rowsOf(Operation *access) {
  if (auto load = dyn_cast<vector::LoadOp>(access))
    return load.getVectorType().getNumElements();
  if (auto store = dyn_cast<vector::StoreOp>(access))
    return store.getVectorType().getNumElements();
  return 1;
}

/// Returns whether all rows from `at` on that an access needs are inside:
///
///   at < size - (rows - 1), where size < rows is as if it were 0
static Number isInside(ImplicitLocOpBuilder &b, Value at, Value size,
                       int64_t rows) {
  if (rows == 1)
    return Number(b, at) < size;
  Number ends = max(Number(b, size), rows - 1);
  Value starts = ends - (rows - 1);
  return Number(b, at) < starts;
}

/// Lets accesses to an array choose between it and its window:
///
///   at = index - from
///   if isInside(at): access window[at]; else: access array[index]
static void accessWindow(Value from, Value size, Value shared,
                         ArrayRef<OpOperand *> accesses) {
  for (OpOperand *access : accesses) {
    Operation *op = access->getOwner();
    unsigned memory = access->getOperandNumber(), row = memory + 1;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Number at = Number(b, op->getOperand(row)) - from;
    auto either = scf::IfOp::create(b, op->getResultTypes(),
                                    isInside(b, at, size, rowsOf(op)),
                                    /*withElse=*/true);
    op->replaceAllUsesWith(either.getResults());
    OpBuilder inside = either.getThenBodyBuilder();
    Operation *near = inside.clone(*op);
    near->setOperand(memory, shared);
    near->setOperand(row, at);
    Block *otherwise = either.elseBlock();
    op->moveBefore(otherwise, otherwise->begin());
    if (op->getNumResults() == 0)
      continue;
    scf::YieldOp::create(inside, op->getLoc(), near->getResults());
    OpBuilder outside = either.getElseBodyBuilder();
    scf::YieldOp::create(outside, op->getLoc(), op->getResults());
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Moves what windows are computed by from the code of parts to that of the
/// block, where the tile has the given parts.
SmallVector<TileWindows::Stage>
TileWindows::takeStages(ImplicitLocOpBuilder &b, Value begin, Value end) {
  llvm::SetVector<Operation *> slice;
  std::function<void(Value)> add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != workers.getBodyBlock() || op == tile)
      return;
    llvm::for_each(op->getOperands(), add);
    slice.insert(op);
  };
  SmallVector<Operation *> ops;
  for (Operation &op : *workers.getBodyBlock())
    if (isa<StageInOp, StageOutOp>(op)) {
      llvm::for_each(op.getOperands(), add);
      ops.push_back(&op);
    }
  IRMapping mapping;
  mapping.map(tile.getBegin(), begin);
  mapping.map(tile.getEnd(), end);
  for (Operation *op : slice)
    b.clone(*op, mapping);
  SmallVector<Stage> stages;
  for (Operation *op : ops) {
    auto operand = [&](unsigned n) {
      return mapping.lookupOrDefault(op->getOperand(n));
    };
    stages.push_back({operand(0), operand(1), operand(2), isa<StageOutOp>(op)});
    op->erase();
  }
  for (Operation *op : llvm::reverse(slice))
    if (op->use_empty())
      op->erase();
  return stages;
}

void TileWindows::stageIn(ImplicitLocOpBuilder &b, const Stage &stage) {
  auto accesses = findAccesses(workers, stage.array);
  if (!accesses || accesses->loads.empty() || !accesses->stores.empty())
    return;
  Window window = makeWindow(b, stage);
  forEachElement(b, window, [&](ValueRange inArray, ValueRange inShared) {
    Value value = memref::LoadOp::create(b, window.array, inArray);
    memref::StoreOp::create(b, value, window.shared, inShared);
  });
  accessWindow(window.from, window.size, window.shared, accesses->loads);
}

/// All of the window will be copied, whether or not parts have written all of
/// it. So it starts with zeros: its last word may reach into the alignment.
void TileWindows::stageOut(ImplicitLocOpBuilder &b, const Stage &stage) {
  auto accesses = findAccesses(workers, stage.array);
  if (!accesses || accesses->stores.empty())
    return;
  Window window = makeWindow(b, stage);
  Number bytes = Number(b, used) - window.offset;
  Value words = bytes >> 3;
  Type word = b.getI64Type();
  Value view = viewAs(b, memory, window.offset, words, {}, word);
  {
    OpBuilder::InsertionGuard guard(b);
    Value at = startLoop(b, words);
    Number none(b, 0, word);
    memref::StoreOp::create(b, none, view, at);
  }
  accessWindow(window.from, window.size, window.shared, accesses->loads);
  accessWindow(window.from, window.size, window.shared, accesses->stores);
  written.push_back(window);
}

void TileWindows::emitBefore(ImplicitLocOpBuilder &b, Value begin, Value end) {
  SmallVector<Stage> stages = takeStages(b, begin, end);
  used = Number(b, 0);
  for (const Stage &stage : stages)
    if (stage.isWritten)
      stageOut(b, stage);
    else
      stageIn(b, stage);
  tile.getBegin().replaceAllUsesWith(begin);
  tile.getEnd().replaceAllUsesWith(end);
  gpu::BarrierOp::create(b);
}

void TileWindows::emitAfter(ImplicitLocOpBuilder &b) {
  if (written.empty())
    return;
  gpu::BarrierOp::create(b);
  for (const Window &window : written)
    forEachElement(b, window, [&](ValueRange inArray, ValueRange inShared) {
      Value value = memref::LoadOp::create(b, window.shared, inShared);
      memref::StoreOp::create(b, value, window.array, inArray);
    });
}
