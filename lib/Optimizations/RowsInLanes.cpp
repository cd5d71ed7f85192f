//===- RowsInLanes.cpp - Several short rows at once -----------------------===//
//
// A loop over the few terms of a row takes longer to begin and to end than to
// add them up: the processor cannot foresee how often it runs. So several rows
// are added up at once, one in each lane of a vector, in as many steps as the
// longest of them has terms. A lane whose row has ended keeps its sum:
//
//   ends    = places of the ends of rows i, i + 1, ...
//   lengths = ends - the ends of the rows before
//   if max(lengths) >= 8: sums = those of all whole octets, row by row
//   for t = 0 to max(lengths that are left):
//     sums = select(t < lengths, sums + terms[begins + t], sums)
//
// So every row adds up its terms in the order of a loop of its own, as
// nacho-sum-in-lanes lays it down: whole octets first, each term in its lane.
// Only a loop that looks nothing up begins with more lanes than that; its rows
// have to be shorter than an octet.
//
//===----------------------------------------------------------------------===//

#include "RowsInLanes.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

Value Strip::placeOf(ImplicitLocOpBuilder &b, Value position) {
  auto vector = dyn_cast<VectorType>(position.getType());
  Type type = b.getI32Type();
  auto narrow = [&](Value value) {
    Value one = Number(b, value).as(type);
    return vector ? vector::BroadcastOp::create(b, vector.clone(type), one)
                        .getResult()
                  : one;
  };
  Value from = narrow(begin), most = narrow(size);
  position = Number(b, position).as(vector ? Type(vector.clone(type)) : type);
  return min(Number(b, position) - from, most);
}

RowsInLanes::RowsInLanes(ImplicitLocOpBuilder &b, RowSums &sums, Strip &strip,
                         Value first)
    : b(b), sums(sums), strip(strip), first(first) {
  for (auto [n, one] : llvm::enumerate(sums.body.carried))
    if (!one.isFlag())
      numbers.push_back(n);
}

/// The index of the first row's element, given an index of a row.
Value RowsInLanes::rowsOf(Value index) {
  Value offset = *sums.offsetOf(index);
  return offset ? Number(b, first) + offset : first;
}

/// A value of the loop over rows, for all of these rows.
Value RowsInLanes::vectorOf(Value value) {
  if (Value known = lanes.lookupOrNull(value))
    return known;
  VectorType type = lanesOf(value.getType());
  Operation *op = value.getDefiningOp();
  Value made;
  if (value == sums.rows.getInductionVar()) {
    Value same = vector::BroadcastOp::create(b, type, first);
    made = Number(b, same) + vector::StepOp::create(b, type);
  } else if (sums.rows.isDefinedOutsideOfLoop(value)) {
    made = vector::BroadcastOp::create(b, type, value);
  } else if (isa<memref::DimOp>(op)) {
    IRMapping none;
    made = vector::BroadcastOp::create(b, type, sums.emitAgain(b, value, none));
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    made = vector::LoadOp::create(b, type, load.getMemRef(),
                                  rowsOf(load.getIndices().front()));
  } else {
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return vectorOf(operand); });
    made = createLike(b, op, operands, type)->getResult(0);
  }
  lanes.map(value, made);
  return made;
}

Value RowsInLanes::placeOf(Value places, int64_t lane) {
  return Number(b, vector::ExtractOp::create(b, places, lane)).asIndex();
}

void RowsInLanes::emitPlaces(Value begin) {
  ends = strip.placeOf(b, vectorOf(sums.end()));
  SmallVector<int64_t> before = {0};
  for (int64_t lane = 0; lane + 1 < kRowLanes; ++lane)
    before.push_back(lane);
  begins = vector::ShuffleOp::create(b, ends, ends, before);
  begins = vector::InsertOp::create(b, begin, begins, 0);
  lengths = Number(b, ends) - begins;
}

/// The length of the longest row.
Value RowsInLanes::longest() {
  return vector::ReductionOp::create(b, vector::CombiningKind::MAXSI, lengths);
}

Value RowsInLanes::emitCanSum() {
  if (sums.body.looksUp())
    return Number::flag(b, true);
  Number most(b, kLanes, b.getI32Type());
  return Number(b, longest()).compare(arith::CmpIPredicate::slt, most);
}

Value RowsInLanes::emitEnd() {
  return vector::ExtractOp::create(b, ends, kRowLanes - 1);
}

/// The sum of the terms from `begin` to `end`, which are whole octets.
Value RowsInLanes::addOctetsOf(size_t sum, Value begin, Value end) {
  Operation *update = sums.body.carried[numbers[sum]].update;
  VectorType type = lanesOf(update->getResult(0).getType());
  Number zeros(b, 0, type);
  auto loop = scf::ForOp::create(b, begin, end, Number(b, kLanes), zeros);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value loaded =
      vector::LoadOp::create(b, type, strip.terms[sum], loop.getInductionVar());
  Value next = createLike(b, update, {loop.getRegionIterArg(0), loaded}, type)
                   ->getResult(0);
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(loop);
  Value octets = addHalves(b, update, loop.getResult(0));
  Value start = sums.entries.getInitArgs()[numbers[sum]];
  return createLike(b, update, {start, octets}, octets.getType())->getResult(0);
}

