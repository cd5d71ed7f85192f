//===- RowsInLanes.cpp - Several short rows at once -----------------------===//
//
// A loop over the few terms of a row takes longer to begin and to end than to
// add them up: the processor cannot foresee how often it runs. So several rows
// are added up at once, in as many steps as the longest of them needs. First
// all octets of terms, each row in a vector; then what is left of each row,
// each row in a lane. A lane whose row has ended keeps its sum:
//
//   ends    = places of the ends of rows i, i + 1, ...
//   lengths = ends - the ends of the rows before
//   if any of lengths > 7: sums = those of all octets
//   for t = 0 to 7, while any of the lengths that are left > t:
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

Value Strip::zeros(ImplicitLocOpBuilder &b) {
  return Number(b, cast<MemRefType>(terms.front().getType()).getDimSize(0) -
                       kLanes);
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

void RowsInLanes::extractBegins() {
  begin.clear();
  for (int64_t lane = 0; lane < kRowLanes; ++lane)
    begin.push_back(placeOf(begins, lane));
}

/// Whether any of several numbers is greater than another one.
Number RowsInLanes::anyExceeds(Value numbers, int64_t other) {
  Value exceed = Number(b, numbers).compare(arith::CmpIPredicate::sgt, other);
  return {b, vector::ReductionOp::create(b, vector::CombiningKind::OR, exceed)};
}

Value RowsInLanes::emitCanSum() {
  if (sums.body.looksUp())
    return Number::flag(b, true);
  return !anyExceeds(lengths, kLanes - 1);
}

Value RowsInLanes::emitEnd() {
  return vector::ExtractOp::create(b, ends, kRowLanes - 1);
}

/// Returns values, or what is emitted in place of them if a condition holds.
SmallVector<Value>
RowsInLanes::ifThen(Value condition, ArrayRef<Value> values,
                    llvm::function_ref<SmallVector<Value>()> changed) {
  auto branch = scf::IfOp::create(b, ValueRange(values).getTypes(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, values);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, changed());
  return SmallVector<Value>(branch.getResults());
}

/// The octet of terms that begins at `place`.
Value RowsInLanes::loadOctet(size_t number, Value place) {
  Type type = all[number].getType();
  return vector::LoadOp::create(b, cast<VectorType>(type), strip.terms[number],
                                place);
}

/// sum + the octet of terms that begins at `place`, lane by lane
Value RowsInLanes::addOctet(size_t number, Value sum, Value place) {
  Operation *update = sums.body.carried[numbers[number]].update;
  Value octet = loadOctet(number, place);
  return createLike(b, update, {sum, octet}, sum.getType())->getResult(0);
}

/// The second to the last of a few octets of all rows, one of each row in every
/// step: a processor cannot foresee how many each row has. One that has fewer
/// adds zeros: of its sum, they may change -0 to 0, and so does the 0 to which
/// it is added in the end.
SmallVector<Value> RowsInLanes::addFewOctets(size_t number, Value taken,
                                             ArrayRef<Value> each) {
  Value most =
      vector::ReductionOp::create(b, vector::CombiningKind::MAXSI, taken);
  Value end = minSigned(Number(b, most), kFewOctets * kLanes);
  auto loop = scf::ForOp::create(b, Number(b, kLanes), Number(b, end).asIndex(),
                                 Number(b, kLanes), each);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Number step(b, loop.getInductionVar());
  Value steps =
      vector::BroadcastOp::create(b, taken.getType(), step.as(b.getI32Type()));
  Number has = Number(b, taken).compare(arith::CmpIPredicate::sgt, steps);
  SmallVector<Value> next;
  for (int64_t lane = 0; lane < kRowLanes; ++lane) {
    Number isLeft(b, vector::ExtractOp::create(b, has, lane));
    Value place = select(isLeft, step + begin[lane], strip.zeros(b));
    next.push_back(addOctet(number, loop.getRegionIterArg(lane), place));
  }
  scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

/// The octets of each row that follow the first few.
SmallVector<Value> RowsInLanes::addOtherOctets(size_t number, Value taken,
                                               ArrayRef<Value> each) {
  SmallVector<Value> next;
  for (int64_t lane = 0; lane < kRowLanes; ++lane) {
    Number from(b, begin[lane]);
    auto loop = scf::ForOp::create(b, from + kFewOctets * kLanes,
                                   from + placeOf(taken, lane),
                                   Number(b, kLanes), each[lane]);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, addOctet(number, loop.getRegionIterArg(0), loop.getInductionVar()));
    next.push_back(loop.getResult(0));
  }
  return next;
}

/// The sums of the first `taken` terms of each row, which are whole octets. The
/// first one is added up without asking whether there is one.
Value RowsInLanes::addOctets(size_t number, Value taken) {
  Operation *update = sums.body.carried[numbers[number]].update;
  Type type = all[number].getType();
  SmallVector<Value> each;
  for (int64_t lane = 0; lane < kRowLanes; ++lane)
    each.push_back(loadOctet(number, begin[lane]));
  each = ifThen(anyExceeds(taken, kLanes), each,
                [&] { return addFewOctets(number, taken, each); });
  each = ifThen(anyExceeds(taken, kFewOctets * kLanes), each,
                [&] { return addOtherOctets(number, taken, each); });
  Value octets = addHalvesOfEach(b, update, each);
  Value made = createLike(b, update, {all[number], octets}, type)->getResult(0);
  Value has = Number(b, taken).compare(arith::CmpIPredicate::sgt, 0);
  return select(Number(b, has), made, all[number]);
}

/// Adds up all octets, which rows then begin after.
void RowsInLanes::addOctets() {
  SmallVector<Value> values = {begins, lengths};
  llvm::append_range(values, all);
  values = ifThen(anyExceeds(lengths, kLanes - 1), values, [&] {
    extractBegins();
    Number taken = maxSigned(Number(b, lengths), 0) & -kLanes;
    SmallVector<Value> after = {Number(b, begins) + taken,
                                Number(b, lengths) - taken};
    for (size_t sum = 0; sum < all.size(); ++sum)
      after.push_back(addOctets(sum, taken));
    return after;
  });
  begins = values[0];
  lengths = values[1];
  all.assign(values.begin() + 2, values.end());
}

/// The terms of each row that are `step` and `step` + 1 after its first one.
/// They may be those of another row, or none at all, if the row has ended. Both
/// terms of a row are loaded at once:
///
///   even = rows 0, 2, 4, 6: a0 b0 a2 b2 a4 b4 a6 b6
///   odd  = rows 1, 3, 5, 7: a1 b1 a3 b3 a5 b5 a7 b7
///   first = a0 a1 a2 ...,  second = b0 b1 b2 ...
std::pair<Value, Value> RowsInLanes::loadTwoTerms(Value terms, int64_t step) {
  Type element = cast<MemRefType>(terms.getType()).getElementType();
  auto load = [&](int64_t row) -> Value {
    return vector::LoadOp::create(b, VectorType::get(2, element), terms,
                                  ValueRange(Number(b, begin[row]) + step));
  };
  auto join = [&](Value one, Value other) -> Value {
    int64_t size = 2 * cast<VectorType>(one.getType()).getNumElements();
    return vector::ShuffleOp::create(
        b, one, other, llvm::to_vector(llvm::seq<int64_t>(0, size)));
  };
  Value even = join(join(load(0), load(2)), join(load(4), load(6)));
  Value odd = join(join(load(1), load(3)), join(load(5), load(7)));
  auto pick = [&](int64_t place) -> Value {
    SmallVector<int64_t> places;
    for (int64_t row = 0; row < kRowLanes; ++row)
      places.push_back(place + (row % 2 ? kRowLanes - 1 : 0) + row);
    return vector::ShuffleOp::create(b, even, odd, places);
  };
  return {pick(0), pick(1)};
}

/// sum = select(step < lengths, sum + terms, sum)
///
/// The lengths are compared as integers that are as wide as elements, so that
/// the lanes of the comparison are, too.
Value RowsInLanes::addTerm(const CarriedValue &one, Value sum, Value term,
                           int64_t step) {
  bool isLast = one.update->getOperand(1) == one.term;
  Value operands[] = {isLast ? sum : term, isLast ? term : sum};
  Value next =
      createLike(b, one.update, operands, term.getType())->getResult(0);
  Type type = b.getIntegerType(one.term.getType().getIntOrFloatBitWidth());
  Number most = Number(b, lengths).asSigned(lanesOf(type));
  return select(most.compare(arith::CmpIPredicate::sgt, step), next, sum);
}

/// The sums with a few more terms of each row.
SmallVector<Value> RowsInLanes::addTerms(int64_t from) {
  SmallVector<Value> next = all;
  for (auto [number, sum, terms] : llvm::zip(numbers, next, strip.terms)) {
    const CarriedValue &one = sums.body.carried[number];
    for (int64_t step = from; step < from + kTermsAtOnce; step += 2) {
      auto [first, second] = loadTwoTerms(terms, step);
      sum = addTerm(one, sum, first, step);
      sum = addTerm(one, sum, second, step + 1);
    }
  }
  return next;
}

/// Adds the terms that are left, fewer than an octet of each row, in the order
/// in which they are stored.
void RowsInLanes::addLeft() {
  extractBegins();
  for (int64_t step = 0; step < kLanes; step += kTermsAtOnce)
    all =
        ifThen(anyExceeds(lengths, step), all, [&] { return addTerms(step); });
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
