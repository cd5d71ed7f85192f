//===- ExpandSort.cpp - Sorts as parallel loops ---------------------------===//
//
// A radix sort, from the last digit of the last coordinate to the first one of
// the first. What is sorted is the order of the entries; the arrays are moved
// once, at the end. For each digit:
//
//   for each part t, in parallel:
//     counts[d, t] = the entries of the part that have the digit d
//   offsets = the sums of the counts before
//   for each part t, in parallel:
//     for each entry of the part, in order: sorted[offsets[d, t]++] = entry
//
// A warp does a part, 32 entries at a time. Of lanes whose entries have the
// same digit, the first one counts all of them.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOEXPANDSORT
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static constexpr int64_t kBitsPerDigit = 8;
static constexpr int64_t kDigits = 1 << kBitsPerDigit;

/// Parts have so many entries, unless there would be too many parts: each has
/// its counts.
static constexpr int64_t kEntriesPerPart = 1024;
static constexpr int64_t kMostParts = 4096;

namespace {
class SortExpander {
public:
  SortExpander(SortOp op, int64_t numLanes);
  void expand();

private:
  using Body = llvm::function_ref<void(Value)>;

  void sort();
  Value sortBy(Value coordinates, Value extent, Value order, Value other);
  void sortDigit(Value coordinates, Value shift, Value from, Value to);
  void countDigits(Value part, llvm::function_ref<Value(Value)> digitOf,
                   Value from);
  void moveByDigit(Value part, llvm::function_ref<Value(Value)> digitOf,
                   Value from, Value to);
  Value lanesWith(Value digit);
  void move(Value array, Value order, Value copy);

  void forEachPart(Body body);
  void forEachEntry(Body body);
  void forEach(Value begin, Value end, int64_t step, Body body);
  void emitIf(Value condition, llvm::function_ref<void()> body);

  Value view(Value offset, Value size, Type element) {
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    return memref::ViewOp::create(b, type, scratch, offset, size);
  }
  Value load(Value array, Value at) {
    return memref::LoadOp::create(b, array, at);
  }
  void store(Value value, Value array, Value at) {
    memref::StoreOp::create(b, value, array, at);
  }
  Number add(Value x, Value y) { return Number(b, x) + y; }
  Number andBits(Value x, Value y) { return Number(b, x) & y; }
  /// Returns the flags of all lanes, a bit for each.
  Value ballot(Value flag) {
    return BallotOp::create(b, b.getIntegerType(numLanes), flag);
  }
  Number asCount(Value x) { return Number(b, x).asSigned(b.getI64Type()); }
  Number asIndex(Value x) { return Number(b, x).asIndex(); }
  Number isLess(Value x, Value y) { return Number(b, x) < y; }
  /// The place of the number of a digit and a part. One place before all of
  /// them is for what comes before the first.
  Value placeOf(Value digit, Value part) {
    return add(times(digit, parts), part);
  }
  Number times(Value x, Value y) { return Number(b, x) * y; }

  SortOp op;
  ImplicitLocOpBuilder b;
  int64_t numLanes;
  SmallVector<Value> arrays; ///< All that is moved.
  Value zero, one, entries, parts, perPart;
  Value scratch, counts;
  Value lane, begin, end; ///< Those of the part that is done.
};
} // namespace

