//===- OrderLoops.cpp - Statements whose loops follow all tensors ---------===//
//
// Consumes `nacho.assign`; leaves assignments whose loops follow the levels of
// every sparse operand and of the result. Obstacles to such loops are computed
// by assignments of their own: a transposed operand, a diagonal, or a term
// whose reduction would scatter entries over the result.
//
//===----------------------------------------------------------------------===//

#include "StatementSplitter.h"
#include "nacho/Analysis/Algebra.h"
#include "nacho/IR/Collect.h"
#include "nacho/IR/Errors.h"
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
  if (choices.transposeDense)
    transposeDense();
  while (true) {
    FailureOr<bool> changed = step();
    if (failed(changed))
      return failure();
    if (!*changed)
      return success();
    dropUnused();
  }
}

/// Removes the first obstacle. Returns false if there is none.
FailureOr<bool> StatementSplitter::step() {
  b.setInsertionPoint(op);
  FailureOr<Terms> terms = Terms::split(op);
  if (failed(terms))
    return failure();
  FailureOr<LoopOrder> proposed = LoopOrder::propose(op, *terms);
  if (failed(proposed))
    return failure();
  // Scattered indices have loops among those of the term, but the term is not
  // reduced over them.
  for (Term &term : terms->terms)
    llvm::erase_if(term.reduced, [&](Attribute index) {
      return llvm::is_contained(proposed->scattered, index);
    });
  // Products that are listed and sorted are not scattered.
  if (choices.sortProducts && isDense(op.getType()))
    llvm::append_range(proposed->result,
                       std::exchange(proposed->scattered, {}));
  if (op.getOrder())
    return followOrder(*terms, *proposed);
  if (collectTraitsOf(op).rearrangesEntries)
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

/// Removes the obstacles of a term. Returns whether the term now reads what
/// another statement has scattered.
bool StatementSplitter::rewrite(const Terms &terms, const Term &term,
                                const TermOrder &order,
                                const LoopOrder &proposed) {
  // A tensor to start from is a term, too.
  bool isAll = terms.terms.size() == 1 && terms.sums.size() == 1 &&
               !term.isNegated && !op.getInit();
  if (!order.scatters) {
    rearrange(term, order);
    // Operands of other sizes would have had their products scattered over rows
    // of the result: whichever is chosen, the parts do not change the sums.
    op.setWholeEntries(isAll && !terms.reduction.reducesAbsent() &&
                       !term.reduced.empty() && !op.getOrder() &&
                       !isDense(op.getType()) && op.getType().getRank() > 1);
    return false;
  }
  if (!isAll || !canCollect(order)) {
    bool isOnlySum = llvm::all_of(terms.terms, [&](const Term &other) {
      return &other == &term || other.reduced.empty();
    });
    scatter(term, order, proposed, isOnlySum);
    return true;
  }
  op.setOrderAttr(b.getArrayAttr(order.loops));
  if (!isDense(op.getType()))
    op.setCollect(CollectKind::wholeRows);
  return false;
}

/// Whether the entries of a term that scatters can be added up without a list.
/// If the result is dense, each part adds up rows of its own, unless products
/// are to be sorted. If it is sparse, a workspace adds up one whole row at a
/// time: the outer loops must then run over all levels but the last.
bool StatementSplitter::canCollect(const TermOrder &order) {
  if (isDense(op.getType()))
    return order.collects && !choices.sortProducts;
  if (!order.collects)
    return false;
  RankedTensorType type = op.getType();
  unsigned rank = type.getRank();
  IndexNames levels = storageOrder(type, op.getResultAccess().getValue());
  ArrayRef<Attribute> outer = ArrayRef(levels).drop_back();
  return choices.wholeRows && rank > 1 && !isFullLevel(type, rank - 1) &&
         ArrayRef(order.loops).take_front(rank - 1) == outer &&
         llvm::is_contained(order.loops, levels.back());
}

/// Splits a statement for which the user asked for an order of loops. Where the
/// statement needs lists, the loops that make the lists run in that order.
FailureOr<bool> StatementSplitter::followOrder(const Terms &terms,
                                               const LoopOrder &proposed) {
  bool isChanged = false, isListed = false;
  for (const Term &term : terms.terms) {
    IndexNames loops = indicesOf(term, op.getOrder()->getValue());
    TermOrder order =
        LoopCost(op, term, terms.reduction, proposed.result).evaluate(loops);
    order.scatters &= collectTraitsOf(op).appendsInOrder();
    if (!order.scatters && order.transposed.empty())
      continue;
    if (order.scatters && !canList(term))
      return unsupported(
          op.emitOpError("in the order of loops ")
          << *op.getOrder()
          << ", entries are listed and sorted, but a list has no values "
             "where no operand has one: not supported");
    isListed |= rewrite(terms, term, order, proposed);
    isChanged = true;
  }
  // The list is in the order of the result, and the statement just reads it.
  if (isListed)
    op.removeOrderAttr();
  return isChanged;
}

/// The indices of a term: those in `first`, in that order, come before others.
IndexNames StatementSplitter::indicesOf(const Term &term,
                                        ArrayRef<Attribute> first) {
  llvm::SetVector<Attribute> all;
  for (unsigned n : term.inputs)
    all.insert_range(op.getLoopIndices(op.getAccess(n)));
  llvm::SetVector<Attribute> sorted;
  for (Attribute index : first)
    if (all.contains(index))
      sorted.insert(index);
  sorted.insert_range(all);
  return IndexNames(sorted.getArrayRef());
}

/// Whether a term is 0 wherever its operands store nothing: only then a list
/// can hold all its entries.
bool StatementSplitter::canList(const Term &term) {
  return ElementAlgebra(op).get(term.value).isZeroPreserving();
}

/// Whether to look for better loops than the proposed ones: the term has sparse
/// operands, and no operand is the result of another statement, of unknown
/// size.
bool StatementSplitter::isOpen(const Term &term) {
  bool hasSparse = false;
  for (unsigned n : term.inputs) {
    Value tensor = op.getInputs()[n];
    if (tensor.getDefiningOp<AssignOp>() && knownSizes(tensor).empty())
      return false;
    hasSparse |= !isDense(cast<RankedTensorType>(tensor.getType()));
  }
  return hasSparse;
}

/// The loops for a term: the proposed ones, unless an operand does not follow
/// them or they are expected to cost more than twice as much as the best loops.
TermOrder StatementSplitter::orderOf(const Term &term, MonoidAttr reduction,
                                     const LoopOrder &order) {
  LoopCost cost(op, term, reduction, order.result);
  IndexNames loops = order.result;
  llvm::append_range(loops, term.reduced);
  TermOrder proposed = cost.evaluate(indicesOf(term, loops));
  if (proposed.transposed.empty() && !isOpen(term))
    return proposed;
  // A list for a term that is not reduced would gain nothing.
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
    // The list that a statement needs is a statement that may need lists, too.
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    while (!statements.empty())
      if (failed(StatementSplitter(statements.pop_back_val(), builder,
                                   statements,
                                   {wholeRows, sortProducts, transposeDense})
                     .run()))
        return signalPassFailure();
    // No later pass may depend on the sizes of operands.
    getOperation().walk([](AssignOp op) { op.removeSizesAttr(); });
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (unsigned n = 0; n < func.getNumArguments(); ++n)
        func.removeArgAttr(
            n, StringAttr::get(&getContext(), NachoDialect::kSizesAttrName));
  }
};
} // namespace
