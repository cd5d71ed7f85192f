//===- OrderLoops.cpp - What no order of loops can read is made anew ------===//
//
// Consumes `nacho.assign`; leaves assignments whose loops follow the levels of
// every sparse operand and of the result. What stands in the way is computed
// by an assignment of its own: a transposed operand, a diagonal, or what a
// reduction scatters over the result.
//
//===----------------------------------------------------------------------===//

#include "StatementSplitter.h"
#include "nacho/Analysis/Algebra.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOORDERLOOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

LogicalResult StatementSplitter::run() {
  while (true) {
    FailureOr<bool> changed = step();
    if (failed(changed))
      return failure();
    if (!*changed)
      return success();
    dropUnused();
  }
}

/// Removes the first obstacle; false if there is none.
FailureOr<bool> StatementSplitter::step() {
  b.setInsertionPoint(op);
  FailureOr<Terms> terms = Terms::split(op);
  if (failed(terms))
    return failure();
  FailureOr<LoopOrder> proposed = LoopOrder::propose(op, *terms);
  if (failed(proposed))
    return failure();
  // Those are in the loops of their term, which is not reduced over them.
  for (Term &term : terms->terms)
    llvm::erase_if(term.reduced, [&](Attribute index) {
      return llvm::is_contained(proposed->scattered, index);
    });
  if (op.getOrder())
    return followOrder(*terms, *proposed);
  if (makesList(op.getCollect()))
    return false;
  for (const Term &term : terms->terms) {
    TermOrder order = orderOf(term, terms->reduction, *proposed);
    if (order.scatters || !order.transposed.empty()) {
      rewrite(*terms, term, order, *proposed);
      return true;
    }
  }
  return false;
}

/// Returns whether the term is now what another statement has scattered.
bool StatementSplitter::rewrite(const Terms &terms, const Term &term,
                                const TermOrder &order,
                                const LoopOrder &proposed) {
  if (!order.scatters) {
    rearrange(term, order);
    return false;
  }
  bool isAll =
      terms.terms.size() == 1 && terms.sums.size() == 1 && !term.isNegated;
  if (!isAll || !canCollect(order)) {
    scatter(term, order, proposed);
    return true;
  }
  op.setOrderAttr(b.getArrayAttr(order.loops));
  if (!isDense(op.getType()))
    op.setCollect(CollectKind::wholeRows);
  return false;
}

/// What is scattered over a dense result can be added up in rows of the parts;
/// over a sparse one, in a workspace that has a whole row at a time: its last
/// level, inside of loops over the others.
bool StatementSplitter::canCollect(const TermOrder &order) {
  if (!order.collects || isDense(op.getType()))
    return order.collects;
  RankedTensorType type = op.getType();
  unsigned rank = type.getRank();
  IndexNames levels = storageOrder(type, op.getResultAccess().getValue());
  ArrayRef<Attribute> outer = ArrayRef(levels).drop_back();
  return !splitRows && rank > 1 && !isFullLevel(type, rank - 1) &&
         ArrayRef(order.loops).take_front(rank - 1) == outer &&
         llvm::is_contained(order.loops, levels.back());
}

/// The loops run in the order that was asked for, those of the lists that are
/// needed for it at least.
FailureOr<bool> StatementSplitter::followOrder(const Terms &terms,
                                               const LoopOrder &proposed) {
  bool isChanged = false, isListed = false;
  for (const Term &term : terms.terms) {
    IndexNames loops = indicesOf(term, op.getOrder()->getValue());
    TermOrder order =
        LoopCost(op, term, terms.reduction, proposed.result).evaluate(loops);
    order.scatters &= op.getCollect() == CollectKind::inOrder;
    if (!order.scatters && order.transposed.empty())
      continue;
    if (order.scatters && !canList(term))
      return op.emitOpError("is not zero where all operands are, and the "
                            "result stores its entries in another order than ")
             << *op.getOrder();
    isListed |= rewrite(terms, term, order, proposed);
    isChanged = true;
  }
  // What is scattered is in the order of the result then.
  if (isListed)
    op.removeOrderAttr();
  return isChanged;
}

/// The indices of a term, those of a list first.
IndexNames StatementSplitter::indicesOf(const Term &term,
                                        ArrayRef<Attribute> first) {
  llvm::SetVector<Attribute> all;
  for (unsigned n : term.inputs)
    all.insert_range(op.getAccess(n));
  llvm::SetVector<Attribute> sorted;
  for (Attribute index : first)
    if (all.contains(index))
      sorted.insert(index);
  sorted.insert_range(all);
  return IndexNames(sorted.getArrayRef());
}

/// Elements that are not 0 where nothing is stored cannot be listed.
bool StatementSplitter::canList(const Term &term) {
  return ElementAlgebra(op).get(term.value).isZeroPreserving();
}

/// Whether it is worthwhile to look for other loops: all that is sparse is as
/// the user has it.
bool StatementSplitter::isOpen(const Term &term) {
  bool hasSparse = false;
  for (unsigned n : term.inputs) {
    Value tensor = op.getInputs()[n];
    if (tensor.getDefiningOp<AssignOp>())
      return false;
    hasSparse |= !isDense(cast<RankedTensorType>(tensor.getType()));
  }
  return hasSparse;
}

/// The loops that a term is better off with: those that are proposed, unless
/// something is in their way or they are expected to cost much more.
TermOrder StatementSplitter::orderOf(const Term &term, BinaryKind reduction,
                                     const LoopOrder &order) {
  LoopCost cost(op, term, reduction, order.result);
  IndexNames loops = order.result;
  llvm::append_range(loops, term.reduced);
  TermOrder proposed = cost.evaluate(indicesOf(term, loops));
  if (proposed.transposed.empty() && !isOpen(term))
    return proposed;
  // There is nothing to be gained by a list of what is not reduced.
  TermOrder best = cost.choose(canList(term) && !term.reduced.empty());
  bool isBetter = 2 * best.cost < proposed.cost;
  if (proposed.transposed.empty() && !isBetter)
    return proposed;
  return best.cost < proposed.cost ? best : proposed;
}

namespace {
struct OrderLoops : nacho::impl::NachoOrderLoopsBase<OrderLoops> {
  using NachoOrderLoopsBase::NachoOrderLoopsBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    // Lists are made for statements, and may need lists of operands.
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    while (!statements.empty())
      if (failed(StatementSplitter(statements.pop_back_val(), builder,
                                   statements, splitRows)
                     .run()))
        return signalPassFailure();
    // Later stages are the same for operands of all sizes.
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (unsigned n = 0; n < func.getNumArguments(); ++n)
        func.removeArgAttr(
            n, StringAttr::get(&getContext(), NachoDialect::kSizesAttrName));
  }
};
} // namespace