/// The sums of the first `taken` terms of each row, which are whole octets.
Value RowsInLanes::addOctets(size_t sum, Value taken) {
  SmallVector<Value> each;
  for (int64_t lane = 0; lane < kRowLanes; ++lane) {
    Value from = placeOf(begins, lane);
    Value to = Number(b, from) + placeOf(taken, lane);
    each.push_back(addOctetsOf(sum, from, to));
  }
  auto made =
      vector::FromElementsOp::create(b, lanesOf(each.front().getType()), each);
  Value any = Number(b, taken).compare(arith::CmpIPredicate::sgt, 0);
  return select(Number(b, any), made, all[sum]);
}

/// if any row has an octet: add up all octets, which rows then begin after
void RowsInLanes::addOctets() {
  Number octet(b, kLanes, b.getI32Type());
  Value any = Number(b, longest()).compare(arith::CmpIPredicate::sge, octet);
  SmallVector<Value> values = {begins, lengths};
  llvm::append_range(values, all);
  auto branch = scf::IfOp::create(b, ValueRange(values).getTypes(), any,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, values);
  b.setInsertionPointToStart(branch.thenBlock());
  Number taken = maxSigned(Number(b, lengths), 0) & -kLanes;
  SmallVector<Value> after = {Number(b, begins) + taken,
                              Number(b, lengths) - taken};
  for (size_t sum = 0; sum < all.size(); ++sum)
    after.push_back(addOctets(sum, taken));
  scf::YieldOp::create(b, after);
  b.setInsertionPointAfter(branch);
  begins = branch.getResult(0);
  lengths = branch.getResult(1);
  all.assign(branch.result_begin() + 2, branch.result_end());
}

/// The term of each row that is `step` after its first one. It may be one of
/// another row, or none at all, if the row has ended.
Value RowsInLanes::loadTerms(Value terms, Value step) {
  VectorType type = lanesOf(cast<MemRefType>(terms.getType()).getElementType());
  auto each = llvm::map_to_vector(begin, [&](Value place) -> Value {
    return memref::LoadOp::create(b, terms,
                                  ValueRange(Number(b, place) + step));
  });
  return vector::FromElementsOp::create(b, type, each);
}

/// all = select(step < lengths, all + terms, all)
///
/// The lengths are compared as integers that are as wide as elements, so that
/// the lanes of the comparison are, too.
void RowsInLanes::addTerms(Value step, MutableArrayRef<Value> all) {
  for (auto [number, sum, terms] : llvm::zip(numbers, all, strip.terms)) {
    const CarriedValue &one = sums.body.carried[number];
    Value loaded = loadTerms(terms, step);
    bool isLast = one.update->getOperand(1) == one.term;
    Value operands[] = {isLast ? sum : loaded, isLast ? loaded : sum};
    Value next =
        createLike(b, one.update, operands, loaded.getType())->getResult(0);
    Type type = b.getIntegerType(one.term.getType().getIntOrFloatBitWidth());
    VectorType wide = lanesOf(type);
    Value most =
        type.isInteger(32) ? lengths : Number(b, lengths).asSigned(wide);
    Value at = Number(b, step).asSigned(type);
    at = vector::BroadcastOp::create(b, wide, at);
    Number isLeft = Number(b, at).compare(arith::CmpIPredicate::slt, most);
    sum = select(isLeft, next, sum);
  }
}

/// Adds the terms that are left, in the order in which they are stored.
void RowsInLanes::addLeft() {
  for (int64_t lane = 0; lane < kRowLanes; ++lane)
    begin.push_back(placeOf(begins, lane));
  Value end = Number(b, longest()).asSigned(b.getIndexType());
  auto loop =
      scf::ForOp::create(b, Number(b, 0), end, Number(b, kTermsAtOnce), all);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (int64_t n = 0; n < kTermsAtOnce; ++n)
    addTerms(Number(b, loop.getInductionVar()) + n, next);
  scf::YieldOp::create(b, next);
  all.assign(loop.result_begin(), loop.result_end());
}

void RowsInLanes::emitSums() {
  for (unsigned n : numbers)
    all.push_back(vectorOf(sums.entries.getInitArgs()[n]));
  if (sums.body.looksUp())
    addOctets();
  addLeft();
  for (auto [n, sum] : llvm::zip(numbers, all))
    lanes.map(sums.entries.getResult(n), sum);
  for (memref::StoreOp store : sums.stores)
    vector::StoreOp::create(b, vectorOf(store.getValueToStore()),
                            store.getMemRef(), first);
}
