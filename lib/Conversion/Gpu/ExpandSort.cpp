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
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
static constexpr int64_t kEntriesPerPart = 2048;
static constexpr int64_t kMostParts = 1024;

namespace {
class SortExpander {
public:
  explicit SortExpander(SortOp op);
  void expand();

private:
  using Body = llvm::function_ref<void(Value)>;

  void sort();
  Value sortBy(Value coordinates, Value extent, Value order, Value other);
  void sortDigit(Value coordinates, Value shift, Value from, Value to);
  void move(Value array, Value order, Value copy);

  void forEachPart(Body body);
  void forEachEntry(Body body);
  void entriesOf(Value part, Body body);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
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
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value times(Value x, Value y) { return arith::MulIOp::create(b, x, y); }

  SortOp op;
  ImplicitLocOpBuilder b;
  SmallVector<Value> arrays; ///< All that is moved.
  Value zero, one, entries, parts, perPart;
  Value scratch, counts;
};
} // namespace

SortExpander::SortExpander(SortOp op) : op(op), b(op.getLoc(), op) {
  llvm::append_range(arrays, op.getCoordinates());
  llvm::append_range(arrays, op.getAlong());
  arrays.push_back(op.getValues());
  zero = constant(0);
  one = constant(1);
  entries = memref::DimOp::create(b, op.getCoordinates().front(), zero);
  parts = arith::CeilDivUIOp::create(b, entries, constant(kEntriesPerPart));
  parts = arith::MinUIOp::create(b, parts, constant(kMostParts));
  parts = arith::MaxUIOp::create(b, parts, one);
  perPart = arith::CeilDivUIOp::create(b, entries, parts);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void SortExpander::forEachPart(Body body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = ParallelOp::create(b, parts, op.getThreads());
  b.setInsertionPointToStart(loop.getBodyBlock());
  body(loop.getWorker());
}

void SortExpander::entriesOf(Value part, Body body) {
  OpBuilder::InsertionGuard guard(b);
  Value first = times(part, perPart);
  Value end = arith::MinUIOp::create(b, add(first, perPart), entries);
  auto loop = scf::ForOp::create(b, first, end, one);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void SortExpander::forEachEntry(Body body) {
  forEachPart([&](Value part) { entriesOf(part, body); });
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Sorts the order of the entries by one digit.
void SortExpander::sortDigit(Value coordinates, Value shift, Value from,
                             Value to) {
  // Where the number of a digit and a part is. One place before all of them is
  // for what comes before the first.
  auto placeOf = [&](Value entry, Value part) {
    Value coordinate = arith::IndexCastUIOp::create(b, b.getIndexType(),
                                                    load(coordinates, entry));
    Value digit = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, coordinate, shift), constant(kDigits - 1));
    return add(times(digit, parts), part);
  };
  Value most = constant(kDigits);
  forEachPart([&](Value part) {
    auto clear = scf::ForOp::create(b, zero, most, one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(clear.getBody());
      Value place = add(times(clear.getInductionVar(), parts), part);
      store(zero, counts, add(place, one));
    }
    auto isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(ifFirst.thenBlock());
      store(zero, counts, zero);
    }
    entriesOf(part, [&](Value at) {
      Value place = add(placeOf(load(from, at), part), one);
      store(add(load(counts, place), one), counts, place);
    });
  });
  PrefixSumOp::create(b, counts, op.getThreads());
  forEachPart([&](Value part) {
    entriesOf(part, [&](Value at) {
      Value entry = load(from, at);
      Value place = placeOf(entry, part);
      Value sorted = load(counts, place);
      store(entry, to, sorted);
      store(add(sorted, one), counts, place);
    });
  });
}

/// Sorts the order of the entries by a coordinate, which has as many digits as
/// the largest one. Returns the buffer that has the order then.
Value SortExpander::sortBy(Value coordinates, Value extent, Value order,
                           Value other) {
  OpBuilder::InsertionGuard guard(b);
  Value largest = arith::SubIOp::create(b, extent, one);
  Type types[] = {b.getIndexType(), order.getType(), other.getType()};
  auto loop = scf::WhileOp::create(b, types, ValueRange{zero, order, other});
  SmallVector<Location> locs(3, b.getLoc());
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value shift = before->getArgument(0);
  Value left = arith::ShRUIOp::create(b, largest, shift);
  Value isLeft = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, left, zero);
  // A shift by all bits of a number leaves anything.
  Value isDigit =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, shift, constant(64));
  scf::ConditionOp::create(b, arith::AndIOp::create(b, isLeft, isDigit),
                           before->getArguments());
  Block *body = b.createBlock(&loop.getAfter(), {}, types, locs);
  Value from = body->getArgument(1), to = body->getArgument(2);
  sortDigit(coordinates, body->getArgument(0), from, to);
  Value next = add(body->getArgument(0), constant(kBitsPerDigit));
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
  Value eight = constant(8), bytes = times(entries, eight);
  Value atCounts = add(bytes, bytes);
  Value numCounts = add(times(constant(kDigits), parts), one);
  Value atCopy = add(atCounts, times(numCounts, eight));
  Value order = view(zero, entries, b.getIndexType());
  Value other = view(bytes, entries, b.getIndexType());
  counts = view(atCounts, numCounts, b.getIndexType());
  forEachEntry([&](Value at) { store(at, order, at); });
  for (auto [coordinates, extent] :
       llvm::reverse(llvm::zip(op.getCoordinates(), op.getExtents()))) {
    Value sorted = sortBy(coordinates, extent, order, other);
    auto isSame = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        memref::ExtractAlignedPointerAsIndexOp::create(b, sorted),
        memref::ExtractAlignedPointerAsIndexOp::create(b, order));
    Value spare = arith::SelectOp::create(b, isSame, other, order);
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
  Value bytes = add(times(entries, constant(16 + widest)),
                    add(times(parts, constant(8 * kDigits)), constant(8)));
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  scratch =
      gpu::AllocOp::create(b, type, Type(), ValueRange(), bytes, ValueRange())
          .getMemref();
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, scratch);
  Value exists =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, address, zero);
  auto ifExists = scf::IfOp::create(b, exists, /*withElse=*/true);
  b.setInsertionPointToStart(ifExists.thenBlock());
  sort();
  gpu::DeallocOp::create(b, Type(), ValueRange(), scratch);
  b.setInsertionPointToStart(ifExists.elseBlock());
  Value before = memref::LoadOp::create(b, op.getStatus());
  Value failed = arith::ConstantIntOp::create(b, kNoMemory, 32);
  memref::StoreOp::create(b, arith::OrIOp::create(b, before, failed),
                          op.getStatus());
  op.erase();
}

namespace {
struct ExpandSort : nacho::impl::NachoExpandSortBase<ExpandSort> {
  void runOnOperation() override {
    getOperation().walk([](SortOp op) { SortExpander(op).expand(); });
  }
};
} // namespace
