//===- OrderLoops.cpp - What no order of loops can read is made anew ------===//
//
// Consumes `nacho.assign`; leaves assignments whose loops follow the levels of
// every sparse operand and of the result. What stands in the way is computed
// by an assignment of its own, whose entries are sorted: a transposed operand,
// a diagonal, or the products that a reduction scatters over the result.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/LoopCost.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Level.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOORDERLOOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// Removes the obstacles from one assignment, one after the other.
class StatementSplitter {
public:
  /// Lists that are made are added to the statements.
  StatementSplitter(AssignOp op, OpBuilder &builder,
                    SmallVectorImpl<AssignOp> &statements)
      : op(op), b(withoutName(op.getLoc()), builder), statements(statements) {}

  LogicalResult run();

private:
  FailureOr<bool> step();
  FailureOr<bool> followOrder(const Terms &terms, const LoopOrder &proposed);
  void rewrite(const Term &term, const TermOrder &order,
               const LoopOrder &proposed);
  IndexNames indicesOf(const Term &term, ArrayRef<Attribute> first);
  bool canList(const Term &term);
  bool isOpen(const Term &term);
  TermOrder orderOf(const Term &term, const LoopOrder &order);
  RankedTensorType listType(ArrayRef<Attribute> access, Type element,
                            ArrayRef<unsigned> inputs);
  void rearrange(const Term &term, const TermOrder &order);
  void scatter(const Term &term, const TermOrder &order,
               const LoopOrder &loops);
  AssignOp makeList(Value value, ArrayRef<unsigned> inputs,
                    ArrayRef<Attribute> access, ArrayRef<Attribute> loops);
  BlockArgument bind(Value tensor, ArrayRef<Attribute> access);
  void replace(const Term &term, Value value);
  void dropUnused();

  AssignOp op;
  ImplicitLocOpBuilder b;
  SmallVectorImpl<AssignOp> &statements;
};

} // namespace

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
  if (op.getOrder())
    return followOrder(*terms, *proposed);
  if (op.getSorted())
    return false;
  for (const Term &term : terms->terms) {
    TermOrder order = orderOf(term, *proposed);
    if (order.scatters || !order.transposed.empty()) {
      rewrite(term, order, *proposed);
      return true;
    }
  }
  return false;
}

void StatementSplitter::rewrite(const Term &term, const TermOrder &order,
                                const LoopOrder &proposed) {
  if (order.scatters)
    scatter(term, order, proposed);
  else
    rearrange(term, order);
}

/// The loops run in the order that was asked for, those of the lists that are
/// needed for it at least.
FailureOr<bool> StatementSplitter::followOrder(const Terms &terms,
                                               const LoopOrder &proposed) {
  bool isChanged = false, isListed = false;
  for (const Term &term : terms.terms) {
    IndexNames loops = indicesOf(term, op.getOrder()->getValue());
    TermOrder order = LoopCost(op, term, proposed.result).evaluate(loops);
    order.scatters &= !op.getSorted();
    if (!order.scatters && order.transposed.empty())
      continue;
    if (order.scatters && !canList(term))
      return op.emitOpError("is not zero where all operands are, and the "
                            "result stores its entries in another order than ")
             << *op.getOrder();
    rewrite(term, order, proposed);
    isChanged = true;
    isListed |= order.scatters;
  }
  // Lists are in the order of the result.
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
    auto list = tensor.getDefiningOp<AssignOp>();
    if (list && list.getSorted())
      return false;
    hasSparse |= !isDense(cast<RankedTensorType>(tensor.getType()));
  }
  return hasSparse;
}

