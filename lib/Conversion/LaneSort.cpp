//===- LaneSort.cpp - Words in shared memory, sorted by a warp ------------===//
//
// A bitonic network. In every second stretch of a size, the larger one of two
// words comes first. If there are few words, each lane keeps some of them, and
// asks others for theirs; else all of them stay in memory.
//
//===----------------------------------------------------------------------===//

#include "LaneSort.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/WhileLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The lanes of a warp.
static constexpr int64_t kLaneBits = 5, kNumLanes = 1 << kLaneBits;
/// The most words that each lane keeps, for two kinds of rows: a network for
/// many of them takes as long whatever their number is.
static constexpr int64_t kPerLane[] = {1, 4};

namespace {
class LaneSort {
public:
  LaneSort(ImplicitLocOpBuilder &b, Lanes lanes, Value order, int64_t room,
           Value count)
      : b(b), lanes(lanes), order(order), room(room), count(count) {}

  void sort();

private:
  Number word(int64_t value) { return Number(b, value, b.getI32Type()); }
  Value load(Value memory, Value at) {
    return memref::LoadOp::create(b, memory, at);
  }
  void store(Value value, Value memory, Value at) {
    memref::StoreOp::create(b, value, memory, at);
  }
  void forEach(Value begin, Value end, llvm::function_ref<void(Value)> body);
  void emitIf(Value condition, llvm::function_ref<void()> body);
  void sortInLanes(int64_t perLane);
  Values sortHalves(ValueRange words);
  Value loadIf(Value condition, Value at);
  Values exchangeLanes(ValueRange words, Value stride, ValueRange areUp);
  Values exchangeAll(ValueRange words, Value bits, ValueRange areUp);
  void exchangeOfLane(Values &words, size_t size, size_t stride);
  void sortInMemory();
  void exchange(Value at, Value other, Value size);

  ImplicitLocOpBuilder &b;
  Lanes lanes;
  Value order;  ///< The words.
  int64_t room; ///< The length of this memory.
  Value count;  ///< The number of words there.
};
} // namespace

