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
#include "nacho/IR/Lanes.h"
#include "nacho/IR/WhileLoop.h"
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

/// The bytes of an element.
static int64_t widthOf(Value array) {
  return bytesOf(cast<MemRefType>(array.getType()).getElementType());
}

namespace {
/// What the entries that a worker sorts are, and its lane.
struct Part {
  Number number, lane, begin, end;
};

class SortExpander {
public:
  SortExpander(SortOp op, int64_t numLanes);
  void expand();

private:
  using Body = llvm::function_ref<void(Number)>;
  using PartBody = llvm::function_ref<void(const Part &)>;
  using DigitOf = llvm::function_ref<Number(Number)>;

  void sort();
  Value sortBy(Value coordinates, Value extent, Value order, Value other);
  void sortDigit(Value coordinates, Value shift, Value from, Value to);
  void countDigits(const Part &part, DigitOf digitOf, Value from);
  void moveByDigit(const Part &part, DigitOf digitOf, Value from, Value to);
  Number lanesWith(Number digit);
  void move(Value order, Number atCopies);

  void forEachPart(PartBody body);
  void forEachEntry(Body body);
  void forEach(Value begin, Value end, int64_t step, Body body);
  void emitIf(Value condition, llvm::function_ref<void()> body);

  Value view(Value offset, Value size, Type element) {
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    return memref::ViewOp::create(b, type, scratch, offset, size);
  }
  Number load(Value array, Value at) {
    return Number(b, memref::LoadOp::create(b, array, at));
  }
  void store(Value value, Value array, Value at) {
    memref::StoreOp::create(b, value, array, at);
  }
  Number addressOf(Value array) {
    return Number(b, memref::ExtractAlignedPointerAsIndexOp::create(b, array));
  }
  /// Returns the flags of all lanes, a bit for each.
  Number ballot(Value flag) {
    return Number(b, BallotOp::create(b, b.getIntegerType(numLanes), flag));
  }
  /// The place of the number of a digit and a part. One place before all of
  /// them is for what comes before the first.
  Number placeOf(Number digit, const Part &part) {
    return digit * parts + part.number;
  }

  SortOp op;
  ImplicitLocOpBuilder b;
  int64_t numLanes;
  SmallVector<Value> arrays; ///< All that is moved.
  Number zero, one, entries, parts, perPart;
  Value scratch, counts;
};
} // namespace

SortExpander::SortExpander(SortOp op, int64_t numLanes)
    : op(op), b(op.getLoc(), op), numLanes(numLanes), zero(b, 0), one(b, 1),
      entries(b, memref::DimOp::create(b, op.getCoordinates().front(), zero)),
      parts(max(min(ceilDiv(entries, kEntriesPerPart), kMostParts), one)),
      perPart(ceilDiv(entries, parts)) {
  llvm::append_range(arrays, op.getCoordinates());
  llvm::append_range(arrays, op.getAlong());
  arrays.push_back(op.getValues());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void SortExpander::forEachPart(PartBody body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = ParallelOp::create(b, parts, op.getThreads());
  b.setInsertionPointToStart(loop.getBodyBlock());
  Number number(b, loop.getWorker());
  Number lane(b, Lanes::create(b, numLanes).lane());
  Number begin = number * perPart;
  body({number, lane, begin, min(begin + perPart, entries)});
}

void SortExpander::forEach(Value begin, Value end, int64_t step, Body body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, begin, end, Number(b, step));
  b.setInsertionPointToStart(loop.getBody());
  body(Number(b, loop.getInductionVar()));
}

/// Lanes take entries in turn.
void SortExpander::forEachEntry(Body body) {
  forEachPart([&](const Part &part) {
    forEach(part.begin + part.lane, part.end, numLanes, body);
  });
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
  auto digitOf = [&](Number entry) {
    Number coordinate = load(coordinates, entry).asIndex();
    return (coordinate >> shift) & (kDigits - 1);
  };
  forEachPart([&](const Part &part) { countDigits(part, digitOf, from); });
  PrefixSumOp::create(b, counts, op.getThreads());
  forEachPart([&](const Part &part) { moveByDigit(part, digitOf, from, to); });
}

void SortExpander::countDigits(const Part &part, DigitOf digitOf, Value from) {
  Number none(b, 0, b.getI64Type());
  Number more(b, 1, b.getI64Type());
  forEach(part.lane, Number(b, kDigits), numLanes, [&](Number digit) {
    store(none, counts, placeOf(digit, part) + one);
  });
  emitIf(part.number + part.lane < one, [&] { store(none, counts, zero); });
  LaneSyncOp::create(b);
  forEach(part.begin + part.lane, part.end, numLanes, [&](Number at) {
    Value place = placeOf(digitOf(load(from, at)), part) + one;
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi, more, counts,
                                place);
  });
}

