//===- JoinRows.cpp - One loop over the entries of all rows ---------------===//
//
// Consumes and leaves scf loops. Where it matters to no entry in which row it
// is, as in sums of columns, nothing happens between rows but that a loop ends
// and another one begins, which takes longer than some entries. One loop over
// the entries of all rows of a part does the same, in the same order.
//
// CarryPositions.cpp has made the loop over rows carry the position at which
// the next row begins. Here it is the one at which the row ends; the last row
// of a part may end at a cut instead.
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "RowLoops.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOJOINROWS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// A loop over rows around a loop over the entries of a row.
struct Rows {
  scf::ForOp loop, entries;
  unsigned begin; ///< The number of the carried value at which a row begins.

  static std::optional<Rows> match(scf::ForOp loop);

private:
  bool endWhereNextBegin();
  bool carryTheSame();
  bool areAlike();
};
} // namespace

/// Whether a value is true for no row but the last one.
static bool isLastStep(scf::ForOp loop, Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs() == loop.getInductionVar() &&
         compare.getRhs() == lastRowOf(loop);
}

/// Whether each row ends where the next one begins.
bool Rows::endWhereNextBegin() {
  Value next = loop.getYieldedValues()[begin], end = entries.getUpperBound();
  if (auto select = end.getDefiningOp<arith::SelectOp>())
    if (isLastStep(loop, select.getCondition()))
      end = select.getFalseValue();
  return end == next;
}

/// Whether the loops carry the same values, but for the position.
bool Rows::carryTheSame() {
  unsigned inner = 0;
  for (auto [n, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (n == begin)
      continue;
    if (inner == entries.getNumResults() || !carried.hasOneUse() ||
        entries.getInitArgs()[inner] != carried ||
        loop.getYieldedValues()[n] != entries.getResult(inner))
      return false;
    ++inner;
  }
  return inner == entries.getNumResults();
}

/// Whether nothing that a row computes depends on the rows before it, and no
/// entry uses it.
bool Rows::areAlike() {
  if (!loop.getRegionIterArgs()[begin].hasOneUse())
    return false;
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != entries && !isRepeatable(&op))
      return false;
  WalkResult result = entries->walk([&](Operation *op) {
    if (op == entries)
      return WalkResult::advance();
    bool isOwn = llvm::all_of(op->getOperands(), [&](Value operand) {
      return loop.isDefinedOutsideOfLoop(operand) ||
             entries->isAncestor(operand.getParentBlock()->getParentOp());
    });
    return isOwn ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::optional<Rows> Rows::match(scf::ForOp loop) {
  auto inner = llvm::to_vector(loop.getBody()->getOps<scf::ForOp>());
  if (inner.size() != 1 || !matchPattern(loop.getStep(), m_One()) ||
      !matchPattern(inner.front().getStep(), m_One()))
    return std::nullopt;
  auto args = loop.getRegionIterArgs();
  const auto *begin = llvm::find(args, inner.front().getLowerBound());
  if (begin == args.end())
    return std::nullopt;
  Rows rows = {loop, inner.front(), unsigned(begin - args.begin())};
  if (!rows.endWhereNextBegin() || !rows.carryTheSame() || !rows.areAlike())
    return std::nullopt;
  return rows;
}

/// for i = from to to carrying x, p:     if from < to:
///   for q = p to end(i) carrying x:       for q = p to end(to - 1) carrying x:
///     entry(q)                              entry(q)
///   p = end(i)                            p = end(to - 1)
static void join(Rows rows) {
  scf::ForOp loop = rows.loop;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, from, to);
  auto branch =
      scf::IfOp::create(b, loop.getResultTypes(), any, /*addThenBlock=*/true,
                        /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  b.setInsertionPointToStart(branch.thenBlock());
  Value one = arith::ConstantIndexOp::create(b, 1);
  IRMapping copy;
  copy.map(loop.getInductionVar(), arith::SubIOp::create(b, to, one));
  copy.map(loop.getRegionIterArgs(), loop.getInitArgs());
  for (Operation &op : *loop.getBody())
    b.clone(op, copy);
  loop->replaceAllUsesWith(branch.getResults());
  loop.erase();
}

namespace {
struct JoinRows : nacho::impl::NachoJoinRowsBase<JoinRows> {
  void runOnOperation() override {
    SmallVector<Rows> found;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<Rows> rows = Rows::match(loop))
        found.push_back(*rows);
    });
    llvm::for_each(found, join);
  }
};
} // namespace