SortExpander::SortExpander(SortOp op, int64_t numLanes)
    : op(op), b(op.getLoc(), op), numLanes(numLanes) {
  llvm::append_range(arrays, op.getCoordinates());
  llvm::append_range(arrays, op.getAlong());
  arrays.push_back(op.getValues());
  zero = Number(b, 0);
  one = Number(b, 1);
  entries = memref::DimOp::create(b, op.getCoordinates().front(), zero);
  parts = ceilDiv(Number(b, entries), kEntriesPerPart);
  parts = min(Number(b, parts), kMostParts);
  parts = max(Number(b, parts), one);
  perPart = ceilDiv(Number(b, entries), parts);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void SortExpander::forEachPart(Body body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = ParallelOp::create(b, parts, op.getThreads());
  b.setInsertionPointToStart(loop.getBodyBlock());
  lane = Lanes::create(b, numLanes).lane();
  begin = times(loop.getWorker(), perPart);
  end = min(add(begin, perPart), entries);
  body(loop.getWorker());
}

void SortExpander::forEach(Value begin, Value end, int64_t step, Body body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, begin, end, Number(b, step));
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Lanes take entries in turn.
void SortExpander::forEachEntry(Body body) {
  forEachPart([&](Value) { forEach(add(begin, lane), end, numLanes, body); });
}

void SortExpander::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Sorts the order of the entries by one digit.
void SortExpander::sortDigit(Value coordinates, Value shift, Value from,
                             Value to) {
  auto digitOf = [&](Value entry) -> Value {
    Value coordinate = asIndex(load(coordinates, entry));
    return andBits(Number(b, coordinate) >> shift, Number(b, kDigits - 1));
  };
  forEachPart([&](Value part) { countDigits(part, digitOf, from); });
  PrefixSumOp::create(b, counts, op.getThreads());
  forEachPart([&](Value part) { moveByDigit(part, digitOf, from, to); });
}

void SortExpander::countDigits(Value part,
                               llvm::function_ref<Value(Value)> digitOf,
                               Value from) {
  Number none(b, 0, b.getI64Type());
  Number more(b, 1, b.getI64Type());
  forEach(lane, Number(b, kDigits), numLanes, [&](Value digit) {
    store(none, counts, add(placeOf(digit, part), one));
  });
  emitIf(isLess(add(part, lane), one), [&] { store(none, counts, zero); });
  LaneSyncOp::create(b);
  forEach(add(begin, lane), end, numLanes, [&](Value at) {
    Value place = add(placeOf(digitOf(load(from, at)), part), one);
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi, more, counts,
                                place);
  });
}

/// Lanes that have an entry with the same digit take places one after the
/// other.
void SortExpander::moveByDigit(Value part,
                               llvm::function_ref<Value(Value)> digitOf,
                               Value from, Value to) {
  Value last = Number(b, end) - one;
  Type word = b.getIntegerType(numLanes);
  Number bit(b, 1, word);
  Value below = (bit << Number(b, lane).as(word)) - 1;
  forEach(begin, end, numLanes, [&](Value first) {
    Value at = add(first, lane), exists = isLess(at, end);
    Value entry = load(from, min(Number(b, at), last));
    Value digit = digitOf(entry), place = placeOf(digit, part);
    Value sorted = asIndex(load(counts, place));
    Value same = andBits(lanesWith(digit), ballot(exists));
    auto count = [&](Value lanes) {
      return asIndex(math::CtPopOp::create(b, lanes));
    };
    Value before = count(andBits(same, below));
    // All lanes have read the number before the first one writes it.
    LaneSyncOp::create(b);
    emitIf(exists, [&] {
      store(entry, to, add(sorted, before));
      emitIf(isLess(before, one),
             [&] { store(asCount(add(sorted, count(same))), counts, place); });
    });
    LaneSyncOp::create(b);
  });
}

/// The lanes that have the same digit as this one.
Value SortExpander::lanesWith(Value digit) {
  Number same(b, -1, b.getIntegerType(numLanes));
  Value all = same;
  for (int64_t n = 0; n < kBitsPerDigit; ++n) {
    Value bit = andBits(digit, Number(b, int64_t(1) << n));
    Number isSet = Number(b, bit) != zero;
    Value set = ballot(isSet);
    Value clear = Number(b, set) ^ all;
    same = andBits(same, select(isSet, set, clear));
  }
  return same;
}

