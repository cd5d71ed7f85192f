//===- PeelRows.cpp - Rows divided by cuts, peeled off --------------------===//
//
// Consumes and leaves scf loops. The first and the last row of a part may be
// cut: each row asks whether it is one of them, selects where it begins and
// ends, and where its sums go. Between short rows that is a good part of the
// time, and it is needed twice per part.
//
// So both rows get copies of the body of their own. In the loop over the others
// the questions have an answer.
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOPEELROWS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// A comparison that asks whether a row is the first or the last one.
struct Question {
  Operation *compare;
  bool ofLast;    ///< It asks for the last row, not for the first one.
  bool isIfEqual; ///< It is true for that row, not for the others.
};

/// A loop over the rows of a part: from the first one to the last one, if that
/// exists.
struct RowLoop {
  scf::ForOp loop;
  Value last;
  SmallVector<Question> questions;

  static std::optional<RowLoop> match(scf::ForOp loop);
};
} // namespace

std::optional<RowLoop> RowLoop::match(scf::ForOp loop) {
  RowLoop rows{loop, lastRowOf(loop), {}};
  if (!rows.last || !matchPattern(loop.getStep(), m_One()))
    return std::nullopt;
  loop.getBody()->walk([&](arith::CmpIOp compare) {
    using Predicate = arith::CmpIPredicate;
    bool isIfEqual = compare.getPredicate() == Predicate::eq;
    if ((!isIfEqual && compare.getPredicate() != Predicate::ne) ||
        compare.getLhs() != loop.getInductionVar())
      return;
    if (compare.getRhs() == loop.getLowerBound())
      rows.questions.push_back({compare, /*ofLast=*/false, isIfEqual});
    else if (compare.getRhs() == rows.last)
      rows.questions.push_back({compare, /*ofLast=*/true, isIfEqual});
  });
  if (rows.questions.empty())
    return std::nullopt;
  return rows;
}

/// Answers the questions in a copy of the body of the loop. An answer that is
/// not given is not known.
static void answer(const RowLoop &rows, const IRMapping &copy,
                   std::optional<bool> isFirst, std::optional<bool> isLast) {
  for (const Question &question : rows.questions) {
    std::optional<bool> known = question.ofLast ? isLast : isFirst;
    if (!known)
      continue;
    Operation *compare = copy.lookup(question.compare);
    OpBuilder b(compare);
    compare->replaceAllUsesWith(arith::ConstantIntOp::create(
        b, compare->getLoc(), *known == question.isIfEqual, 1));
    compare->erase();
  }
}

/// Emits a row, if there is one at `row`, that carries `carried` on.
static ValueRange emitRow(ImplicitLocOpBuilder &b, const RowLoop &rows,
                          Value row, ValueRange carried,
                          std::optional<bool> isFirst,
                          std::optional<bool> isLast) {
  scf::ForOp loop = rows.loop;
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row,
                                       loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loop.getResultTypes(), exists,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/!carried.empty());
  OpBuilder::InsertionGuard guard(b);
  if (!carried.empty()) {
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, carried);
  }
  IRMapping copy;
  copy.map(loop.getInductionVar(), row);
  copy.map(loop.getRegionIterArgs(), carried);
  b.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : *loop.getBody())
    b.clone(op, copy);
  answer(rows, copy, isFirst, isLast);
  return branch.getResults();
}

/// Emits the loop over the rows that are neither the first nor the last one.
static ValueRange emitLoop(ImplicitLocOpBuilder &b, const RowLoop &rows,
                           Value from, Value to, ValueRange carried) {
  IRMapping copy;
  auto loop = cast<scf::ForOp>(b.clone(*rows.loop, copy));
  loop.getLowerBoundMutable().assign(from);
  loop.getUpperBoundMutable().assign(to);
  loop.getInitArgsMutable().assign(carried);
  answer(rows, copy, /*isFirst=*/false, /*isLast=*/false);
  return loop.getResults();
}

static void peel(const RowLoop &rows) {
  scf::ForOp loop = rows.loop;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value first = loop.getLowerBound(), end = loop.getUpperBound();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value from =
      arith::MinUIOp::create(b, arith::AddIOp::create(b, first, one), end);
  Value to = arith::MaxUIOp::create(
      b, arith::MinUIOp::create(b, rows.last, end), from);
  ValueRange carried = loop.getInitArgs();
  carried = emitRow(b, rows, first, carried, /*isFirst=*/true, std::nullopt);
  carried = emitLoop(b, rows, from, to, carried);
  carried = emitRow(b, rows, to, carried, /*isFirst=*/false, /*isLast=*/true);
  loop->replaceAllUsesWith(carried);
  loop.erase();
}

namespace {
struct PeelRows : nacho::impl::NachoPeelRowsBase<PeelRows> {
  void runOnOperation() override {
    // A loop around a loop over rows has few steps, and would be copied with
    // it.
    SmallVector<RowLoop> found;
    getOperation().walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      bool isAround = llvm::any_of(found, [&](const RowLoop &inner) {
        return loop->isProperAncestor(inner.loop);
      });
      if (isAround)
        return;
      if (std::optional<RowLoop> rows = RowLoop::match(loop))
        found.push_back(*rows);
    });
    llvm::for_each(found, peel);
  }
};
} // namespace
