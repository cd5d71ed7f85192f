//===- ComputeCounters.cpp - Counters computed from the bounds of loops ---===//
//
// Consumes and leaves scf loops. A part counts the entries that it visits, so
// that the one which finishes a row knows whether others have begun it. Each
// loop carries the count on. But a loop over all entries of a row visits as
// many as there are, so that the count follows from its bounds, and the rows
// that no cut divides need none.
//
//===----------------------------------------------------------------------===//

#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCOMPUTECOUNTERS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The op that adds something to a carried value to get the next one, if both
/// are needed for nothing else in the loop; null if there is none.
static arith::AddIOp additionTo(scf::ForOp loop, unsigned number) {
  BlockArgument carried = loop.getRegionIterArg(number);
  Value next = loop.getYieldedValues()[number];
  auto add = next.getDefiningOp<arith::AddIOp>();
  bool isAlone = add && carried.hasOneUse() && next.hasOneUse() &&
                 *carried.getUsers().begin() == add;
  return isAlone ? add : arith::AddIOp();
}

/// What is added to the carried value.
static Value termOf(arith::AddIOp add, Value carried) {
  return add.getLhs() == carried ? add.getRhs() : add.getLhs();
}

/// How much a counter grows in all steps of a loop.
static Value emitGrowth(ImplicitLocOpBuilder &b, scf::ForOp loop, Value term) {
  Value number =
      arith::SubIOp::create(b, loop.getUpperBound(), loop.getLowerBound());
  Value none = arith::ConstantIndexOp::create(b, 0);
  Value growth = arith::MaxSIOp::create(b, number, none);
  if (growth.getType() != term.getType())
    growth = arith::IndexCastOp::create(b, term.getType(), growth);
  if (!matchPattern(term, m_One()))
    growth = arith::MulIOp::create(b, term, growth);
  return growth;
}

/// all = for ... carrying x = first: x += term  ->  all = first + term * steps
static void compute(scf::ForOp loop, unsigned number, Value term) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop->getContext());
  b.setInsertionPointAfter(loop);
  Value first = loop.getInitArgs()[number], all = loop.getResult(number);
  Value growth = emitGrowth(b, loop, term);
  Value sum = arith::AddIOp::create(b, first, growth);
  for (Operation *user : llvm::make_early_inc_range(all.getUsers())) {
    auto difference = dyn_cast<arith::SubIOp>(user);
    if (difference && difference.getLhs() == all &&
        difference.getRhs() == first) {
      difference.replaceAllUsesWith(growth);
      difference.erase();
    }
  }
  all.replaceAllUsesWith(sum);
}

/// Lets a loop that carries a value for nobody hand on a constant as it is.
static void handOn(scf::ForOp loop, unsigned number) {
  OpBuilder b(loop);
  OpOperand &first = loop.getInitArgsMutable()[number];
  first.set(arith::ConstantOp::create(b, loop.getLoc(),
                                      b.getZeroAttr(first.get().getType())));
  loop.getBody()->getTerminator()->setOperand(number,
                                              loop.getRegionIterArg(number));
}

/// Computes the counters of a loop, and adds to nothing that nobody reads.
static void computeCounters(scf::ForOp loop) {
  for (unsigned n = 0; n < loop.getNumRegionIterArgs(); ++n) {
    arith::AddIOp add = additionTo(loop, n);
    if (!add)
      continue;
    Value term = termOf(add, loop.getRegionIterArg(n));
    if (matchPattern(loop.getStep(), m_One()) &&
        loop.isDefinedOutsideOfLoop(term))
      compute(loop, n, term);
    if (loop.getResult(n).use_empty())
      handOn(loop, n);
  }
}

namespace {
struct ComputeCounters
    : nacho::impl::NachoComputeCountersBase<ComputeCounters> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    llvm::for_each(loops, computeCounters);
  }
};
} // namespace
