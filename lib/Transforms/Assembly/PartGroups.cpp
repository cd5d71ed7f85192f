//===- PartGroups.cpp - Neighbouring parts in groups ----------------------===//

#include "PartGroups.h"

#include "nacho/IR/Names.h"
#include "nacho/IR/WhileLoop.h"

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

/// A thread waits no longer for the cuts of several parts than for one, so that
/// it looks at those before at once, and bisects others only if it has to. Most
/// entries begin in no more than kFew parts, and most others in kMany:
///
///   for n = 1 to kFew: first = part - n, if that begins in the entry
///   if part - kFew does, too, and the first part is needed:
///     first = the first part in low .. first that begins in the entry
///     where low = 0, or part - kMany + 1 if part - kMany does not
Value nacho::emitFirstPart(ImplicitLocOpBuilder &b, Value part, Value isNeeded,
                           llvm::function_ref<Number(Number)> isBefore) {
  static constexpr int64_t kFew = 4, kMany = 32;
  auto before = [&](int64_t n) { return max(Number(b, part), n) - n; };
  Value next = before(kMany) + 1;
  Value low = select(isBefore(before(kMany)), next, Number(b, 0));
  Value first = part, isOther;
  for (int64_t n = 1; n <= kFew; ++n) {
    Value other = before(n);
    isOther = isBefore(Number(b, other));
    first = select(Number(b, isOther), first, other);
  }
  Value isFound = Number(b, isOther) | !Number(b, isNeeded);
  low = select(Number(b, isFound), first, low);
  return emitBisection(b, low, first, isBefore);
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
  Values after = body(bits, loop.getRegionIterArgs());
  if (!after.empty())
    scf::YieldOp::create(b, after);
  return Values(loop.getResults());
}

/// Groups become larger while one of the next size begins among the parts, and
/// then smaller again. Fewer than kGroup parts have no larger group among them:
///
///   most = end - first < kGroup ? 0 : most
///   at = first
///   for bits = 0, kGroupBits, .., most - kGroupBits:
///     next = at, rounded up to a multiple of 2^(bits + kGroupBits)
///     to = next <= end ? next : at
///     add at >> bits .. to >> bits
///     at = to
///   for bits = most, most - kGroupBits, .., 0, if first < end:
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
  Number areFew = Number(b, end) - first < kGroup;
  most = select(areFew, Number(b, 0), most);
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
  // Most entries end in the part after that in which they begin.
  Number sizes = Number(b, most) + kGroupBits;
  sizes = select(Number(b, first) == end, Number(b, 0), sizes);
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

//===----------------------------------------------------------------------===//
// Loops over groups
//===----------------------------------------------------------------------===//

/// for bits in 0 .. most, by kGroupBits:
///   parallel worker for the groups of 2^(bits + kGroupBits): combine
/// parallel worker for the rest: combine the rest
static void emitLoops(PhaseFunctions &function, Value most,
                      const GroupWorkers &workers) {
  ImplicitLocOpBuilder &b = function.b;
  emitForBits(b, most, {}, [&](Number bits, ValueRange) {
    Value count = workers.count(bits + kGroupBits);
    ParallelOp loop = function.emitWorkers(count);
    setName(loop.getWorker(), "worker");
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    workers.combine(Number(b, loop.getWorker()), bits);
    return Values();
  });
  Value rest = function.startWorkers(workers.numRest).getWorker();
  setName(rest, "worker");
  workers.combineRest(Number(b, rest));
}

/// A device starts a loop in about the time that it takes to combine some
/// hundred parts, so there is a single one. Each size of groups, and the rest,
/// has a stage of its workers.
///
///   parallel worker in all stages:
///     begin, bits = those of the worker's stage
///     await begin
///     if it is the last stage: combine the rest
///     else if worker - begin < those for groups of 2^(bits + kGroupBits):
///       combine
static void emitStages(PhaseFunctions &function, Value most,
                       const GroupWorkers &workers) {
  ImplicitLocOpBuilder &b = function.b;
  Number zero(b, 0), end = zero;
  SmallVector<std::pair<Number, int64_t>> stages;
  for (int64_t bits = 0; bits < kGroupBits * int64_t(std::size(kManyParts));
       bits += kGroupBits) {
    stages.push_back({end, bits});
    Number isThere = Number(b, bits) < most;
    Value count = workers.count(Number(b, bits + kGroupBits));
    Number last = end + select(isThere, count, zero) + (AwaitOp::kUnit - 1);
    end = last / AwaitOp::kUnit * AwaitOp::kUnit;
  }
  Value all = end + workers.numRest;
  Number worker(b, function.startWorkers(all).getWorker());
  setName(worker, "worker");
  Number begin = zero, bits = zero;
  for (auto [first, bitsOfStage] : stages) {
    Number isThere = worker >= first;
    begin = select(isThere, first, begin);
    bits = select(isThere, Number(b, bitsOfStage), bits);
  }
  Number isRest = worker >= end;
  begin = select(isRest, end, begin);
  AwaitOp::create(b, begin);
  // That no worker comes before its stage, a GPU is told: it divides 32 bits.
  Number number = maxSigned(worker - begin, 0);
  Number isOfGroup = number < workers.count(bits + kGroupBits);
  isOfGroup = isOfGroup & !isRest;
  emitIf(b, isOfGroup, [&] { workers.combine(number, bits); });
  emitIf(b, isRest, [&] { workers.combineRest(number); });
}

void nacho::emitByGroups(PhaseFunctions &function, Value most,
                         const GroupWorkers &workers) {
  if (function.isOnDevice)
    emitStages(function, most, workers);
  else
    emitLoops(function, most, workers);
}
