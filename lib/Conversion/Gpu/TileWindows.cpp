//===- TileWindows.cpp - Windows of arrays in shared memory ---------------===//
//
// The windows of a tile lie in shared memory one after the other. Their sizes
// are known when the kernel runs. If there is no room for all of them, parts
// access the arrays themselves.
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

/// The number of bytes that the windows of a tile share, each of which takes a
/// multiple of kGpuWindowBytes.
static int64_t sharedBytesOf(TileOp tile, int64_t most) {
  int64_t wanted =
      llvm::alignTo(tile.getBytes().value_or(most), kGpuWindowBytes);
  return llvm::alignDown(std::min(wanted, most), kGpuWindowBytes);
}

TileWindows::TileWindows(gpu::LaunchOp launch, TileOp tile, Value thread,
                         int64_t mostBytes)
    : workers(tile->getParentOfType<ParallelOp>()), thread(thread),
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

Value TileWindows::viewAs(ImplicitLocOpBuilder &b, Value from, Value size,
                          ArrayRef<int64_t> columns, Type element) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, columns);
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                      cast<MemRefType>(memory.getType()).getMemorySpace());
  return memref::ViewOp::create(b, type, memory, from, size);
}

/// Notes that the tile has no windows unless a condition holds.
void TileWindows::require(ImplicitLocOpBuilder &b, Value condition) {
  isWhole = Number(b, isWhole) & condition;
}

/// The rows of one array come after those of another. If words stand for the
/// elements of an array, the window has these.
TileWindows::Window TileWindows::makeWindow(ImplicitLocOpBuilder &b,
                                            const Stage &stage, Type word) {
  Number size(b, stage.rows.size);
  Window window{stage.rows, used, {}, {}, stage.isWritten};
  for (Value array : stage.arrays) {
    auto type = cast<MemRefType>(array.getType());
    if (word)
      type = MemRefType::get(type.getShape(), word);
    Value shared = viewAs(b, used, size, type.getShape().drop_front(),
                          type.getElementType());
    window.copies.push_back({array, shared});
    Value taken = size * rowBytesOf(type);
    used = Number(b, used) + taken;
  }
  Number end = Number(b, used) + (kGpuWindowBytes - 1);
  used = window.end = end & -kGpuWindowBytes;
  return window;
}

