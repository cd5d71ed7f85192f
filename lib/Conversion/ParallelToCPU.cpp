//===- ParallelToCPU.cpp - The backend contract on the host ---------------===//
//
// The body of a nacho.parallel becomes a function, which the runtime calls for
// each worker (Workers.h): parts have equal costs, but threads need not be
// equally fast, and some may not come at all.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "ScanLoop.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOPARALLELTOCPU
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Memory that does not depend on anything is taken once for each worker.
static void hoistAllocas(func::FuncOp func) {
  Operation *first = &func.front().front();
  SmallVector<memref::AllocaOp> allocas;
  func.walk([&](memref::AllocaOp alloca) {
    if (alloca->getNumOperands() == 0)
      allocas.push_back(alloca);
  });
  for (memref::AllocaOp alloca : allocas)
    alloca->moveBefore(first);
}

/// Makes arguments of a region of what it uses from outside, which is returned.
/// Constants are cloned instead.
static SmallVector<Value> capture(OpBuilder &b, Region &region) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  SmallVector<Value> captured;
  b.setInsertionPointToStart(&region.front());
  for (Value value : used) {
    Operation *made = value.getDefiningOp();
    if (made && made->hasTrait<OpTrait::ConstantLike>()) {
      replaceAllUsesInRegionWith(value, b.clone(*made)->getResult(0), region);
      continue;
    }
    captured.push_back(value);
    replaceAllUsesInRegionWith(
        value, region.addArgument(value.getType(), value.getLoc()), region);
  }
  return captured;
}

static Number asWord(ImplicitLocOpBuilder &b, Value value) {
  return Number(b, value).asSigned(b.getI64Type());
}

