//===- TileWindows.cpp - Windows of arrays in shared memory ---------------===//
//
// The windows of a tile lie in shared memory one after the other. Their sizes
// are known when the kernel runs; if there is no room for one, its size is 0,
// and parts access the array itself. So they do wherever an index is outside of
// the window: what a window has is never a question of what is computed.
//
//===----------------------------------------------------------------------===//

#include "TileWindows.h"
#include "WindowAccesses.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Returns min(to, rows of each array) - from, if there is room for so many
/// rows of `bytes`; 0 if there is not.
Value TileWindows::sizeOf(ImplicitLocOpBuilder &b, const Stage &stage,
                          int64_t bytes) {
  Number zero(b, 0);
  Number end(b, stage.to);
  for (Value array : stage.arrays)
    end = min(end, memref::DimOp::create(b, array, zero));
  Number isSome = Number(b, stage.from) < end;
  Number size = end - stage.from;
  Number room = Number(b, sharedBytes) - used;
  Value most = room / bytes;
  Value fits = size <= most;
  return select(isSome & fits, size, zero);
}

/// Returns the bytes of a row of an array.
static int64_t rowBytesOf(MemRefType type) {
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t count : type.getShape().drop_front())
    bytes *= count;
  return bytes;
}

static int64_t rowBytesOf(Value array) {
  return rowBytesOf(cast<MemRefType>(array.getType()));
}

static int64_t columnsOf(Value array) {
  auto type = cast<MemRefType>(array.getType());
  return type.getRank() == 1 ? 1 : type.getDimSize(1);
}

/// The rows of one array come after those of another. If words stand for the
/// elements of an array, the window has these.
TileWindow TileWindows::makeWindow(ImplicitLocOpBuilder &b, const Stage &stage,
                                   Type word) {
  SmallVector<MemRefType> types;
  int64_t bytes = 0;
  for (Value array : stage.arrays) {
    auto type = cast<MemRefType>(array.getType());
    types.push_back(word ? MemRefType::get(type.getShape(), word) : type);
    bytes += rowBytesOf(types.back());
  }
  TileWindow window{stage.from, sizeOf(b, stage, bytes), {}};
  Number size(b, window.size);
  Value offset = used;
  for (auto [array, type] : llvm::zip(stage.arrays, types)) {
    Value shared = viewAs(b, memory, offset, size, type.getShape().drop_front(),
                          type.getElementType());
    window.copies.push_back({array, shared});
    Value taken = size * rowBytesOf(type);
    offset = Number(b, offset) + taken;
  }
  Number end = Number(b, offset) + (kGpuWindowBytes - 1);
  used = end & -kGpuWindowBytes;
  return window;
}

/// for n in first .. count step threads
Value TileWindows::startLoop(ImplicitLocOpBuilder &b, Value first,
                             Value count) {
  auto loop = scf::ForOp::create(b, first, count, Number(b, threads));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// Returns an array as a list of its elements.
static Value flatten(ImplicitLocOpBuilder &b, Value array) {
  auto type = cast<MemRefType>(array.getType());
  if (type.getRank() == 1)
    return array;
  Number rows(b, memref::DimOp::create(b, array, Number(b, 0)));
  Value elements = rows * columnsOf(array);
  auto flat =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  OpFoldResult size(elements);
  return memref::ReinterpretCastOp::create(
      b, flat, array, b.getIndexAttr(0), size, OpFoldResult(b.getIndexAttr(1)));
}

/// Starts a loop over the elements of a window, the first of which is the
/// element `from`. The threads move so that the first one of them accesses the
/// beginning of a sector, which has `perSector` elements:
///
///   skipped = from mod perSector, or mod fewer threads
///   first = thread - skipped, + threads if that is negative
///   for n in first .. count step threads
Value TileWindows::startMoved(ImplicitLocOpBuilder &b, Number from, Value count,
                              int64_t perSector) {
  Value skipped = from % std::min(perSector, threads);
  Number moved = Number(b, thread) - skipped;
  Number isBefore = Number(b, thread) < skipped;
  Value next = moved + threads;
  return startLoop(b, select(isBefore, next, moved), count);
}

/// Copies all rows of a window to its arrays, or from there:
///
///   for n in the window:
///     shared[n] = array[from + n], or vice versa, for each array
///
/// Rows of several elements are copied as lists of these.
void TileWindows::copy(ImplicitLocOpBuilder &b, const TileWindow &window,
                       bool toArrays) {
  OpBuilder::InsertionGuard guard(b);
  int64_t perSector = 1;
  SmallVector<std::pair<Value, Value>> pairs;
  for (const auto &[array, shared] : window.copies) {
    perSector =
        std::max(perSector, kSector * columnsOf(array) / rowBytesOf(array));
    Value far = flatten(b, array), near = flatten(b, shared);
    pairs.push_back(toArrays ? std::pair(near, far) : std::pair(far, near));
  }
  auto elements = [&](Value rows) {
    int64_t columns = columnsOf(window.copies.front().array);
    return columns == 1 ? Number(b, rows) : Number(b, rows) * columns;
  };
  Number from = elements(window.from);
  Value inShared = startMoved(b, from, elements(window.size), perSector);
  Value inArray = from + inShared;
  SmallVector<Value> values;
  for (auto [source, target] : pairs)
    values.push_back(
        memref::LoadOp::create(b, source, toArrays ? inShared : inArray));
  for (auto [pair, value] : llvm::zip(pairs, values))
    memref::StoreOp::create(b, value, pair.second,
                            toArrays ? inArray : inShared);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Adds a stage of one array. Arrays with the same rows share a window, unless
/// these have several elements; those with larger elements come first, so that
/// all of them are aligned.
static void addStage(SmallVectorImpl<TileWindows::Stage> &stages,
                     const TileWindows::Stage &more) {
  auto hasRows = [](const TileWindows::Stage &stage) {
    return cast<MemRefType>(stage.arrays.front().getType()).getRank() > 1;
  };
  auto *same = llvm::find_if(stages, [&](const TileWindows::Stage &stage) {
    return stage.from == more.from && stage.to == more.to &&
           stage.isWritten == more.isWritten && !hasRows(stage) &&
           !hasRows(more);
  });
  if (same == stages.end())
    return stages.push_back(more);
  Value array = more.arrays.front();
  auto *smaller = llvm::find_if(same->arrays, [&](Value other) {
    return rowBytesOf(other) < rowBytesOf(array);
  });
  same->arrays.insert(smaller, array);
}

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
    addStage(stages,
             {operand(1), operand(2), {operand(0)}, isa<StageOutOp>(op)});
    op->erase();
  }
  for (Operation *op : llvm::reverse(slice))
    if (op->use_empty())
      op->erase();
  return stages;
}

