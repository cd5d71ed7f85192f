//===- EntryBuilder.cpp - The entry that a group of terms appends ---------===//

#include "EntryBuilder.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Collect.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

void EntryBuilder::build(bool asksForPattern) {
  Condition condition = kAlways;
  if (asksForPattern)
    condition = buildCondition(group.pattern);
  loadElements();
  buildInnerLoops(0, condition);
}

void EntryBuilder::loadElements() {
  for (unsigned term : group.terms) {
    for (unsigned input : plan.terms.terms[term].inputs) {
      if (!plan.isSparse(input) ||
          elements.contains(plan.instanceOf(term, input)))
        continue;
      NameScope name(b, StringRef(open.inputName(input)).lower());
      unsigned instance = plan.instanceOf(term, input);
      elements[instance] = LoadOp::create(b, open.fibers[instance]);
    }
  }
}

/// for k to N_k: ... append the entry
void EntryBuilder::buildInnerLoops(unsigned n, Condition condition) {
  if (n == plan.order.inner.size())
    return append(condition);
  Attribute index = plan.order.inner[n];
  MergeAttr always = intersectMerges(b.getContext(), {});
  auto loop =
      CoiterateOp::create(b, ValueRange(), ValueRange(), open.extentOf(index),
                          always, cast<StringAttr>(index));
  open.coordinates[index] = loop.getCoordinate();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBodyBlock());
  buildInnerLoops(n + 1, condition);
  YieldOp::create(b);
}