/// The loops that a term is better off with: those that are proposed, unless
/// something is in their way or they are expected to cost much more.
TermOrder StatementSplitter::orderOf(const Term &term, const LoopOrder &order) {
  LoopCost cost(op, term, order.result);
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

/// A list of entries, by coordinates as wide as those of the operands that
/// have the index.
RankedTensorType StatementSplitter::listType(ArrayRef<Attribute> access,
                                             Type element,
                                             ArrayRef<unsigned> inputs) {
  auto isNarrow = [&](Attribute index) {
    return llvm::any_of(inputs, [&](unsigned n) {
      auto encoding =
          sparse_tensor::getSparseTensorEncoding(op.getInputs()[n].getType());
      return encoding && encoding.getCrdWidth() == 32 &&
             llvm::is_contained(op.getAccess(n), index);
    });
  };
  unsigned width = llvm::all_of(access, isNarrow) ? 32 : 64;
  return listTensorType(access.size(), element, width);
}

/// term(A[i, j]) -> T[j, i] = sorted A[i, j]; term(T[j, i])
void StatementSplitter::rearrange(const Term &term, const TermOrder &order) {
  IRMapping mapping;
  for (unsigned input : order.transposed) {
    IndexNames access;
    for (Attribute index : order.loops)
      if (llvm::is_contained(op.getAccess(input), index))
        access.push_back(index);
    Value element = op.getBodyBlock()->getArgument(input);
    AssignOp list = makeList(element, {input}, access, {});
    setName(list.getResult(), getName(op.getInputs()[input]));
    mapping.map(element, bind(list.getResult(), access));
  }
  SmallVector<Operation *> slice = sliceOf(term.value);
  OpBuilder::InsertionGuard guard(b);
  if (!slice.empty())
    b.setInsertionPointAfter(slice.back());
  for (Operation *nested : slice)
    b.clone(*nested, mapping);
  replace(term, mapping.lookup(term.value));
}

/// sum_j v -> E[result, j] = sorted v; sum_j E[result, j]
void StatementSplitter::scatter(const Term &term, const TermOrder &order,
                                const LoopOrder &loops) {
  IndexNames access;
  for (ArrayRef<Attribute> names :
       {ArrayRef(loops.result), ArrayRef(loops.inner), ArrayRef(term.reduced)})
    for (Attribute index : names)
      if (llvm::is_contained(order.loops, index))
        access.push_back(index);
  AssignOp list = makeList(term.value, term.inputs, access, order.loops);
  setName(list.getResult(), "E");
  replace(term, bind(list.getResult(), access));
}

/// access = sorted value, before the assignment.
AssignOp StatementSplitter::makeList(Value value, ArrayRef<unsigned> inputs,
                                     ArrayRef<Attribute> access,
                                     ArrayRef<Attribute> loops) {
  SmallVector<Value> tensors;
  SmallVector<Attribute> accesses;
  for (unsigned n : inputs) {
    tensors.push_back(op.getInputs()[n]);
    accesses.push_back(op.getAccesses()[n]);
  }
  ArrayAttr order;
  if (!loops.empty())
    order = b.getArrayAttr(loops);
  auto list = AssignOp::create(b, listType(access, value.getType(), inputs),
                               tensors, Value(), b.getArrayAttr(accesses),
                               b.getArrayAttr(access), true, order);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&list.getBody());
  IRMapping mapping;
  for (unsigned n : inputs) {
    BlockArgument arg = op.getBodyBlock()->getArgument(n);
    mapping.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
  }
  for (Operation *nested : sliceOf(value))
    b.clone(*nested, mapping);
  YieldOp::create(b, mapping.lookup(value));
  statements.push_back(list);
  return list;
}

/// One more input of the assignment.
BlockArgument StatementSplitter::bind(Value tensor,
                                      ArrayRef<Attribute> access) {
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses.push_back(b.getArrayAttr(access));
  op.setAccessesAttr(b.getArrayAttr(accesses));
  op.getInputsMutable().append(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  return op.getBodyBlock()->addArgument(type.getElementType(), op.getLoc());
}

static bool isSameSet(ArrayRef<Attribute> one, ArrayRef<Attribute> other) {
  return std::is_permutation(one.begin(), one.end(), other.begin(),
                             other.end());
}

/// Puts another value in the place of a term.
void StatementSplitter::replace(const Term &term, Value value) {
  Block *body = op.getBodyBlock();
  for (Operation &nested : *body) {
    auto reduce = dyn_cast<ReduceOp>(nested);
    // Of what is reduced, only the reduction over the term's indices is it.
    if (!term.reduced.empty() &&
        (!reduce || reduce.getValue() != term.value ||
         !isSameSet(reduce.getIndices().getValue(), term.reduced)))
      continue;
    if (term.reduced.empty() && (reduce || nested.getNumOperands() == 0))
      continue;
    for (OpOperand &operand : nested.getOpOperands())
      if (operand.get() == term.value)
        operand.set(value);
  }
}

/// Forgets what the statement no longer reads.
void StatementSplitter::dropUnused() {
  Block *body = op.getBodyBlock();
  for (Operation &nested : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&nested))
      nested.erase();
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  for (unsigned n = accesses.size(); n-- > 0;) {
    if (!body->getArgument(n).use_empty())
      continue;
    body->eraseArgument(n);
    op.getInputsMutable().erase(n);
    accesses.erase(accesses.begin() + n);
  }
  op.setAccessesAttr(b.getArrayAttr(accesses));
}

namespace {
struct OrderLoops : nacho::impl::NachoOrderLoopsBase<OrderLoops> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    // Lists are made for statements, and may need lists of operands.
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    while (!statements.empty())
      if (failed(
              StatementSplitter(statements.pop_back_val(), builder, statements)
                  .run()))
        return signalPassFailure();
  }
};
} // namespace
