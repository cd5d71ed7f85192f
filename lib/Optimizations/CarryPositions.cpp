//===- CarryPositions.cpp - Positions loaded once, not once per neighbour -===//
//
// Consumes and leaves scf loops. Where one row ends, the next one begins; so a
// loop over rows loads each position twice, and compares it twice with the size
// of the array that it leads to. Short rows take little longer than that.
//
// The loop carries the end of a row to the next step instead. The first step
// begins at the cut of its part, which the loop selects there, and from now on
// carries in.
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCARRYPOSITIONS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether a value is the same in every step of a loop.
static bool isInvariant(scf::ForOp loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return isRepeatable(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInvariant(loop, operand);
         });
}

/// Whether `next` is in any step what `value` is in the step after it.
static bool isNext(scf::ForOp loop, Value value, Value next) {
  if (value == loop.getInductionVar()) {
    auto add = next.getDefiningOp<arith::AddIOp>();
    return add && add.getLhs() == value && matchPattern(add.getRhs(), m_One());
  }
  if (value == next)
    return isInvariant(loop, value);
  Operation *op = value.getDefiningOp(), *after = next.getDefiningOp();
  if (!after || !isRepeatable(op) || op->getName() != after->getName() ||
      op->getAttrDictionary() != after->getAttrDictionary() ||
      op->getNumOperands() != after->getNumOperands())
    return false;
  return llvm::all_of(llvm::zip(op->getOperands(), after->getOperands()),
                      [&](auto pair) {
                        auto [one, other] = pair;
                        return isNext(loop, one, other);
                      });
}

/// Whether a value is true in the first step of a loop alone.
static bool isFirstStep(scf::ForOp loop, Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs() == loop.getInductionVar() &&
         compare.getRhs() == loop.getLowerBound();
}

/// What a value of the loop will be in the next step, if that is known by then.
static Value findNext(scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || isInvariant(loop, value))
    return {};
  for (Operation &other : loop.getBody()->without_terminator())
    if (&other != op && other.getName() == op->getName() &&
        isNext(loop, value, other.getResult(0)))
      return other.getResult(0);
  return {};
}

/// for i = from to end:                for i = from to end carrying x = first:
///   x = i == from ? first : f(i)  ->    ...
///   y = f(i + 1)                        y = f(i + 1)
///                                       x = y
static void carryPositions(IRRewriter &rewriter, scf::ForOp loop) {
  if (!matchPattern(loop.getStep(), m_One()))
    return;
  SmallVector<arith::SelectOp> carried;
  SmallVector<Value> inits, nexts;
  for (auto select : loop.getBody()->getOps<arith::SelectOp>()) {
    if (!isFirstStep(loop, select.getCondition()) ||
        !loop.isDefinedOutsideOfLoop(select.getTrueValue()))
      continue;
    if (Value next = findNext(loop, select.getFalseValue())) {
      carried.push_back(select);
      inits.push_back(select.getTrueValue());
      nexts.push_back(next);
    }
  }
  if (carried.empty())
    return;
  rewriter.setInsertionPoint(loop);
  NewYieldValuesFn yield = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return nexts;
  };
  FailureOr<LoopLikeOpInterface> made = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yield);
  if (failed(made))
    return;
  auto after = cast<scf::ForOp>(made->getOperation());
  ArrayRef<BlockArgument> values =
      after.getRegionIterArgs().take_back(carried.size());
  for (auto [select, value] : llvm::zip(carried, values))
    rewriter.replaceOp(select, value);
}

namespace {
struct CarryPositions : nacho::impl::NachoCarryPositionsBase<CarryPositions> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      carryPositions(rewriter, loop);
  }
};
} // namespace