/// Lanes that have an entry with the same digit take places one after the
/// other.
void SortExpander::moveByDigit(const Part &part, DigitOf digitOf, Value from,
                               Value to) {
  Number last = part.end - one;
  Type word = b.getIntegerType(numLanes);
  Number bit(b, 1, word);
  Value below = (bit << part.lane.as(word)) - 1;
  forEach(part.begin, part.end, numLanes, [&](Number first) {
    Number at = first + part.lane, exists = at < part.end;
    Number entry = load(from, min(at, last));
    Number digit = digitOf(entry), place = placeOf(digit, part);
    Number sorted = load(counts, place).asIndex();
    Number same = lanesWith(digit);
    same = same & ballot(exists);
    auto count = [&](Value lanes) {
      return Number(b, math::CtPopOp::create(b, lanes)).asIndex();
    };
    Number before = count(same & below);
    // All lanes have read the number before the first one writes it.
    LaneSyncOp::create(b);
    emitIf(exists, [&] {
      store(entry, to, sorted + before);
      emitIf(before < one, [&] {
        Number next = sorted + count(same);
        store(next.asSigned(b.getI64Type()), counts, place);
      });
    });
    LaneSyncOp::create(b);
  });
}

/// The lanes that have the same digit as this one.
Number SortExpander::lanesWith(Number digit) {
  Number all(b, -1, b.getIntegerType(numLanes)), same = all;
  for (int64_t n = 0; n < kBitsPerDigit; ++n) {
    Number isSet = (digit & (int64_t(1) << n)) != zero;
    Number set = ballot(isSet);
    same = same & select(isSet, set, set ^ all);
  }
  return same;
}

/// Sorts the order of the entries by a coordinate, which has as many digits as
/// the largest one. Returns the buffer that has the order then.
Value SortExpander::sortBy(Value coordinates, Value extent, Value order,
                           Value other) {
  Number largest = Number(b, extent) - one;
  auto isLeft = [&](ValueRange now) -> Value {
    Number shift(b, now[0]), hasMore = (largest >> shift) != zero;
    // A shift by all bits of a number leaves anything.
    Value isDigit = shift < 64;
    return hasMore & isDigit;
  };
  Values sorted =
      emitWhile(b, {zero, order, other}, isLeft, [&](ValueRange now) {
        Value from = now[1], to = now[2];
        sortDigit(coordinates, now[0], from, to);
        return Values{Number(b, now[0]) + kBitsPerDigit, to, from};
      });
  return sorted[1];
}

/// Moves the elements of all arrays to where they belong. Their copies begin at
/// an offset in the scratch memory, those of the widest elements first.
void SortExpander::move(Value order, Number atCopies) {
  SmallVector<std::pair<Value, Value>> copies;
  for (int64_t width : {16, 8, 4, 2, 1})
    for (Value array : arrays)
      if (widthOf(array) == width) {
        Type element = cast<MemRefType>(array.getType()).getElementType();
        copies.push_back({array, view(atCopies, entries, element)});
        atCopies = atCopies + entries * width;
      }
  forEachEntry([&](Number at) {
    Value from = load(order, at);
    for (auto [array, copy] : copies)
      store(load(array, from), copy, at);
  });
  forEachEntry([&](Number at) {
    for (auto [array, copy] : copies)
      store(load(copy, at), array, at);
  });
}

/// The scratch memory: | order | order, sorted | counts | copies of arrays |
void SortExpander::sort() {
  Number eight(b, 8), bytes = entries * eight, atCounts = bytes + bytes;
  Number numCounts = Number(b, kDigits) * parts + one;
  Number atCopies = atCounts + numCounts * eight;
  Value order = view(zero, entries, b.getIndexType());
  Value other = view(bytes, entries, b.getIndexType());
  counts = view(atCounts, numCounts, b.getI64Type());
  forEachEntry([&](Number at) { store(at, order, at); });
  for (auto [coordinates, extent] :
       llvm::reverse(llvm::zip(op.getCoordinates(), op.getExtents()))) {
    Value sorted = sortBy(coordinates, extent, order, other);
    Number address = addressOf(sorted);
    Number isSame = address == addressOf(order);
    Value spare = select(isSame, other, order);
    order = sorted;
    other = spare;
  }
  move(order, atCopies);
}

void SortExpander::expand() {
  int64_t width = 16;
  for (Value array : arrays)
    width += widthOf(array);
  Number ofEntries = entries * width, ofCounts = parts * (8 * kDigits);
  Value bytes = ofEntries + (ofCounts + 8);
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  scratch =
      gpu::AllocOp::create(b, type, Type(), ValueRange(), bytes, ValueRange())
          .getMemref();
  auto ifExists = scf::IfOp::create(b, addressOf(scratch) != zero,
                                    /*withElse=*/true);
  b.setInsertionPointToStart(ifExists.thenBlock());
  sort();
  gpu::DeallocOp::create(b, Type(), ValueRange(), scratch);
  b.setInsertionPointToStart(ifExists.elseBlock());
  Number before(b, memref::LoadOp::create(b, op.getStatus()));
  memref::StoreOp::create(b, before | kNoMemory, op.getStatus());
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