static Value addressOf(ImplicitLocOpBuilder &b, Value buffer) {
  return asWord(b, memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
}

/// The bytes of an element of a buffer.
static Value bytesOf(ImplicitLocOpBuilder &b, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t parts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return Number(b, parts * llvm::divideCeil(bits, 8), b.getI64Type());
}

static bool isContiguous(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
}

/// before the workers:
///   all[0] = 0; all[n] = -1 in the last column, for n > 0
/// in each:
///   x = nacho_await_turn(all[part], word), once the part before has passed it
///   y = combine(x, row)
///   nacho_pass_turn(all[part + 1], y)
///
/// The last column of a row says that the row is there.
static void lowerScan(TileScanOp op, ParallelOp workers, Value word,
                      ModuleOp module) {
  Value all = op.getAll(), part = workers.getWorker();
  int64_t columns = op.getRow().size();
  ImplicitLocOpBuilder b(op.getLoc(), workers);
  Number zero(b, 0), one(b, 1);
  SmallVector<Value> column;
  for (int64_t n = 0; n < columns; ++n)
    column.push_back(Number(b, n));
  for (Value n : column)
    memref::StoreOp::create(b, zero, all, ValueRange{zero, n});
  Number parts(b, workers.getWorkers());
  auto loop = scf::ForOp::create(b, one, parts + 1, one);
  b.setInsertionPointToStart(loop.getBody());
  memref::StoreOp::create(b, Number(b, -1), all,
                          ValueRange{loop.getInductionVar(), column.back()});

  b.setInsertionPoint(op);
  constexpr int64_t kBytes = sizeof(int64_t);
  Value next = Number(b, part) + 1;
  Number row = asWord(b, Number(b, part) * (kBytes * columns));
  Number last = Number(b, addressOf(b, all)) + row +
                Number(b, kBytes * (columns - 1), b.getI64Type());
  auto awaited = func::CallOp::create(
      b, declare(module, kAwaitTurnSymbol, 2, b.getI64Type()),
      ValueRange{last, word});
  SmallVector<Value> before;
  for (Value n : ArrayRef(column).drop_back())
    before.push_back(memref::LoadOp::create(b, all, ValueRange{part, n}));
  before.push_back(Number(b, awaited.getResult(0)).asIndex());
  SmallVector<Value> after =
      combineRows(b, op.getCombine().front(), before, op.getRow());
  Value rows = memref::AllocaOp::create(b, op.getRows().getType());
  for (int64_t n = 0; n < columns; ++n) {
    Number first(b, 0), second(b, 1);
    memref::StoreOp::create(b, before[n], rows, ValueRange{first, column[n]});
    memref::StoreOp::create(b, after[n], rows, ValueRange{second, column[n]});
    if (n + 1 < columns)
      memref::StoreOp::create(b, after[n], all, ValueRange{next, column[n]});
  }
  func::CallOp::create(
      b, declare(module, kPassTurnSymbol, 2, {}),
      ValueRange{last + Number(b, kBytes * columns, b.getI64Type()),
                 asWord(b, after.back())});
  op.getRows().replaceAllUsesWith(rows);
  op.erase();
}

/// memcpy(array + place, slots + slot, the bytes of all elements up to `next`,
///        or to the end of the array)
static void lowerAppend(TileAppendOp op, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (auto [slots, array] : llvm::zip(op.getSlots(), op.getArrays())) {
    Number place(b, op.getPlace()), slot(b, op.getSlot());
    Number size(b, memref::DimOp::create(b, array, Number(b, 0)));
    Number end = min(Number(b, op.getNext()), size);
    Number count = select(place < end, end - place, Number(b, 0));
    if (isContiguous(slots) && isContiguous(array)) {
      Value bytes = bytesOf(b, array);
      auto addressAt = [&](Value buffer, Value at) -> Value {
        return Number(b, addressOf(b, buffer)) + asWord(b, at) * bytes;
      };
      func::CallOp::create(b, declare(module, "memcpy", 3, b.getI64Type()),
                           ValueRange{addressAt(array, place),
                                      addressAt(slots, slot),
                                      asWord(b, count) * bytes});
      continue;
    }
    Number zero(b, 0), one(b, 1);
    auto loop = scf::ForOp::create(b, zero, count, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value n = loop.getInductionVar();
    Value from = slot + n, to = place + n;
    Value element = memref::LoadOp::create(b, slots, from);
    memref::StoreOp::create(b, element, array, to);
  }
  op.erase();
}

/// A tile is a single part: the one of the worker.
static void lowerTile(ParallelOp workers, Value word, ModuleOp module) {
  for (auto scan :
       llvm::to_vector(workers.getBodyBlock()->getOps<TileScanOp>()))
    lowerScan(scan, workers, word, module);
  for (auto append :
       llvm::to_vector(workers.getBodyBlock()->getOps<TileAppendOp>()))
    lowerAppend(append, module);
  for (auto tile : llvm::to_vector(workers.getBodyBlock()->getOps<TileOp>())) {
    ImplicitLocOpBuilder b(tile.getLoc(), tile);
    Value part = tile.getPart(), next = Number(b, part) + 1;
    tile.replaceAllUsesWith(ValueRange{part, next});
    tile.erase();
  }
}

/// Turns the body into a function of the number of the worker, its slot, the
/// address of the word of the thread that calls, and what the body has used
/// from outside.
static void outline(ParallelOp op, SymbolTable &functions) {
  IRRewriter rewriter(op);
  Block &entry = *op.getBodyBlock();
  Value slot = entry.addArgument(rewriter.getIndexType(), op.getLoc());
  Value word = entry.addArgument(rewriter.getI64Type(), op.getLoc());
  auto parent = op->getParentOfType<func::FuncOp>();
  lowerTile(op, word, parent->getParentOfType<ModuleOp>());
  SmallVector<Value> captured = capture(rewriter, op.getBody());
  entry.walk([&](SlotOp used) { rewriter.replaceOp(used, slot); });
  rewriter.setInsertionPoint(entry.getTerminator());
  rewriter.replaceOpWithNewOp<func::ReturnOp>(entry.getTerminator());

  OpBuilder b(op.getContext());
  auto worker =
      func::FuncOp::create(b, op.getLoc(), (parent.getName() + "_worker").str(),
                           b.getFunctionType(entry.getArgumentTypes(), {}));
  worker.setPrivate();
  worker.getBody().takeBody(op.getBody());
  hoistAllocas(worker);
  functions.insert(worker, parent->getIterator());
  rewriter.setInsertionPoint(op);
  ParallelCallOp::create(rewriter, op.getLoc(), rewriter.getI1Type(),
                         worker.getName(), captured, op.getWorkers(),
                         op.getThreads());
  rewriter.eraseOp(op);
}

static Value sizeOf(ImplicitLocOpBuilder &b, Value buffer) {
  Number zero(b, 0);
  return asWord(b, memref::DimOp::create(b, buffer, zero));
}

/// nacho_prefix_sum(values, bytes, entries, threads)
static void lowerPrefixSum(PrefixSumOp op, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value values = op.getValues();
  func::CallOp::create(b, declare(module, kPrefixSumSymbol, 4, {}),
                       ValueRange{addressOf(b, values), bytesOf(b, values),
                                  sizeOf(b, values),
                                  asWord(b, op.getThreads())});
  op.erase();
}

/// columns = [address, bytes, extent, ...]
/// status |= nacho_sort_entries(columns, n, keys, values, bytes, entries,
///                              threads)
static void lowerSort(SortOp op, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<std::pair<Value, Value>> arrays;
  Number zero(b, 0, b.getI64Type());
  for (auto [coordinates, extent] :
       llvm::zip(op.getCoordinates(), op.getExtents()))
    arrays.push_back({coordinates, asWord(b, extent)});
  for (Value coordinates : op.getAlong())
    arrays.push_back({coordinates, zero});
  int64_t count = arrays.size();
  Value columns =
      memref::AllocaOp::create(b, MemRefType::get({3 * count}, b.getI64Type()));
  for (auto [n, array] : llvm::enumerate(arrays)) {
    auto [coordinates, extent] = array;
    Value column[] = {addressOf(b, coordinates), bytesOf(b, coordinates),
                      extent};
    for (auto [k, value] : llvm::enumerate(column)) {
      Number at(b, 3 * n + k);
      memref::StoreOp::create(b, value, columns, at);
    }
  }
  auto call = func::CallOp::create(
      b, declare(module, kSortSymbol, 7, b.getI32Type()),
      ValueRange{addressOf(b, columns), Number(b, count, b.getI64Type()),
                 Number(b, op.getCoordinates().size(), b.getI64Type()),
                 addressOf(b, op.getValues()), bytesOf(b, op.getValues()),
                 sizeOf(b, op.getCoordinates().front()),
                 asWord(b, op.getThreads())});
  Value before = memref::LoadOp::create(b, op.getStatus());
  Value after = Number(b, before) | call.getResult(0);
  memref::StoreOp::create(b, after, op.getStatus());
  op.erase();
}

namespace {
struct ParallelToCPU
    : nacho::impl::ConvertNachoParallelToCPUBase<ParallelToCPU> {
  void runOnOperation() override {
    SymbolTable functions(getOperation());
    getOperation().walk([&](ParallelOp op) { outline(op, functions); });
    getOperation().walk([](ExclusiveScanOp op) {
      OpBuilder builder(op);
      emitScanLoop(builder, op);
      op.erase();
    });
    getOperation().walk([&](SortOp op) { lowerSort(op, getOperation()); });
    getOperation().walk(
        [&](PrefixSumOp op) { lowerPrefixSum(op, getOperation()); });
  }
};
} // namespace
