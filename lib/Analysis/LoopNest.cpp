//===- LoopNest.cpp - An assignment as a nest of loops --------------------===//

#include "nacho/Analysis/LoopNest.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Collect.h"
#include "nacho/IR/Errors.h"
#include "nacho/Levels/LevelFormat.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

bool LoopNest::isSparse(unsigned input) {
  return !isDense(cast<RankedTensorType>(op.getInputs()[input].getType()));
}

unsigned LoopNest::loopOf(const Term &term, Attribute index) const {
  const auto *reduced = llvm::find(term.reduced, index);
  if (reduced != term.reduced.end())
    return order.result.size() + (reduced - term.reduced.begin());
  return llvm::find(order.result, index) - order.result.begin();
}

/// Terms that access an operand in the same loops share its fibers.
unsigned LoopNest::addInstance(const Term &term, unsigned input) {
  Instance instance{input, {}};
  for (Attribute index :
       levelNames(op.getInputs()[input].getType(), op.getAccess(input)))
    instance.loops.push_back(loopOf(term, index));
  for (auto [n, known] : llvm::enumerate(instances))
    if (known.input == input && known.loops == instance.loops)
      return n;
  instances.push_back(instance);
  return instances.size() - 1;
}

MergeAttr LoopNest::toInstances(MergeAttr merge, unsigned term) const {
  return mapLeaves(merge,
                   [&](unsigned input) { return instanceOf(term, input); });
}

/// The coordinates at which a term may differ from 0: everywhere, if the term
/// is not 0 where all sparse operands are absent.
MergeAttr LoopNest::patternOf(unsigned term) {
  const ElementFacts &facts = algebra.get(terms.terms[term].value);
  if (!facts.isZeroPreserving() || isNever(facts.pattern))
    return intersectMerges(op.getContext(), {});
  return toInstances(facts.pattern, term);
}

/// Terms that are 0 everywhere add nothing to a sparse result. It has no
/// entries if all of them are.
void LoopNest::dropZeros() {
  auto isZero = [&](const Term &term) {
    const ElementFacts &facts = algebra.get(term.value);
    return facts.isZeroPreserving() && isNever(facts.pattern);
  };
  hasEntries = !llvm::all_of(terms.terms, isZero);
  if (!hasEntries)
    return;
  for (const Term &term : terms.terms)
    terms.sums[term.sum].numTerms -= isZero(term);
  llvm::erase_if(terms.terms, isZero);
}

/// Refuses terms that would give a sparse result an entry everywhere, unless an
/// operand has one everywhere, too.
LogicalResult LoopNest::verifySparseResult() {
  for (const Term &term : terms.terms) {
    const ElementFacts &facts = algebra.get(term.value);
    if (!facts.isZeroPreserving() && !isAlways(facts.pattern))
      return ofKind(ErrorKind::dense,
                    op.emitOpError("is not zero where all operands are, so "
                                   "that its result would be dense"));
  }
  return success();
}

/// Adds a term to the group of the terms that are complete in the same loop.
void LoopNest::addToGroup(unsigned n) {
  const Term &term = terms.terms[n];
  int depth = order.result.size() + term.reduced.size();
  Group &group = groups[{order.size() == 0 ? 0 : depth - 1, term.sum}];
  group.number = llvm::find(reductions, term.sum) - reductions.begin();
  group.terms.push_back(n);
  MergeAttr pattern = patternOf(n);
  group.pattern = group.pattern
                      ? uniteMerges(op.getContext(), {group.pattern, pattern})
                      : pattern;
}

/// Only a statement that lists entries has loops over levels whose indices
/// follow from others, or that have more coordinates than their indices.
static LogicalResult verifySolved(AssignOp op) {
  if (collectTraitsOf(op).rearrangesEntries)
    return success();
  for (unsigned n = 0; n < op.getInputs().size(); ++n) {
    auto slice = op.getInputs()[n].getDefiningOp<SliceOp>();
    if (slice && !isDense(slice.getType()))
      return op.emitOpError()
             << "operand " << n << " is a sparse slice (--nacho-list-slices)";
    for (Attribute index : op.getAccess(n))
      if (op.getEquation(index) && !op.isComputed(index))
        return op.emitOpError()
               << "operand " << n << " stores index " << index
               << ", which follows from others (--nacho-solve-equations)";
  }
  return success();
}

LogicalResult LoopNest::plan() {
  FailureOr<Terms> split = Terms::split(op);
  if (failed(split))
    return failure();
  terms = *split;
  if (failed(verifySolved(op)))
    return failure();
  if (!isDense(op.getType())) {
    dropZeros();
    if (failed(verifySparseResult()))
      return failure();
  }
  FailureOr<LoopOrder> chosen = LoopOrder::choose(op, terms);
  if (failed(chosen))
    return failure();
  order = *chosen;
  // Even an assignment without indices gets a loop, which runs once.
  numLoops = std::max(1u, order.size());
  for (auto [n, sum] : llvm::enumerate(terms.sums))
    if (sum.numTerms > 0)
      reductions.push_back(n);
  for (auto [n, term] : llvm::enumerate(terms.terms)) {
    for (unsigned input : term.inputs)
      if (isSparse(input))
        instanceNumbers[{n, input}] = addInstance(term, input);
    addToGroup(n);
  }
  return success();
}

/// The indices that the terms run over in a loop.
SmallVector<Attribute> LoopNest::namesOfLoop(unsigned m) const {
  if (m < order.result.size())
    return {order.result[m]};
  llvm::SetVector<Attribute> names;
  for (const Term &term : terms.terms)
    if (m - order.result.size() < term.reduced.size())
      names.insert(term.reduced[m - order.result.size()]);
  return names.takeVector();
}
