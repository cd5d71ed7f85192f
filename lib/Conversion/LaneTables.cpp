//===- LaneTables.cpp - Tables in memory that lanes share -----------------===//
//
// A hash table with open addressing. A bit says of each place whether it is
// taken: the lane that sets it has the place. Another lane may see the bit
// before the place has its key, and finds no key there, which is never its own:
// no two lanes insert the same one until all have waited for each other. Until
// then, keys are accessed atomically. A value only one lane accesses.
//
// A drain makes a word of the key and the place of each entry, and sorts the
// words (see LaneSort.h).
//
//===----------------------------------------------------------------------===//

#include "LaneTables.h"

#include "LaneSort.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

/// The factor of the hash: 2^32 divided by the golden ratio.
static constexpr int64_t kFactor = 0x9E3779B9;
/// Places that have their bits in the same word.
static constexpr int64_t kWordPlaces = 32;
/// The key of a place that has none.
static constexpr int64_t kNoKey = -1;

namespace {
class LaneTable {
public:
  explicit LaneTable(LaneTableOp op)
      : op(op), b(op.getLoc(), op), lanes(op.getLane()) {}

  void lower();

private:
  using Body = llvm::function_ref<void(Value)>;

  void create();
  void insert(InsertOp insert);
  Value keyOf(InsertOp insert);
  /// The place of an element; whether it has one; whether that is new.
  struct Place {
    Value at, isFound, isNew;
  };
  Place takePlace(Value key);
  std::pair<Value, Value> tryPlace(Value place, Value key);
  void addValue(InsertOp insert, const Place &place);
  void drain(DrainOp drain);
  Value list();
  Value visit(DrainOp drain, Value count);

  Number word(int64_t value) { return Number(b, value, b.getI32Type()); }
  Value makeMemory(int64_t size, Type element) {
    return LaneMemoryOp::create(b, MemRefType::get(size, element));
  }
  /// The number of bits of a place.
  int64_t placeBits() { return llvm::Log2_64(op.getOf()) + 1; }
  Value load(Value memory, Value at) {
    return memref::LoadOp::create(b, memory, at);
  }
  void store(Value value, Value memory, Value at) {
    memref::StoreOp::create(b, value, memory, at);
  }
  /// Each lane does every 32nd.
  void forEach(Value begin, Value end, Body body);
  void emitIf(Value condition, llvm::function_ref<void()> body);
  /// The bit in its word of a place, in 32 bits.
  Value bitOf(Value place);

  LaneTableOp op;
  ImplicitLocOpBuilder b;
  Lanes lanes;
  Value keys, values, marks; ///< `values` is null if the table is a set.
  Value order;               ///< A word for each entry, while it is drained.
  Value places;              ///< The number of places used; a power of two.
  Value mask;                ///< The last place, in 32 bits.
  Value shift;               ///< The right shift that makes a hash a place.
};
} // namespace

void LaneTable::lower() {
  create();
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    b.setInsertionPoint(user);
    if (auto drained = dyn_cast<DrainOp>(user))
      drain(drained);
    else
      insert(cast<InsertOp>(user));
  }
  op.erase();
}

void LaneTable::forEach(Value begin, Value end, Body body) {
  auto loop = scf::ForOp::create(b, begin, end, Number(b, 1));
  lanes.takeSteps(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void LaneTable::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value LaneTable::bitOf(Value place) {
  Number number = Number(b, place) % kWordPlaces;
  return word(1) << number;
}

void LaneTable::create() {
  int64_t most = 2 * int64_t(op.getOf());
  keys = makeMemory(most, b.getI32Type());
  marks = makeMemory(most / kWordPlaces, b.getI32Type());
  if (Type element = op.getType().getElement(); !isa<NoneType>(element))
    values = makeMemory(most, element);
  // 2 * number <= 2^(32 - zeros)
  Number twice = min(Number(b, op.getMost()), op.getOf()) << 1;
  twice = max(twice, kWordPlaces);
  Value last = twice.as(b.getI32Type()) - 1;
  shift = math::CountLeadingZerosOp::create(b, last);
  Number one(b, 1), width(b, 32);
  places = one << (width - Number(b, shift).asIndex());
  places = min(Number(b, places), most);
  mask = Number(b, places).as(b.getI32Type()) - 1;
  forEach(Number(b, 0), Number(b, places) / kWordPlaces,
          [&](Value number) { store(word(0), marks, number); });
  forEach(Number(b, 0), places,
          [&](Value place) { store(word(kNoKey), keys, place); });
  LaneSyncOp::create(b);
}

//===----------------------------------------------------------------------===//
// Insertion
//===----------------------------------------------------------------------===//

/// A key that is too large, which the loops report, loses its high bits.
Value LaneTable::keyOf(InsertOp insert) {
  return (Number(b, insert.getKey()) & (kDensePlaces - 1)).as(b.getI32Type());
}

void LaneTable::insert(InsertOp insert) {
  Place place = takePlace(keyOf(insert));
  auto ifFound = scf::IfOp::create(b, place.isFound, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifFound.thenBlock());
    if (insert.getValue())
      addValue(insert, place);
    b.setInsertionPointToStart(ifFound.elseBlock());
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori,
                                word(kOperandsChanged), op.getStatus(),
                                ValueRange());
  }
  insert.replaceAllUsesWith(place.isNew);
  insert.erase();
}