void EntryBuilder::append(Condition condition) {
  Value sum;
  SmallVector<Element> terms;
  for (unsigned number : group.terms) {
    terms.push_back(buildTerm(number));
    Value value = terms.back().value;
    bool isNegated = plan.terms.terms[number].isNegated;
    if (sum)
      sum = BinaryOp::create(b, isNegated ? BinaryKind::sub : BinaryKind::add,
                             sum, value);
    else if (isNegated)
      sum = UnaryOp::create(b, UnaryKind::neg, value);
    else
      sum = value;
  }
  AssignOp op = plan.op;
  SmallVector<Value> at;
  const Term &term = plan.terms.terms[group.terms.front()];
  for (Attribute index :
       storageOrder(op.getType(), op.getResultAccess().getValue()))
    at.push_back(op.isPart(index) ? Value(PartOp::create(b, b.getIndexType()))
                                  : coordinateOf(term, index));
  condition = emitBoth(b, condition, insideGroup());
  condition = emitBoth(b, condition, keptInGroup(terms));
  condition = emitBoth(b, condition, onDiagonals());
  condition = emitBoth(b, condition, whereEquationsHold(term));
  condition = emitBoth(b, condition, insideSlices());
  AppendOp::create(b, sum, b.getI64IntegerAttr(group.number), at,
                   toOperand(condition));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Clones the ops that compute a term. A result that may be nonzero outside its
/// pattern is restricted to it, unless the group's pattern implies it.
EntryBuilder::Element EntryBuilder::buildElement(unsigned number) {
  const Term &term = plan.terms.terms[number];
  IRMapping mapping;
  Condition isKept = kAlways;
  for (unsigned input : term.inputs)
    mapping.map(plan.op.getBodyBlock()->getArgument(input),
                bindInput(number, input));
  for (Operation *nested : sliceOf(term.value)) {
    if (auto stored = dyn_cast<StoredOp>(nested)) {
      mapping.map(stored.getResult(), buildStored(stored, number));
      continue;
    }
    if (auto keep = dyn_cast<KeepOp>(nested)) {
      Value value = mapping.lookupOrDefault(keep.getValue());
      Condition here =
          whereKept(keep, number, mapping.lookupOrDefault(keep.getCondition()));
      if (keep.getResult() == term.value)
        isKept = here;
      else
        value = emitSelect(b, here, value, zeroElement(b, value.getType()));
      mapping.map(keep.getResult(), value);
      continue;
    }
    Operation *copy = b.clone(*nested, mapping);
    for (auto [value, result] :
         llvm::zip(nested->getResults(), copy->getResults())) {
      if (!plan.algebra.mayLeak(value))
        continue;
      MergeAttr pattern =
          plan.toInstances(plan.algebra.get(value).pattern, number);
      if (!implies(group.pattern, pattern))
        mapping.map(value, emitPattern(pattern, number, result));
    }
  }
  return {mapping.lookupOrDefault(term.value), isKept};
}

/// The element of a term, which is 0 where other terms of the group have
/// entries and this one has none.
EntryBuilder::Element EntryBuilder::buildTerm(unsigned number) {
  auto [value, isKept] = buildElement(number);
  // A loop that several terms share may go beyond the extents of this one.
  Condition inside = insideTerm(plan.terms.terms[number]);
  if (group.terms.size() > 1)
    inside = emitBoth(b, inside, isKept);
  if (!inside.isAlways())
    value = emitSelect(b, inside, value, zeroElement(b, value.getType()));
  return {value, isKept};
}

/// True where an operand has an entry. The group's pattern may imply that.
Value EntryBuilder::buildStored(StoredOp op, unsigned number) {
  MergeAttr pattern =
      plan.toInstances(plan.algebra.get(op.getResult()).pattern, number);
  Value yes = Number::flag(b, true);
  bool isEverywhere = !plan.algebra.get(op.getResult()).isZeroPreserving();
  return isEverywhere || implies(group.pattern, pattern)
             ? yes
             : emitPattern(pattern, number, yes);
}

/// The element of an input in the loops of a term.
Value EntryBuilder::bindInput(unsigned number, unsigned input) {
  if (plan.isSparse(input))
    return elements.at(plan.instanceOf(number, input));
  NameScope name(b, StringRef(open.inputName(input)).lower());
  const Term &term = plan.terms.terms[number];
  Value tensor = plan.op.getInputs()[input];
  bool isCoordinate = tensor.getDefiningOp<CoordinatesOp>() != nullptr;
  SmallVector<Value> at;
  Condition inside = insideTerm(term);
  for (Attribute index : plan.op.getAccess(input)) {
    at.push_back(coordinateOf(term, index));
    if (plan.op.isComputed(index))
      inside = emitBoth(b, inside, derive(term, index).getInside());
  }
  if (auto slice = tensor.getDefiningOp<SliceOp>())
    tensor = open.locateInSource(slice, at);
  if (at.empty())
    return tensor::ExtractOp::create(b, tensor, ValueRange());
  if (isCoordinate)
    return Number(b, at.front()).asSigned(b.getI64Type());
  return LocateOp::create(b, tensor, at, toOperand(inside));
}

/// The coordinate of an index in the loops of a term: that of its loop, or a
/// computed one.
Value EntryBuilder::coordinateOf(const Term &term, Attribute index) {
  if (plan.op.isComputed(index))
    return derive(term, index).getCoordinate();
  if (llvm::is_contained(term.reduced, index))
    return open.loopCoordinates[plan.loopOf(term, index)];
  DeriveOp inSlice = open.coordinateInSlice(index);
  return inSlice ? inSlice.getCoordinate() : open.coordinates.at(index);
}

/// Computes an index by its equation.
DeriveOp EntryBuilder::derive(const Term &term, Attribute index) {
  DerivedIndexAttr equation = plan.op.getEquation(index);
  SmallVector<Value> sources;
  for (StringAttr source : equation.getSources())
    sources.push_back(coordinateOf(term, source));
  Value extent = open.extentOf(index);
  NameScope name(b, cast<StringAttr>(index).getValue());
  return DeriveOp::create(b, sources, equation.getFactors(),
                          equation.getConstant(), equation.getDivisor(),
                          /*stride=*/Value(), extent, equation.getRounds());
}

Value EntryBuilder::emitPattern(MergeAttr pattern, unsigned term, Value value) {
  SmallVector<Value> named;
  MergeAttr merge = mapLeaves(pattern, [&](unsigned instance) {
    Value fiber = open.fibers[instance];
    auto *known = llvm::find(named, fiber);
    unsigned number = known - named.begin();
    if (known == named.end())
      named.push_back(fiber);
    return number;
  });
  return RestrictOp::create(b, value.getType(), value, named, merge);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Builds the condition that a pattern holds.
Condition EntryBuilder::buildCondition(MergeAttr pattern) {
  SmallVector<Condition> present(open.fibers.size(), kAlways);
  std::function<void(MergeAttr)> collect = [&](MergeAttr merge) {
    if (merge.isLeaf()) {
      Condition &leaf = present[merge.getOperand()];
      if (leaf.isAlways())
        leaf = PresentOp::create(b, b.getI1Type(),
                                 open.fibers[merge.getOperand()]);
      return;
    }
    for (MergeAttr child : merge.children())
      collect(child);
  };
  collect(pattern);
  return emitMerge(b, pattern, present);
}

/// Whether a term only has entries where its own operands drive loop `m`.
bool EntryBuilder::isDriven(unsigned number, unsigned m) {
  if (plan.namesOfLoop(m).size() < 2)
    return true;
  MergeAttr pattern = plan.patternOf(number);
  return llvm::any_of(plan.terms.terms[number].inputs, [&](unsigned input) {
    if (!plan.isSparse(input))
      return false;
    unsigned instance = plan.instanceOf(number, input);
    return llvm::is_contained(plan.instances[instance].loops, m) &&
           holdsOnlyWith(pattern, instance);
  });
}

/// Builds the condition that some term of the group has an entry inside of its
/// own extents; always, if the pattern of the group implies this.
Condition EntryBuilder::insideGroup() {
  auto isDrivenAll = [&](unsigned number) {
    const Term &term = plan.terms.terms[number];
    return llvm::all_of(term.reduced, [&](Attribute index) {
      return isDriven(number, plan.loopOf(term, index));
    });
  };
  if (llvm::all_of(group.terms, isDrivenAll))
    return kAlways;
  std::optional<Value> inside;
  for (unsigned number : group.terms) {
    Condition here = buildCondition(plan.patternOf(number));
    if (!isDrivenAll(number))
      here = emitBoth(b, here, insideTerm(plan.terms.terms[number]));
    if (here.isAlways())
      return kAlways;
    inside = inside ? Number(b, *inside) | here.flag() : here.flag();
  }
  return *inside;
}

/// The pattern that a condition is; none if it depends on more than where
/// operands have entries, or is not monotone.
std::optional<MergeAttr> EntryBuilder::exactPattern(Value condition) {
  if (matchPattern(condition, m_One()))
    return intersectMerges(b.getContext(), {});
  if (auto stored = condition.getDefiningOp<StoredOp>())
    return plan.algebra.get(stored).isZeroPreserving()
               ? plan.algebra.get(stored).pattern
               : intersectMerges(b.getContext(), {});
  auto binary = condition.getDefiningOp<BinaryOp>();
  if (!binary || (binary.getKind() != BinaryKind::andbits &&
                  binary.getKind() != BinaryKind::orbits))
    return {};
  std::optional<MergeAttr> lhs = exactPattern(binary.getLhs()),
                           rhs = exactPattern(binary.getRhs());
  if (!lhs || !rhs)
    return {};
  return binary.getKind() == BinaryKind::andbits
             ? intersectMerges(b.getContext(), {*lhs, *rhs})
             : uniteMerges(b.getContext(), {*lhs, *rhs});
}

/// The condition under which an element is kept; always, if the pattern of the
/// group implies it.
Condition EntryBuilder::whereKept(KeepOp keep, unsigned number,
                                  Value condition) {
  std::optional<MergeAttr> pattern = exactPattern(keep.getCondition());
  if (!pattern)
    return condition;
  MergeAttr here = plan.toInstances(*pattern, number);
  return implies(group.pattern, here) ? Condition(kAlways)
                                      : buildCondition(here);
}

/// Builds the condition that some term of the group is kept; always, if none
/// of them may be dropped.
Condition EntryBuilder::keptInGroup(ArrayRef<Element> elements) {
  if (elements.size() == 1)
    return elements.front().isKept;
  if (llvm::all_of(elements, [](const Element &element) {
        return element.isKept.isAlways();
      }))
    return kAlways;
  std::optional<Condition> any;
  for (auto [number, element] : llvm::zip(group.terms, elements)) {
    Condition here =
        emitBoth(b, buildCondition(plan.patternOf(number)), element.isKept);
    any = any ? emitEither(b, *any, here) : here;
  }
  return *any;
}

/// Builds the condition that, in loops that a term shares with others, the
/// coordinates lie inside of the term's extents; always, if it shares no loop.
Condition EntryBuilder::insideTerm(const Term &term) {
  Condition inside = kAlways;
  for (Attribute index : term.reduced) {
    unsigned m = plan.loopOf(term, index);
    if (plan.namesOfLoop(m).size() < 2)
      continue;
    Value below = Number(b, open.loopCoordinates[m]) < open.extentOf(index);
    inside = emitBoth(b, inside, below);
  }
  return inside;
}

/// The condition that the equations hold, in a statement that lists entries; in
/// others, all elements that computed indices locate are 0 outside of their
/// tensors.
Condition EntryBuilder::whereEquationsHold(const Term &term) {
  if (!collectTraitsOf(plan.op).rearrangesEntries)
    return kAlways;
  Condition all = kAlways;
  for (Attribute equation : plan.op.getEquations()) {
    Attribute index = cast<DerivedIndexAttr>(equation).getIndex();
    DeriveOp computed = derive(term, index);
    all = emitBoth(b, all, computed.getInside());
    if (plan.op.isComputed(index))
      continue;
    Value same =
        Number(b, computed.getCoordinate()) == coordinateOf(term, index);
    all = emitBoth(b, all, same);
  }
  return all;
}

/// The condition that no slice skips the coordinates of the loops.
Condition EntryBuilder::insideSlices() {
  Condition all = kAlways;
  for (Attribute index : plan.op.getResultAccess())
    if (!plan.op.isPart(index))
      if (DeriveOp inSlice = open.coordinateInSlice(index))
        all = emitBoth(b, all, inSlice.getInside());
  return all;
}

/// The condition that all loops over the same index are at the same coordinate;
/// always, if every index has only one loop.
Condition EntryBuilder::onDiagonals() {
  Condition all = kAlways;
  for (Attribute name : plan.order.result) {
    Attribute index = repeatedIndex(name);
    if (index == name)
      continue;
    Number one(b, open.coordinates.at(name));
    Value same = one == open.coordinates.at(index);
    all = emitBoth(b, all, same);
  }
  return all;
}
