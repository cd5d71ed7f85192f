//===- Terms.cpp - The terms of an assignment -----------------------------===//
//
// The assigned value is a sum of terms, each of which is reduced over its own
// indices.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopOrder.h"
#include "nacho/IR/Errors.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

SmallVector<unsigned> nacho::inputsOf(Value value) {
  llvm::SetVector<Value> needed;
  needed.insert(value);
  SmallVector<unsigned> inputs;
  for (unsigned n = 0; n < needed.size(); ++n) {
    Value next = needed[n];
    if (auto arg = dyn_cast<BlockArgument>(next))
      inputs.push_back(arg.getArgNumber());
    else
      needed.insert_range(next.getDefiningOp()->getOperands());
  }
  llvm::sort(inputs);
  return inputs;
}

SmallVector<Operation *> nacho::sliceOf(Value value) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Operation *definition = pending.pop_back_val().getDefiningOp();
    if (definition && needed.insert(definition))
      llvm::append_range(pending, definition->getOperands());
  }
  SmallVector<Operation *> ops(needed.begin(), needed.end());
  llvm::sort(ops, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  return ops;
}

namespace {
/// Follows additions from the assigned value down to the terms.
class TermSplitter {
public:
  explicit TermSplitter(AssignOp op) : op(op) {
    for (Operation &nested : op.getBodyBlock()->without_terminator()) {
      auto isReduced = [&](Value value) { return reduced.contains(value); };
      if (isa<ReduceOp>(nested) ||
          llvm::any_of(nested.getOperands(), isReduced))
        reduced.insert_range(nested.getResults());
    }
  }

  LogicalResult split(Terms &terms) {
    terms.reduction = MonoidAttr::get(op.getContext(), BinaryKind::add);
    OpOperand &root = op.getBodyBlock()->getTerminator()->getOpOperand(0);
    terms.sums.push_back({root.get().getType()});
    pending.push_back({&root, false, 0});
    while (!pending.empty()) {
      Pending next = pending.pop_back_val();
      if (failed(visit(next, terms)))
        return failure();
    }
    auto isNegated = [](const auto &part) { return part.isNegated; };
    if (!terms.reduction.isSum() &&
        (terms.terms.size() > 1 || llvm::any_of(terms.terms, isNegated) ||
         llvm::any_of(terms.sums, isNegated)))
      return unsupported(
          op.emitOpError("uses a reduction that is no sum as a term of one: "
                         "not supported"));
    return success();
  }

private:
  /// A value that is added to a sum and is still to be split.
  struct Pending {
    OpOperand *use;
    bool isNegated;
    unsigned sum;
  };

  LogicalResult visit(Pending next, Terms &terms) {
    auto [use, isNegated, sum] = next;
    Value value = use->get();
    if (!reduced.contains(value)) {
      addTerm(next, value, {}, terms);
      return success();
    }
    Operation *definition = value.getDefiningOp();
    if (auto reduce = dyn_cast<ReduceOp>(definition)) {
      if (reduced.contains(reduce.getValue()))
        return unsupported(
            reduce.emitOpError("of a reduction is not supported"));
      terms.isReduced = true;
      if (!reduce.getMonoid().isSum())
        terms.reduction = reduce.getMonoid();
      addTerm(next, reduce.getValue(),
              IndexNames(reduce.getIndices().getValue()), terms);
      return success();
    }
    auto unary = dyn_cast<UnaryOp>(definition);
    if (unary && unary.getKind() == UnaryKind::neg) {
      pending.push_back({&unary.getArgMutable(), !isNegated, sum});
      return success();
    }
    if (auto cast = dyn_cast<CastOp>(definition)) {
      // A cast sum stays a sum of its own: integers wrap around in their own
      // type before they are converted.
      pending.push_back({&cast.getArgMutable(), false,
                         static_cast<unsigned>(terms.sums.size())});
      terms.sums.push_back({cast.getArg().getType(), sum, isNegated});
      return success();
    }
    auto binary = dyn_cast<BinaryOp>(definition);
    if (!binary || (binary.getKind() != BinaryKind::add &&
                    binary.getKind() != BinaryKind::sub))
      return unsupported(definition->emitOpError(
          "of a reduction is not supported: only sums of reductions are"));
    bool subtracts = binary.getKind() == BinaryKind::sub;
    pending.push_back({&binary.getRhsMutable(), isNegated != subtracts, sum});
    pending.push_back({&binary.getLhsMutable(), isNegated, sum});
    return success();
  }

  void addTerm(Pending next, Value value, IndexNames indices, Terms &terms) {
    terms.terms.push_back({value, next.isNegated, std::move(indices),
                           inputsOf(value), next.sum, next.use});
    ++terms.sums[next.sum].numTerms;
  }

  AssignOp op;
  DenseSet<Value> reduced; ///< Reductions, and values computed from them.
  SmallVector<Pending> pending;
};
} // namespace

FailureOr<Terms> Terms::split(AssignOp op) {
  Terms terms;
  if (failed(TermSplitter(op).split(terms)))
    return failure();
  return terms;
}