/// Tries a place. Returns whether it is the key's, and whether it was free.
std::pair<Value, Value> LaneTable::tryPlace(Value place, Value key) {
  auto update = [&](arith::AtomicRMWKind kind, Value value, Value memory,
                    Value at) -> Value {
    return memref::AtomicRMWOp::create(b, kind, value, memory, at);
  };
  Value bit = bitOf(place);
  Number wordAt = Number(b, place) / kWordPlaces;
  Value before =
      update(arith::AtomicRMWKind::ori, bit, marks, wordAt.asIndex());
  Value at = Number(b, place).asIndex();
  Value isNew = (Number(b, before) & bit) == 0;
  auto found = scf::IfOp::create(b, b.getI1Type(), isNew, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(found.thenBlock());
  update(arith::AtomicRMWKind::assign, key, keys, at);
  scf::YieldOp::create(b, isNew);
  b.setInsertionPointToStart(found.elseBlock());
  Value there = update(arith::AtomicRMWKind::ori, word(0), keys, at);
  Value isSame = Number(b, there) == key;
  scf::YieldOp::create(b, isSame);
  return {found.getResult(0), isNew};
}

/// for n = hash of the key to that + places, while place n & mask is another's
///
/// There is a place unless more coordinates come than were counted.
LaneTable::Place LaneTable::takePlace(Value key) {
  Number hash = Number(b, key) * int32_t(kFactor);
  Number begin = hash >> shift;
  Value end = begin + mask;
  Value isFound, isNew;
  auto search = scf::WhileOp::create(
      b, TypeRange{b.getI32Type(), b.getI1Type(), b.getI1Type()},
      ValueRange{begin}, nullptr, nullptr);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(search.getBeforeBody());
    Number number(b, search.getBeforeArguments()[0]);
    std::tie(isFound, isNew) = tryPlace(number & mask, key);
    Value isOthers = !Number(b, isFound);
    Number isLeft = number < end;
    scf::ConditionOp::create(b, isLeft & isOthers,
                             ValueRange{number, isFound, isNew});
    b.setInsertionPointToStart(search.getAfterBody());
    Value next = search.getAfterArguments()[0];
    scf::YieldOp::create(b, Number(b, next) + 1);
  }
  Number found = Number(b, search.getResult(0)) & mask;
  return {found.asIndex(), search.getResult(1), search.getResult(2)};
}

void LaneTable::addValue(InsertOp insert, const Place &place) {
  auto ifNew = scf::IfOp::create(b, place.isNew, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  store(insert.getValue(), values, place.at);
  b.setInsertionPointToStart(ifNew.elseBlock());
  Value before = load(values, place.at);
  store(insert.emitCombined(b, before), values, place.at);
}

//===----------------------------------------------------------------------===//
// Drain
//===----------------------------------------------------------------------===//

/// A table that is made anew for each row may be left as it is.
void LaneTable::drain(DrainOp drain) {
  if (!drain.getInits().empty() ||
      !drain.getBodyBlock()->without_terminator().empty()) {
    order = makeMemory(op.getOf(), b.getI32Type());
    Value count = list();
    sortWords(b, lanes, order, op.getOf(), count);
    Value next = visit(drain, count);
    if (!drain.getInits().empty())
      drain.getResult(0).replaceAllUsesWith(next);
    // The next row may use the same memory.
    LaneSyncOp::create(b);
  }
  drain.erase();
}

/// Writes a word for each entry, and returns how many there are.
Value LaneTable::list() {
  auto loop = scf::ForOp::create(b, Number(b, 0), places,
                                 Number(b, kWordPlaces), Number(b, 0));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), count = loop.getRegionIterArg(0);
  Number bits(b, load(marks, Number(b, first) / kWordPlaces));
  Number place = Number(b, first) + lanes.lane();
  Value bit = bitOf(Number(b, lanes.lane()).as(b.getI32Type()));
  auto after = [&](Value bits) -> Value {
    Number more(b, math::CtPopOp::create(b, bits));
    return min(Number(b, count) + more.asIndex(), op.getOf());
  };
  Number isTaken = (bits & bit) != 0;
  Number before(b, after(bits & (Number(b, bit) - 1)));
  emitIf(isTaken & (before < op.getOf()), [&] {
    Number key = Number(b, load(keys, place)) << placeBits();
    store(key | place.as(b.getI32Type()), order, before);
  });
  scf::YieldOp::create(b, after(bits));
  return loop.getResult(0);
}

/// Runs the body of a drain for each entry; lanes that lie next to each other
/// have entries that do. Returns the number that is carried on, if there is
/// one.
Value LaneTable::visit(DrainOp drain, Value count) {
  Value first =
      drain.getInits().empty() ? Value() : Value(drain.getInits().front());
  forEach(Number(b, 0), count, [&](Value at) {
    Number entry(b, load(order, at));
    IRMapping mapping;
    mapping.map(drain.getKey(), (entry >> placeBits()).asIndex());
    if (values) {
      Value place = entry.asIndex() & (2 * int64_t(op.getOf()) - 1);
      mapping.map(drain.getValue(), load(values, place));
    }
    if (first)
      mapping.map(drain.getCarried().front(), Number(b, first) + at);
    for (Operation &op : drain.getBodyBlock()->without_terminator())
      b.clone(op, mapping);
  });
  return first ? Number(b, first) + count : first;
}

void nacho::lowerLaneTable(LaneTableOp op) { LaneTable(op).lower(); }