/// for n in first .. count step threads
Value TileWindows::startLoop(ImplicitLocOpBuilder &b, Value first,
                             Value count) {
  auto loop = scf::ForOp::create(b, first, count, Number(b, threads));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// Emits code under a condition.
static void emitIf(ImplicitLocOpBuilder &b, Value condition,
                   llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  auto op = scf::IfOp::create(b, condition, /*withElse=*/false);
  b.setInsertionPointToStart(op.thenBlock());
  emit();
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

/// Copies all rows of a window to its arrays if it is written, and from there
/// if it is read:
///
///   for n in the window:
///     shared[n] = array[from + n], or vice versa, for each array
///
/// Rows of several elements are copied as lists of these.
void TileWindows::copy(ImplicitLocOpBuilder &b, const Window &window) {
  OpBuilder::InsertionGuard guard(b);
  int64_t perSector = 1;
  SmallVector<std::pair<Value, Value>> pairs;
  for (const auto &[array, shared] : window.copies) {
    perSector =
        std::max(perSector, kSector * columnsOf(array) / rowBytesOf(array));
    Value far = flatten(b, array), near = flatten(b, shared);
    pairs.push_back(window.isWritten ? std::pair(near, far)
                                     : std::pair(far, near));
  }
  auto elements = [&](Value rows) {
    int64_t columns = columnsOf(window.copies.front().array);
    return columns == 1 ? Number(b, rows) : Number(b, rows) * columns;
  };
  Number from = elements(window.rows.from);
  Value inShared = startMoved(b, from, elements(window.rows.size), perSector);
  Value inArray = from + inShared;
  SmallVector<Value> values;
  for (auto [source, target] : pairs)
    values.push_back(memref::LoadOp::create(
        b, source, window.isWritten ? inShared : inArray));
  for (auto [pair, value] : llvm::zip(pairs, values))
    memref::StoreOp::create(b, value, pair.second,
                            window.isWritten ? inArray : inShared);
}

/// Sets all of a window to zeros, with its alignment. All of what is written
/// will be copied, whether or not parts have written all of it: where a
/// coordinate is wrong, they do not.
void TileWindows::clear(ImplicitLocOpBuilder &b, const Window &window) {
  OpBuilder::InsertionGuard guard(b);
  Number bytes = Number(b, window.end) - window.begin;
  Value words = bytes >> 3;
  Type word = b.getI64Type();
  Value view = viewAs(b, window.begin, words, {}, word);
  Value at = startLoop(b, thread, words);
  Number none(b, 0, word);
  memref::StoreOp::create(b, none, view, at);
}

/// Computes the elements that the words of a window tell of.
void TileWindows::computeLate(ImplicitLocOpBuilder &b, const Window &window,
                              const LateValues &values) {
  OpBuilder::InsertionGuard guard(b);
  const auto &[array, words] = window.copies.front();
  Number from(b, window.rows.from);
  Value n = startMoved(b, from, window.rows.size, kSector / rowBytesOf(array));
  Number word(b, memref::LoadOp::create(b, words, n));
  Value at = from + n, value = values.compute(b, word);
  memref::StoreOp::create(b, value, array, at);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Makes a window for the arrays of a stage.
void TileWindows::stage(ImplicitLocOpBuilder &b, const Stage &stage) {
  if (stage.arrays.empty())
    return;
  windows.push_back(makeWindow(b, stage));
  for (const auto &[array, shared] : windows.back().copies) {
    ArrayAccesses found = *findAccesses(workers, array);
    for (OpOperand *memory : stage.isWritten ? found.stores : found.loads)
      (stage.isAlone ? alone : others).push_back({memory, stage.rows, shared});
  }
}

/// Finds out whether what parts write to an array can be computed last. Then
/// the array, and those that are read last, need no windows of their own.
void TileWindows::findLate(ImplicitLocOpBuilder &b, Value array,
                           SmallVectorImpl<Stage> &all) {
  SmallVector<ElementsOfArray> read;
  for (const Stage &other : all)
    for (Value array : other.arrays)
      if (!other.isWritten && other.isAlone)
        read.push_back({array, other.rows});
  auto values = LateValues::find(workers, array, read);
  if (!values)
    return;
  for (Stage &other : all)
    llvm::erase_if(other.arrays, [&](Value each) {
      return llvm::is_contained(values->arrays(), each);
    });
  require(b, values->haveRoom(b));
  computed.insert({array, std::move(*values)});
}

/// Makes windows of words for the arrays of a stage that are computed last.
void TileWindows::stageLate(ImplicitLocOpBuilder &b, Stage &stage) {
  for (Value array : SmallVector<Value>(stage.arrays)) {
    auto *found = computed.find(array);
    if (found == computed.end())
      continue;
    llvm::erase(stage.arrays, array);
    Stage ofArray = stage;
    ofArray.arrays = {array};
    Window window = makeWindow(b, ofArray, found->second.wordType());
    late.emplace_back(std::move(window), std::move(found->second));
    computed.erase(found);
  }
}

/// Whether parts access the arrays of a stage only until they are scanned.
bool TileWindows::isForCounts(const Stage &stage) {
  auto scans = workers.getBodyBlock()->getOps<TileScanOp>();
  if (scans.empty() || stage.isWritten)
    return false;
  TileScanOp scan = *scans.begin();
  return llvm::all_of(stage.arrays, [&](Value array) {
    return llvm::all_of(findAccesses(workers, array)->loads,
                        [&](OpOperand *load) {
                          return workers.getBodyBlock()
                              ->findAncestorOpInBlock(*load->getOwner())
                              ->isBeforeInBlock(scan);
                        });
  });
}

/// The windows that parts need no more when they are scanned come last, so that
/// other memory can take their place.
void TileWindows::emitBefore(ImplicitLocOpBuilder &b) {
  SmallVector<Stage> stages = takeStages(b, workers);
  SmallVector<TileMemoryOp> memories(
      workers.getBodyBlock()->getOps<TileMemoryOp>());
  used = Number(b, 0);
  isWhole = Number::flag(b, true);
  for (Stage &each : stages)
    require(b, boundStage(b, each, workers));
  SmallVector<Value> written(memories.begin(), memories.end());
  for (const Stage &each : stages)
    if (each.isWritten)
      llvm::append_range(written, each.arrays);
  for (Value array : written)
    findLate(b, array, stages);
  SmallVector<Stage> last;
  llvm::copy_if(stages, std::back_inserter(last),
                [&](const Stage &each) { return isForCounts(each); });
  llvm::erase_if(stages, [&](const Stage &each) { return isForCounts(each); });
  auto isSmall = [](TileMemoryOp memory) {
    return getConstantIntValue(memory.getSize()) == 1;
  };
  llvm::for_each(llvm::make_filter_range(memories, isSmall),
                 [&](TileMemoryOp memory) { makeSlots(b, memory); });
  addWindows(b, stages);
  for (TileMemoryOp memory : memories)
    if (!isSmall(memory))
      makeSlots(b, memory);
  Value free = used;
  addWindows(b, last);
  makeOrder(b, free);
  copyWindows(b);
  goToSlots();
  goToWindows();
}

/// Makes the windows of stages.
void TileWindows::addWindows(ImplicitLocOpBuilder &b, ArrayRef<Stage> stages) {
  for (Stage each : stages) {
    if (each.isWritten)
      stageLate(b, each);
    stage(b, each);
  }
}

/// Copies to the windows what parts read.
void TileWindows::copyWindows(ImplicitLocOpBuilder &b) {
  if (windows.empty() && late.empty() && slots.empty())
    return;
  require(b, Number(b, used) <= sharedBytes);
  emitIf(b, isWhole, [&] {
    for (const auto &[window, values] : late)
      clear(b, window);
    for (const Window &window : windows)
      window.isWritten ? clear(b, window) : copy(b, window);
  });
  gpu::BarrierOp::create(b);
}

//===----------------------------------------------------------------------===//
// The code of parts
//===----------------------------------------------------------------------===//

void TileWindows::choose(Block *code, bool isLast) {
  auto isHere = [&](Operation *op) {
    return code->getParentOp()->isProperAncestor(op);
  };
  auto accessIsHere = [&](const WindowAccess &access) {
    return isHere(access.memory->getOwner());
  };
  if (llvm::none_of(alone, accessIsHere) &&
      llvm::none_of(others, accessIsHere) &&
      llvm::none_of(late, [&](const auto &each) {
        return isHere(each.second.getStore());
      }))
    return;
  auto b = ImplicitLocOpBuilder::atBlockBegin(memory.getLoc(), code);
  auto either = scf::IfOp::create(b, isWhole, /*withElse=*/true);
  Block *far = either.elseBlock();
  far->getOperations().splice(far->begin(), code->getOperations(),
                              std::next(either->getIterator()),
                              std::prev(code->end()));
  OpBuilder near = either.getThenBodyBuilder();
  IRMapping copies;
  for (Operation &op : far->without_terminator())
    near.clone(op, copies);
  SmallVector<AskedWindow> asked;
  for (const WindowAccess &access : alone)
    if (Operation *copy = copies.lookupOrNull(access.memory->getOwner())) {
      bool isStore = copy->getNumResults() == 0;
      isLast || isStore ? goToWindow(access, copy)
                        : askWindow(access, copy, asked);
    }
  for (const WindowAccess &access : others)
    if (Operation *copy = copies.lookupOrNull(access.memory->getOwner()))
      askWindow(access, copy, asked);
  for (const auto &[window, values] : late)
    if (copies.lookupOrNull(values.getStore()))
      values.writeWords(copies, window.copies.front().shared, window.rows);
}

void TileWindows::emitAfter(ImplicitLocOpBuilder &b) {
  for (Slots &each : slots)
    each.memory->erase();
  if (late.empty() && appends.empty() &&
      llvm::none_of(windows, [](const Window &each) { return each.isWritten; }))
    return;
  gpu::BarrierOp::create(b);
  emitIf(b, isWhole, [&] {
    for (const Window &window : windows)
      if (window.isWritten)
        copy(b, window);
    for (const auto &[window, values] : late)
      computeLate(b, window, values);
    for (const Append &append : appends)
      copySlots(b, append);
  });
}
