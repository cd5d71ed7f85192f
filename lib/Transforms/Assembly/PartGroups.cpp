//===- PartGroups.cpp - Neighbouring parts in groups ----------------------===//

#include "PartGroups.h"

#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// With more parts than each of these, there are groups that are kGroup times
/// larger. 256 parts or groups are added up in turn faster than another
/// parallel loop starts.
static constexpr int64_t kManyParts[] = {1 << 8, 1 << 13, 1 << 18, 1 << 23};

Number nacho::emitMostBits(ImplicitLocOpBuilder &b, Value parts) {
  Number bits(b, 0), more(b, kGroupBits);
  for (int64_t limit : kManyParts) {
    Number areMany = Number(b, parts) > limit;
    bits = bits + select(areMany, more, 0);
  }
  return bits;
}

Number nacho::emitNumGroups(ImplicitLocOpBuilder &b, Value parts, Value bits) {
  Number others = (Number(b, 1) << bits) - 1;
  return (others + parts) >> bits;
}

/// for bits in 0 .. most, by kGroupBits:
///   body(bits, state)
static Values emitForBits(ImplicitLocOpBuilder &b, Value most, ValueRange state,
                          llvm::function_ref<Values(Number, ValueRange)> body) {
  Number none(b, 0), step(b, kGroupBits);
  auto loop = scf::ForOp::create(b, none, most, step, state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Number bits(b, loop.getInductionVar());
  setName(bits, "bits");
  scf::YieldOp::create(b, body(bits, loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

/// Groups become larger while one of the next size begins among the parts, and
/// then smaller again:
///
///   at = first
///   for bits = 0, kGroupBits, .., most - kGroupBits:
///     next = at, rounded up to a multiple of 2^(bits + kGroupBits)
///     to = next <= end ? next : at
///     add at >> bits .. to >> bits
///     at = to
///   for bits = most, most - kGroupBits, .., 0:
///     add at >> bits .. end >> bits
///     at = max(at, end, rounded down to a multiple of 2^bits)
Values nacho::emitLargestGroups(
    ImplicitLocOpBuilder &b, Value first, Value end, Value most,
    ValueRange state,
    llvm::function_ref<Values(Value, Value, Value, ValueRange)> add) {
  auto addBetween = [&](Number at, Value to, Value bits, ValueRange state) {
    Value from = at >> bits;
    return add(from, Number(b, to) >> bits, bits, state);
  };
  Values carried = {first};
  llvm::append_range(carried, state);
  carried = emitForBits(b, most, carried, [&](Number bits, ValueRange values) {
    Number at(b, values.front()), larger = bits + kGroupBits;
    Number next = emitNumGroups(b, at, larger) << larger;
    Number begins = next <= end;
    Value to = select(begins, next, at);
    Values after = addBetween(at, to, bits, values.drop_front());
    after.insert(after.begin(), to);
    return after;
  });
  Value sizes = Number(b, most) + kGroupBits;
  carried = emitForBits(b, sizes, carried, [&](Number less, ValueRange values) {
    Number at(b, values.front());
    Number bits = Number(b, most) - less;
    Values after = addBetween(at, end, bits, values.drop_front());
    Number to = (Number(b, end) >> bits) << bits;
    after.insert(after.begin(), max(to, at));
    return after;
  });
  return Values(llvm::drop_begin(carried));
}