/// An access may begin with the last row that parts say they access, and need
/// some after it.
void TileWindows::stageIn(ImplicitLocOpBuilder &b, Stage stage) {
  int64_t rows = 1;
  llvm::erase_if(stage.arrays, [&](Value array) {
    auto accesses = findAccesses(workers, array);
    if (!accesses || accesses->loads.empty() || !accesses->stores.empty())
      return true;
    for (OpOperand *load : accesses->loads)
      rows = std::max(rows, rowsOf(load->getOwner()));
    return false;
  });
  if (stage.arrays.empty())
    return;
  if (rows > 1)
    stage.to = Number(b, stage.to) + (rows - 1);
  TileWindow window = makeWindow(b, stage);
  copy(b, window, /*toArrays=*/false);
  accessWindow(window, workers, /*stores=*/false);
}

/// Sets all of the last window, from `offset` on, to zeros: its last word may
/// reach into the alignment.
void TileWindows::clear(ImplicitLocOpBuilder &b, Value offset) {
  OpBuilder::InsertionGuard guard(b);
  Number bytes = Number(b, used) - offset;
  Value words = bytes >> 3;
  Type word = b.getI64Type();
  Value view = viewAs(b, memory, offset, words, {}, word);
  Value at = startLoop(b, thread, words);
  Number none(b, 0, word);
  memref::StoreOp::create(b, none, view, at);
}

/// All of the window will be copied, whether or not parts have written all of
/// it: where a coordinate is wrong, they do not. So it starts with zeros.
void TileWindows::stageOut(ImplicitLocOpBuilder &b, Stage stage) {
  llvm::erase_if(stage.arrays, [&](Value array) {
    auto accesses = findAccesses(workers, array);
    return !accesses || accesses->stores.empty();
  });
  if (stage.arrays.empty())
    return;
  Value offset = used;
  TileWindow window = makeWindow(b, stage);
  clear(b, offset);
  accessWindow(window, workers, /*stores=*/false);
  accessWindow(window, workers, /*stores=*/true);
  written.push_back(window);
}

/// Makes a window of words for an array that is written.
void TileWindows::stageWords(ImplicitLocOpBuilder &b, const Stage &stage,
                             LateValues values) {
  Value offset = used;
  TileWindow window = makeWindow(b, stage, values.wordType());
  clear(b, offset);
  values.writeWords(window.copies.front().shared, stage.from, window.size);
  late.emplace_back(window, std::move(values));
}

/// Takes the arrays of a stage that can be computed last, and the arrays of
/// others that are then read last, out of these.
void TileWindows::stageLate(ImplicitLocOpBuilder &b, Stage &stage,
                            SmallVectorImpl<Stage> &all) {
  SmallVector<ElementsOfArray> read;
  for (const Stage &other : all)
    for (Value array : other.arrays)
      if (!other.isWritten)
        read.push_back({array, other.from});
  for (Value array : SmallVector<Value>(stage.arrays)) {
    auto values = LateValues::find(workers, array, read);
    if (!values)
      continue;
    for (Stage &other : all)
      llvm::erase_if(other.arrays, [&](Value each) {
        return each == array || llvm::is_contained(values->arrays(), each);
      });
    stageWords(b, {stage.from, stage.to, {array}, true}, std::move(*values));
  }
}

void TileWindows::emitBefore(ImplicitLocOpBuilder &b, Value begin, Value end) {
  SmallVector<Stage> stages = takeStages(b, begin, end);
  used = Number(b, 0);
  for (Stage &stage : stages)
    if (stage.isWritten)
      stageLate(b, stage, stages);
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
  if (written.empty() && late.empty())
    return;
  gpu::BarrierOp::create(b);
  for (const TileWindow &window : written)
    copy(b, window, /*toArrays=*/true);
  for (const auto &[window, values] : late) {
    OpBuilder::InsertionGuard guard(b);
    const auto &[array, words] = window.copies.front();
    Value n = startMoved(b, Number(b, window.from), window.size,
                         kSector / rowBytesOf(array));
    Number word(b, memref::LoadOp::create(b, words, n));
    Value at = Number(b, window.from) + n, value = values.compute(b, word);
    memref::StoreOp::create(b, value, array, at);
  }
}
