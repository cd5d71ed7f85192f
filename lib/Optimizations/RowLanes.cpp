//===- RowLanes.cpp - Several short rows at once --------------------------===//
//
// A loop over the few terms of a row takes longer to begin and to end than to
// add them up: the processor cannot foresee how often it runs. So several rows
// are added up at once, one in each lane of a vector, in as many steps as the
// longest of them has terms. A lane whose row has ended keeps its sum:
//
//   ends    = places of the ends of rows i, i + 1, ...
//   lengths = ends - the ends of the rows before
//   for t = 0 to max(lengths):
//     sums = select(t < lengths, sums + terms[begins + t], sums)
//
// So every row adds up its terms in the order of a loop of its own.
//
//===----------------------------------------------------------------------===//

#include "RowLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

Value Strip::placeOf(ImplicitLocOpBuilder &b, Value position) {
  auto vector = dyn_cast<VectorType>(position.getType());
  Type type = b.getI32Type();
  auto narrow = [&](Value value) {
    Value one = arith::IndexCastUIOp::create(b, type, value);
    return vector ? vector::BroadcastOp::create(b, vector.clone(type), one)
                        .getResult()
                  : one;
  };
  Value from = narrow(begin), most = narrow(size);
  position = arith::IndexCastUIOp::create(
      b, vector ? Type(vector.clone(type)) : type, position);
  return arith::MinUIOp::create(b, arith::SubIOp::create(b, position, from),
                                most);
}

/// The index of the first row's element, given an index of a row.
Value RowLanes::rowsOf(Value index) {
  Value offset = *sums.offsetOf(index);
  return offset ? arith::AddIOp::create(b, first, offset).getResult() : first;
}

/// A value of the loop over rows, for all of these rows.
Value RowLanes::vectorOf(Value value) {
  if (Value known = lanes.lookupOrNull(value))
    return known;
  VectorType type = lanesOf(value.getType());
  Operation *op = value.getDefiningOp();
  Value made;
  if (value == sums.rows.getInductionVar()) {
    Value same = vector::BroadcastOp::create(b, type, first);
    made = arith::AddIOp::create(b, same, vector::StepOp::create(b, type));
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

Value RowLanes::emitPlaces(Value begin) {
  ends = strip.placeOf(b, vectorOf(sums.end()));
  SmallVector<int64_t> before = {0};
  for (int64_t lane = 0; lane + 1 < kRowLanes; ++lane)
    before.push_back(lane);
  Value from = vector::ShuffleOp::create(b, ends, ends, before);
  from = vector::InsertOp::create(b, begin, from, 0);
  lengths = arith::SubIOp::create(b, ends, from);
  for (int64_t lane = 0; lane < kRowLanes; ++lane)
    begins.push_back(arith::IndexCastUIOp::create(
        b, b.getIndexType(), vector::ExtractOp::create(b, from, lane)));
  longest =
      vector::ReductionOp::create(b, vector::CombiningKind::MAXSI, lengths);
  Value most = arith::ConstantIntOp::create(b, kLanes, 32);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, longest, most);
}

Value RowLanes::emitEnd() {
  return vector::ExtractOp::create(b, ends, kRowLanes - 1);
}

/// The lengths of the rows as integers that are as wide as elements, so that
/// the lanes of a comparison are, too.
Value RowLanes::lengthsFor(Type type) {
  bool isWide = type.getIntOrFloatBitWidth() == 64;
  return isWide ? arith::ExtSIOp::create(b, lanesOf(b.getI64Type()), lengths)
                : lengths;
}

/// The term of each row that is `step` after its first one. It may be one of
/// another row, or none at all, if the row has ended.
Value RowLanes::loadTerms(Value terms, Value step) {
  VectorType type = lanesOf(cast<MemRefType>(terms.getType()).getElementType());
  SmallVector<Value> each;
  for (Value begin : begins)
    each.push_back(memref::LoadOp::create(
        b, terms, ValueRange(arith::AddIOp::create(b, begin, step))));
  return vector::FromElementsOp::create(b, type, each);
}

/// all = select(step < lengths, all + terms, all)
void RowLanes::addTerms(Value step, MutableArrayRef<Value> all) {
  size_t sum = 0;
  for (const CarriedValue &one : sums.body.carried) {
    if (one.isFlag())
      continue;
    Value loaded = loadTerms(strip.terms[sum], step);
    bool isFirst = one.update->getOperand(1) == one.term;
    Value operands[] = {isFirst ? all[sum] : loaded,
                        isFirst ? loaded : all[sum]};
    Value next =
        createLike(b, one.update, operands, loaded.getType())->getResult(0);
    Value ends = lengthsFor(one.term.getType());
    auto integers = cast<VectorType>(ends.getType());
    Value at = arith::IndexCastOp::create(b, integers.getElementType(), step);
    at = vector::BroadcastOp::create(b, integers, at);
    Value isLeft =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, ends);
    all[sum] = arith::SelectOp::create(b, isLeft, next, all[sum]);
    ++sum;
  }
}

void RowLanes::emitSums() {
  SmallVector<Value> start;
  SmallVector<unsigned> numbers;
  for (auto [n, one] : llvm::enumerate(sums.body.carried)) {
    if (one.isFlag())
      continue;
    numbers.push_back(n);
    start.push_back(vectorOf(sums.entries.getInitArgs()[n]));
  }
  Value end = arith::IndexCastOp::create(b, b.getIndexType(), longest);
  auto loop =
      scf::ForOp::create(b, constant(0), end, constant(kTermsAtOnce), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> all(loop.getRegionIterArgs());
    for (int64_t n = 0; n < kTermsAtOnce; ++n)
      addTerms(arith::AddIOp::create(b, loop.getInductionVar(), constant(n)),
               all);
    scf::YieldOp::create(b, all);
  }
  for (auto [n, sum] : llvm::zip(numbers, loop.getResults()))
    lanes.map(sums.entries.getResult(n), sum);
  for (memref::StoreOp store : sums.stores)
    vector::StoreOp::create(b, vectorOf(store.getValueToStore()),
                            store.getMemRef(), first);
}
