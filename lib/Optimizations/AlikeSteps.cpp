//===- AlikeSteps.cpp - Vectors of steps that take the same branch --------===//
//
// Consumes and leaves loops of scf. Where products are added up in a workspace,
// most steps find the bit of their coordinate set, and add to what is there. So
// vectors gather the bits of sixteen steps at once:
//
//   for p:  k = crd[p];  if bit(k) is new: start(k)  else: add(k)
//           outside |= k >= extent
//
//   for sixteen steps at a time:
//     if no bit is new:  outside |= any k >= extent;  for p: add(k)
//     else:              for p: as before
//
// What is added sets no bits, so that they are still set when a step is done.
//
//===----------------------------------------------------------------------===//

#include "AlikeSteps.h"
#include "GatheredSteps.h"
#include "LoopBody.h"

#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

namespace {
/// A loop whose steps test a bit that each looks up, and report coordinates.
class AlikeSteps {
public:
  explicit AlikeSteps(scf::ForOp loop) : loop(loop), b(loop.getLoc(), loop) {}

  bool match();
  void replace();

private:
  bool findReport();
  bool findBranch();
  bool findTest(Value value);
  bool canLookUp(memref::LoadOp load);
  Value vectorOf(Value value);
  void emitVector(Value from);
  Value emitAlike(Value from, Value to, Value old);
  Value emitSteps(Value from, Value to, Value old);

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  arith::CmpIOp isOutside;
  scf::IfOp branch;
  /// The condition under which another branch is taken in each step; null if
  /// there is none.
  Value otherwise;
  /// What computes the conditions of a step, in order.
  SmallVector<Operation *> test;
  memref::LoadOp lookup;
  IRMapping lanes;
};
} // namespace

/// Finds `outside |= k >= extent`, which is all that the loop carries.
bool AlikeSteps::findReport() {
  if (loop.getNumRegionIterArgs() != 1)
    return false;
  Value before = loop.getRegionIterArg(0);
  auto either = loop.getYieldedValues()[0].getDefiningOp<arith::OrIOp>();
  if (!either || either.getLhs() != before || !before.hasOneUse())
    return false;
  isOutside = either.getRhs().getDefiningOp<arith::CmpIOp>();
  return isOutside && loop.isDefinedOutsideOfLoop(isOutside.getRhs());
}

/// The branch of a block beside which nothing is written; null if there is
/// none.
static scf::IfOp onlyBranch(Block *block) {
  scf::IfOp found;
  for (Operation &op : block->without_terminator()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch ? bool(found)
               : op.getNumRegions() ||
                     !(isMemoryEffectFree(&op) || isa<memref::LoadOp>(op)))
      return {};
    if (branch)
      found = branch;
  }
  return found && found->getNumResults() == 0 && found.elseBlock()
             ? found
             : scf::IfOp();
}

bool AlikeSteps::findBranch() {
  branch = onlyBranch(loop.getBody());
  if (!branch || !loop.isDefinedOutsideOfLoop(branch.getCondition()))
    return bool(branch);
  otherwise = branch.getCondition();
  branch = onlyBranch(branch.elseBlock());
  return branch && branch->getBlock()->getOperations().size() == 2;
}

/// Whether vectors can load what a step loads: at the step, or in an array to
/// which nothing is written where no bit is new.
bool AlikeSteps::canLookUp(memref::LoadOp load) {
  if (load.getIndices().back() == loop.getInductionVar())
    return isContiguous(load.getMemRefType());
  bool isFirst = !lookup;
  lookup = load;
  return isFirst && load.getType().isInteger(64) &&
         llvm::all_of(
             load.getIndices().drop_back(),
             [&](Value index) { return loop.isDefinedOutsideOfLoop(index); }) &&
         llvm::none_of(load.getMemRef().getUsers(), [&](Operation *user) {
           return branch.getElseRegion().isAncestor(user->getParentRegion());
         });
}

bool AlikeSteps::findTest(Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return false;
  if (llvm::is_contained(test, op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load ? !canLookUp(load)
           : !isPure(op) || !OpTrait::hasElementwiseMappableTraits(op))
    return false;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) {
        return operand == (load ? load.getMemRef() : Value()) ||
               findTest(operand);
      }))
    return false;
  test.push_back(op);
  return true;
}

bool AlikeSteps::match() {
  return matchPattern(loop.getStep(), m_One()) && findReport() &&
         findBranch() && findTest(branch.getCondition()) && lookup &&
         findTest(isOutside);
}