/// Each lane does every 32nd.
void LaneSort::forEach(Value begin, Value end,
                       llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, begin, end, Number(b, 1));
  lanes.takeSteps(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void LaneSort::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Sorts the words in values of lanes if there are few, else in memory.
void LaneSort::sort() {
  OpBuilder::InsertionGuard guard(b);
  for (int64_t perLane : kPerLane) {
    Value areFew = Number(b, count) <= perLane * kNumLanes;
    auto choice = scf::IfOp::create(b, areFew, /*withElse=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    sortInLanes(perLane);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  sortInMemory();
}

/// order[at], or the largest word unless a condition holds.
Value LaneSort::loadIf(Value condition, Value at) {
  auto branch =
      scf::IfOp::create(b, b.getI32Type(), condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, load(order, at));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, word(-1));
  return branch.getResult(0);
}

/// Exchanges each word with that of the lane which is `stride` apart. The lower
/// one of the two keeps the lesser word if the order is up there.
Values LaneSort::exchangeLanes(ValueRange words, Value stride,
                               ValueRange areUp) {
  Number lane = Number(b, lanes.lane()).as(b.getI32Type());
  Value other = (lane ^ stride).asIndex();
  Number isLower = (lane & stride) == 0;
  Values exchanged;
  for (auto [value, isUp] : llvm::zip(words, areUp)) {
    Number own(b, value);
    Value another = FromLaneOp::create(b, own, other);
    Value less = min(own, another), more = max(own, another);
    exchanged.push_back(select(isLower == isUp, less, more));
  }
  return exchanged;
}

/// for n = 1 to bits: exchange words of lanes that are 2^(bits - n) apart
Values LaneSort::exchangeAll(ValueRange words, Value bits, ValueRange areUp) {
  Number one(b, 1);
  Value size = one << bits, end = Number(b, bits) + one;
  auto strides = scf::ForOp::create(b, one, end, one, words);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(strides.getBody());
  Number stride = Number(b, size) >> strides.getInductionVar();
  Values exchanged = exchangeLanes(strides.getRegionIterArgs(),
                                   stride.as(b.getI32Type()), areUp);
  scf::YieldOp::create(b, exchanged);
  return Values(strides.getResults());
}

/// Word n of a lane is word 32 * n + lane of all:
///
///   for k = 1 to 4: size = 2^k
///     exchange words of lanes that are size / 2 .. 1 apart
///   for size = 32 to 32 * perLane:
///     exchange words of the same lane that are size / 2 .. 32 apart
///     exchange words of lanes that are 16 .. 1 apart
void LaneSort::sortInLanes(int64_t perLane) {
  LaneSyncOp::create(b);
  auto placeOf = [&](int64_t n) -> Number {
    return Number(b, lanes.lane()) + n * kNumLanes;
  };
  Values words;
  for (int64_t n = 0; n < perLane; ++n) {
    Value place = placeOf(n), isEntry = Number(b, place) < count;
    words.push_back(loadIf(isEntry, place));
  }
  words = sortHalves(words);
  for (int64_t size = 1; size <= perLane; size *= 2) {
    Values areUp;
    for (int64_t n = 0; n < perLane; ++n)
      areUp.push_back(Number::flag(b, (n & size) == 0));
    for (int64_t stride = size / 2; stride > 0; stride /= 2)
      exchangeOfLane(words, size, stride);
    words = exchangeAll(words, Number(b, kLaneBits), areUp);
  }
  for (int64_t n = 0; n < perLane; ++n) {
    Value place = placeOf(n), isEntry = Number(b, place) < count;
    emitIf(isEntry, [&] { store(words[n], order, place); });
  }
  LaneSyncOp::create(b);
}

/// Sorts up to the size of half a warp, in which a lane's words are in order
/// alike.
Values LaneSort::sortHalves(ValueRange words) {
  Number one(b, 1);
  auto sizes = scf::ForOp::create(b, one, Number(b, kLaneBits), one, words);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(sizes.getBody());
  Value bits = sizes.getInductionVar();
  Value size = one << bits;
  Value isUp = (Number(b, lanes.lane()) & size) == 0;
  Values areUp(words.size(), isUp);
  scf::YieldOp::create(b, exchangeAll(sizes.getRegionIterArgs(), bits, areUp));
  return Values(sizes.getResults());
}

/// Exchanges the words of a lane whose numbers are `stride` apart.
void LaneSort::exchangeOfLane(Values &words, size_t size, size_t stride) {
  for (size_t n = 0; n < words.size(); ++n) {
    if (n & stride)
      continue;
    Number x(b, words[n]);
    Value y = words[n + stride];
    Value less = min(x, y), more = max(x, y);
    bool isUp = (n & size) == 0;
    words[n] = isUp ? less : more;
    words[n + stride] = isUp ? more : less;
  }
}

/// for k = 1 to bits: size = 2^k
///   for n = 1 to k: exchange words that are 2^(k - n) apart
void LaneSort::sortInMemory() {
  Number one(b, 1);
  Number last = max(Number(b, count), one) - one;
  Number width(b, 32);
  Number zeros(b,
               math::CountLeadingZerosOp::create(b, last.as(b.getI32Type())));
  Value bits = width - zeros.asIndex();
  Number end = min(one << bits, room);
  forEach(count, end, [&](Value at) { store(word(-1), order, at); });
  LaneSyncOp::create(b);
  auto after = [&](Value number) { return Number(b, number) + one; };
  auto sizes = scf::ForOp::create(b, one, after(bits), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(sizes.getBody());
  Number size = one << sizes.getInductionVar();
  auto strides =
      scf::ForOp::create(b, one, after(sizes.getInductionVar()), one);
  b.setInsertionPointToStart(strides.getBody());
  Number stride = size >> strides.getInductionVar();
  Value low = stride - one;
  forEach(Number(b, 0), end >> one, [&](Value pair) {
    // The pair's number, with a 0 put in where the numbers of its words differ.
    Number twice = Number(b, pair) << one;
    Number at = twice - (Number(b, pair) & low);
    exchange(at, at + stride, size);
  });
  LaneSyncOp::create(b);
}

/// Orders two words. In every second stretch of `size` words, the larger one
/// comes first.
void LaneSort::exchange(Value at, Value other, Value size) {
  Value x = load(order, at), y = load(order, other);
  Number isGreater = Number(b, x) > y;
  Value isUp = (Number(b, at) & size) == 0;
  Value isWrong = isGreater == isUp;
  emitIf(isWrong, [&] {
    store(y, order, at);
    store(x, order, other);
  });
}

void nacho::sortWords(ImplicitLocOpBuilder &b, Lanes lanes, Value order,
                      int64_t room, Value count) {
  LaneSort(b, lanes, order, room, count).sort();
}