/// Sorts the order of the entries by a coordinate, which has as many digits as
/// the largest one. Returns the buffer that has the order then.
Value SortExpander::sortBy(Value coordinates, Value extent, Value order,
                           Value other) {
  OpBuilder::InsertionGuard guard(b);
  Number largest = Number(b, extent) - one;
  Type types[] = {b.getIndexType(), order.getType(), other.getType()};
  auto loop = scf::WhileOp::create(b, types, ValueRange{zero, order, other});
  SmallVector<Location> locs(3, b.getLoc());
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value shift = before->getArgument(0);
  Number left = largest >> shift;
  Number isLeft = left != zero;
  // A shift by all bits of a number leaves anything.
  Value isDigit = Number(b, shift) < 64;
  scf::ConditionOp::create(b, isLeft & isDigit, before->getArguments());
  Block *body = b.createBlock(&loop.getAfter(), {}, types, locs);
  Value from = body->getArgument(1), to = body->getArgument(2);
  sortDigit(coordinates, body->getArgument(0), from, to);
  Value next = add(body->getArgument(0), Number(b, kBitsPerDigit));
  scf::YieldOp::create(b, ValueRange{next, to, from});
  return loop.getResult(1);
}

/// Moves the elements of an array to where they belong.
void SortExpander::move(Value array, Value order, Value copy) {
  forEachEntry(
      [&](Value at) { store(load(array, load(order, at)), copy, at); });
  forEachEntry([&](Value at) { store(load(copy, at), array, at); });
}

/// The scratch memory: | order | order, sorted | counts | copy of an array |
void SortExpander::sort() {
  Value eight = Number(b, 8), bytes = times(entries, eight);
  Value atCounts = add(bytes, bytes);
  Value numCounts = add(times(Number(b, kDigits), parts), one);
  Value atCopy = add(atCounts, times(numCounts, eight));
  Value order = view(zero, entries, b.getIndexType());
  Value other = view(bytes, entries, b.getIndexType());
  counts = view(atCounts, numCounts, b.getI64Type());
  forEachEntry([&](Value at) { store(at, order, at); });
  for (auto [coordinates, extent] :
       llvm::reverse(llvm::zip(op.getCoordinates(), op.getExtents()))) {
    Value sorted = sortBy(coordinates, extent, order, other);
    Number address(b,
                   memref::ExtractAlignedPointerAsIndexOp::create(b, sorted));
    Number isSame =
        address == memref::ExtractAlignedPointerAsIndexOp::create(b, order);
    Value spare = select(isSame, other, order);
    order = sorted;
    other = spare;
  }
  for (Value array : arrays) {
    Type element = cast<MemRefType>(array.getType()).getElementType();
    move(array, order, view(atCopy, entries, element));
  }
}

void SortExpander::expand() {
  int64_t widest = 0;
  for (Value array : arrays)
    widest = std::max(
        widest, bytesOf(cast<MemRefType>(array.getType()).getElementType()));
  Value bytes = add(times(entries, Number(b, 16 + widest)),
                    add(times(parts, Number(b, 8 * kDigits)), Number(b, 8)));
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  scratch =
      gpu::AllocOp::create(b, type, Type(), ValueRange(), bytes, ValueRange())
          .getMemref();
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, scratch);
  Value exists = Number(b, address) != zero;
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/true);
  b.setInsertionPointToStart(ifExists.thenBlock());
  sort();
  gpu::DeallocOp::create(b, Type(), ValueRange(), scratch);
  b.setInsertionPointToStart(ifExists.elseBlock());
  Value before = memref::LoadOp::create(b, op.getStatus());
  Number failed(b, kNoMemory, b.getI32Type());
  memref::StoreOp::create(b, Number(b, before) | failed, op.getStatus());
  op.erase();
}

namespace {
struct ExpandSort : nacho::impl::NachoExpandSortBase<ExpandSort> {
  using NachoExpandSortBase::NachoExpandSortBase;

  void runOnOperation() override {
    getOperation().walk([&](SortOp op) { SortExpander(op, lanes).expand(); });
  }
};
} // namespace