Value AlikeSteps::vectorOf(Value value) {
  if (Value known = lanes.lookupOrNull(value))
    return known;
  return vector::BroadcastOp::create(b, vectorOfSteps(value.getType()), value);
}

/// Emits what computes the conditions of the steps from one on.
void AlikeSteps::emitVector(Value from) {
  VectorType flags = vectorOfSteps(b.getI1Type());
  Value all = arith::ConstantOp::create(b, flags, b.getOneAttr(flags));
  for (Operation *op : test) {
    Value result = op->getResult(0);
    VectorType type = vectorOfSteps(result.getType());
    if (op == lookup) {
      SmallVector<Value> first(lookup.getIndices());
      Value at = vectorOf(first.back());
      first.back() = Number(b, 0);
      lanes.map(result,
                vector::GatherOp::create(b, type, lookup.getMemRef(), first, at,
                                         all, Number(b, 0, type)));
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      lanes.map(result,
                vector::LoadOp::create(b, type, load.getMemRef(), from));
    } else {
      auto operands = llvm::map_to_vector(
          op->getOperands(), [&](Value operand) { return vectorOf(operand); });
      lanes.map(result, createLike(b, op, operands, type)->getResult(0));
    }
  }
}

/// Takes the branch that is taken where no bit is new.
Value AlikeSteps::emitAlike(Value from, Value to, Value old) {
  auto steps = scf::ForOp::create(b, from, to, Number(b, 1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(steps.getBody());
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), steps.getInductionVar());
    for (Operation &op : loop.getBody()->without_terminator())
      if (!op.getNumRegions() && op.getResult(0) != loop.getYieldedValues()[0])
        b.clone(op, mapping);
    for (Operation &op : branch.elseBlock()->without_terminator())
      b.clone(op, mapping);
  }
  Value outside = vector::ReductionOp::create(b, vector::CombiningKind::OR,
                                              lanes.lookup(isOutside));
  return Number(b, old) | outside;
}

/// Takes steps one by one, as the loop does.
Value AlikeSteps::emitSteps(Value from, Value to, Value old) {
  IRMapping mapping;
  if (otherwise)
    mapping.map(otherwise, Number::flag(b, false));
  auto steps = cast<scf::ForOp>(b.clone(*loop, mapping));
  steps.setLowerBound(from);
  steps.setUpperBound(to);
  steps.getInitArgsMutable()[0].set(old);
  return steps.getResult(0);
}

void AlikeSteps::replace() {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  auto isUpTo = [&](Value x, Value y) -> Value {
    return Number(b, x).compare(arith::CmpIPredicate::sle, y);
  };
  Value first = Number(b, lower) + kStepsAtOnce;
  Number areMany(b, isUpTo(first, upper));
  if (otherwise)
    areMany = areMany & !Number(b, otherwise);
  auto yield = [&](Value value) { scf::YieldOp::create(b, value); };
  TypeRange flag = loop.getResultTypes();
  auto ifMany = scf::IfOp::create(b, flag, areMany, /*withElse=*/true);
  b.setInsertionPointToStart(ifMany.elseBlock());
  yield(b.clone(*loop)->getResult(0));
  b.setInsertionPointToStart(ifMany.thenBlock());
  auto outer = scf::ForOp::create(b, lower, upper, Number(b, kStepsAtOnce),
                                  loop.getInits());
  yield(outer.getResult(0));
  b.setInsertionPointToStart(outer.getBody());
  Value from = outer.getInductionVar(), old = outer.getRegionIterArg(0);
  Value next = Number(b, from) + kStepsAtOnce;
  auto ifFull = scf::IfOp::create(b, flag, isUpTo(next, upper),
                                  /*withElse=*/true);
  yield(ifFull.getResult(0));
  b.setInsertionPointToStart(ifFull.elseBlock());
  yield(emitSteps(from, upper, old));
  b.setInsertionPointToStart(ifFull.thenBlock());
  emitVector(from);
  Value isAny = vector::ReductionOp::create(b, vector::CombiningKind::OR,
                                            vectorOf(branch.getCondition()));
  auto ifAny = scf::IfOp::create(b, flag, isAny, /*withElse=*/true);
  yield(ifAny.getResult(0));
  b.setInsertionPointToStart(ifAny.thenBlock());
  yield(emitSteps(from, next, old));
  b.setInsertionPointToStart(ifAny.elseBlock());
  yield(emitAlike(from, next, old));
  loop->replaceAllUsesWith(ifMany.getResults());
  loop.erase();
}

void nacho::groupAlikeSteps(func::FuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp op : loops) {
    AlikeSteps steps(op);
    if (steps.match())
      steps.replace();
  }
}
