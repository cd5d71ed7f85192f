//===- GatheredSteps.cpp - Steps that vectors look up ---------------------===//

#include "GatheredSteps.h"
#include "LoopBody.h"

#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>

using namespace mlir;
using namespace nacho;

/// Finds `k = crd[p]` and `k < extent`. A coordinate that something else uses
/// would have to be loaded again, and compared again.
bool GatheredSteps::findCoordinate() {
  auto compared = inside.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compared || compared.getPredicate() != arith::CmpIPredicate::ult ||
      !loop.isDefinedOutsideOfLoop(compared.getRhs()))
    return false;
  coordinate = compared.getLhs();
  extent = compared.getRhs();
  auto cast = coordinate.getDefiningOp<arith::IndexCastUIOp>();
  stored = cast ? cast.getIn().getDefiningOp<memref::LoadOp>() : nullptr;
  return stored && stored.getType().isInteger(32) && stored->hasOneUse() &&
         isContiguous(stored.getMemRefType()) &&
         stored.getIndices().front() == loop.getInductionVar();
}

/// Finds `x = table[k]`, and nothing else that uses the coordinate.
bool GatheredSteps::findLookup() {
  for (Operation *user : coordinate.getUsers()) {
    if (user == inside.getCondition().getDefiningOp())
      continue;
    auto load = dyn_cast<memref::LoadOp>(user);
    if (lookup || !load)
      return false;
    lookup = load;
  }
  return lookup && lookup->getBlock() == inside.thenBlock() &&
         lookup.getType().isInteger(32) &&
         lookup.getIndices().back() == coordinate &&
         llvm::all_of(lookup.getIndices().drop_back(), [&](Value index) {
           return loop.isDefinedOutsideOfLoop(index);
         });
}

/// Finds the ops of which a value is computed from x.
bool GatheredSteps::findTest(Value value) {
  if (value == lookup || loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (llvm::is_contained(test, op))
    return true;
  if (!op || !OpTrait::hasElementwiseMappableTraits(op) || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return findTest(operand); }))
    return false;
  test.push_back(op);
  return true;
}

/// Finds what a coordinate that is not below the extent changes: flags are set.
bool GatheredSteps::findReports() {
  for (auto [before, after] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Value outside = after;
    auto choice = after.getDefiningOp<arith::SelectOp>();
    if (choice && choice.getCondition() == inside.getCondition())
      outside = choice.getFalseValue();
    else if (after.getDefiningOp() == inside)
      outside = inside.elseYield().getOperand(
          cast<OpResult>(after).getResultNumber());
    bool isReport =
        after.getType().isInteger(1) && matchPattern(outside, m_One());
    if (!isReport && outside != before)
      return false;
    reports.push_back(isReport);
  }
  Block *otherwise = inside.elseBlock();
  return !otherwise || &otherwise->front() == otherwise->getTerminator();
}

bool GatheredSteps::match() {
  return matchPattern(loop.getStep(), m_One()) && findCoordinate() &&
         findLookup() && findTest(found.getCondition()) && findReports();
}

Value GatheredSteps::allocate(ImplicitLocOpBuilder &b) {
  return memref::AllocaOp::create(
      b, MemRefType::get({kStepsOfGroup}, b.getI32Type()));
}

/// Emits which of the elements of a vector are sought.
Value GatheredSteps::emitFound(ImplicitLocOpBuilder &b, Value elements) {
  IRMapping lanes;
  lanes.map(lookup.getResult(), elements);
  auto vectorOf = [&](Value value) -> Value {
    if (Value known = lanes.lookupOrNull(value))
      return known;
    return vector::BroadcastOp::create(b, vectorOfSteps(value.getType()),
                                       value);
  };
  for (Operation *op : test) {
    auto operands = llvm::map_to_vector(op->getOperands(), vectorOf);
    auto types =
        llvm::map_to_vector(op->getResultTypes(), [](Type type) -> Type {
          return vectorOfSteps(type);
        });
    lanes.map(op->getResults(),
              createLike(b, op, operands, types)->getResults());
  }
  return vectorOf(found.getCondition());
}

/// for p = from to to, a vector of steps at a time:
///   k = crd[p..];  outside |= k >= extent
///   x = table[k] for each k < extent
///   elements[p - from..] = x
///   found |= the bits of those that are sought << p - from
///
/// An index of an element has a sign: no coordinate is as large as 2^31.
GatheredSteps::Group GatheredSteps::lookUp(ImplicitLocOpBuilder &b, Value from,
                                           Value to, Value elements) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  VectorType flags = vectorOfSteps(b.getI1Type()),
             integers = vectorOfSteps(i32);
  Value bound = min(Number(b, extent), std::numeric_limits<int32_t>::max());
  Value below =
      vector::BroadcastOp::create(b, integers, Number(b, bound).as(i32));
  Number noFlags(b, 0, flags), zeros(b, 0, integers), zero(b, 0);
  auto vectors = scf::ForOp::create(b, from, to, Number(b, kStepsAtOnce),
                                    ValueRange{Number(b, 0, i64), noFlags});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(vectors.getBody());
  Value at = vectors.getInductionVar();
  Value left = Number(b, to) - at;
  Number live(b, vector::CreateMaskOp::create(b, flags, left));
  Value array = stored.getMemRef();
  Value k = vector::MaskedLoadOp::create(b, integers, array, at, live, zeros);
  Number isInside(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, k, below));
  Number isOutside = !isInside;
  Value outside = isOutside & live;
  outside = Number(b, vectors.getRegionIterArg(1)) | outside;
  Value place = select(isInside, k, zeros);
  Value looksUp = isInside & live;
  SmallVector<Value> first(lookup.getIndices().drop_back());
  first.push_back(zero);
  Value found = vector::GatherOp::create(b, integers, lookup.getMemRef(), first,
                                         place, looksUp, zeros);
  Value distance = Number(b, at) - from;
  vector::StoreOp::create(b, found, elements, distance);
  Value sought = Number(b, emitFound(b, found)) & looksUp;
  Type word = b.getIntegerType(kStepsAtOnce);
  Value bits = vector::BitCastOp::create(b, VectorType::get(1, word), sought);
  bits = vector::ExtractOp::create(b, bits, 0);
  Number wide = Number(b, bits).as(i64) << Number(b, distance).as(i64);
  Value before = vectors.getRegionIterArg(0), all = wide | before;
  scf::YieldOp::create(b, ValueRange{all, outside});
  b.setInsertionPointAfter(vectors);
  Value isAny = vector::ReductionOp::create(b, vector::CombiningKind::OR,
                                            vectors.getResult(1));
  return {vectors.getResult(0), isAny};
}

void GatheredSteps::take(Value element) {
  ImplicitLocOpBuilder b(inside.getLoc(), loop.getContext());
  b.setInsertionPointToStart(loop.getBody());
  lookup.replaceAllUsesWith(element);
  lookup.erase();
  Value yes = Number::flag(b, true);
  Value wasInside = inside.getCondition();
  wasInside.replaceAllUsesWith(yes);
}

SmallVector<Value> GatheredSteps::report(ImplicitLocOpBuilder &b,
                                         ValueRange carried, Value outside) {
  SmallVector<Value> values(carried);
  for (auto [value, isReport] : llvm::zip(values, reports))
    if (isReport)
      value = Number(b, value) | outside;
  return values;
}
