//===- LoopOrder.cpp - The loops of an assignment -------------------------===//
//
// The order of the loops follows the order in which sparse tensors store their
// levels; dense tensors can be read and written in any order. Loops over
// indices of sparse operands come first.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopOrder.h"

#include "nacho/IR/Collect.h"
#include "nacho/IR/Errors.h"
#include "nacho/Levels/LevelFormat.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace nacho;

IndexNames nacho::storageOrder(Type type, ArrayRef<Attribute> access) {
  auto tensor = cast<RankedTensorType>(type);
  IndexNames names;
  for (unsigned level = 0, rank = tensor.getRank(); level < rank; ++level)
    names.push_back(access[dimensionOf(tensor, level)]);
  return names;
}

/// Marks names made by `levelNames`. Names of the notation do not contain it.
static constexpr char kRepeated = '\'';

IndexNames nacho::levelNames(Type type, ArrayRef<Attribute> access) {
  IndexNames names = storageOrder(type, access);
  for (unsigned n = 1; n < names.size(); ++n)
    while (llvm::is_contained(ArrayRef(names).take_front(n), names[n]))
      names[n] = StringAttr::get(names[n].getContext(),
                                 cast<StringAttr>(names[n]).getValue() +
                                     Twine(kRepeated));
  return names;
}

Attribute nacho::repeatedIndex(Attribute name) {
  StringRef text = cast<StringAttr>(name).getValue();
  return StringAttr::get(name.getContext(), text.rtrim(kRepeated));
}

static std::string toText(ArrayRef<Attribute> names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(names, os, [&](Attribute name) {
    os << cast<StringAttr>(name).getValue();
  });
  os << ')';
  return text;
}

namespace {
/// A set of indices with constraints that one index come before another.
class PartialOrder {
public:
  explicit PartialOrder(ArrayRef<Attribute> indices)
      : indices(indices.begin(), indices.end()) {}

  /// Adds the constraints of an order of indices, except for constraints that
  /// contradict earlier ones. Indices that are not in the set are ignored.
  void addChain(ArrayRef<Attribute> chain) {
    Attribute previous;
    for (Attribute index : chain) {
      if (!llvm::is_contained(indices, index))
        continue;
      if (previous)
        addEdge(previous, index);
      previous = index;
    }
  }
  void addEdge(Attribute before, Attribute after) {
    if (!comesBefore(after, before))
      edges.push_back({before, after});
  }

  /// Sorts the indices: each time, the first preferred index that may come
  /// next, or else the first index that may come next.
  IndexNames sort(llvm::function_ref<bool(Attribute)> isPreferred) const {
    IndexNames rest = indices, sorted;
    while (!rest.empty()) {
      auto isFree = [&](Attribute index) {
        return llvm::none_of(edges, [&](auto edge) {
          return edge.second == index && llvm::is_contained(rest, edge.first);
        });
      };
      auto *next = llvm::find_if(rest, [&](Attribute index) {
        return isPreferred(index) && isFree(index);
      });
      if (next == rest.end())
        next = llvm::find_if(rest, isFree);
      sorted.push_back(*next);
      rest.erase(next);
    }
    return sorted;
  }

private:
  bool comesBefore(Attribute index, Attribute other) const {
    return index == other || llvm::any_of(edges, [&](auto edge) {
             return edge.first == index && comesBefore(edge.second, other);
           });
  }

  IndexNames indices;
  SmallVector<std::pair<Attribute, Attribute>> edges;
};

class LoopOrderer {
public:
  LoopOrderer(AssignOp op, Terms &terms) : op(op), terms(terms) {
    for (const Term &term : terms.terms)
      for (unsigned n : term.inputs)
        if (isSparse(n))
          for (Attribute index : op.getAccess(n))
            sparseIndices.insert(index);
  }

  FailureOr<LoopOrder> propose();
  /// Emits an error that explains an obstacle.
  LogicalResult refuse(const Obstacle &obstacle);

private:
  bool isSparse(unsigned n) {
    return !isDense(cast<RankedTensorType>(op.getInputs()[n].getType()));
  }
  IndexNames stored(unsigned n) {
    return levelNames(op.getInputs()[n].getType(), op.getAccess(n));
  }
  /// The loops that a term runs in.
  IndexNames loopsOf(const Term &term) {
    IndexNames loops = order.result;
    llvm::append_range(loops, term.reduced);
    return loops;
  }
  LogicalResult checkTypes();
  void findObstacles(unsigned number, unsigned n);
  bool canBeInner(Attribute index);
  void chooseInner();
  void chooseScattered();
  void orderRearranged();
  void orderResult();
  void orderReduced(Term &term);
  void addRequested(PartialOrder &partial);
  unsigned numStructuralLevels();

  AssignOp op;
  Terms &terms;
  LoopOrder order;
  llvm::SmallDenseSet<Attribute> sparseIndices;
};
} // namespace

LogicalResult LoopOrderer::checkTypes() {
  RankedTensorType result = op.getType();
  if (!canBeResult(result))
    return emitResultError(op) << " has levels that are not supported";
  for (auto [n, input] : llvm::enumerate(op.getInputs()))
    if (isSparse(n) &&
        !hasSupportedLevels(cast<RankedTensorType>(input.getType())))
      return emitOperandError(op, n, input.getType())
             << " has levels that are not supported";
  return success();
}

/// A term's loops must visit the levels of an operand from the outermost level
/// inwards.
void LoopOrderer::findObstacles(unsigned number, unsigned n) {
  const Term &term = terms.terms[number];
  IndexNames names = stored(n), loops = loopsOf(term);
  if (!collectTraitsOf(op).rearrangesEntries &&
      names != storageOrder(op.getInputs()[n].getType(), op.getAccess(n))) {
    order.obstacles.push_back({Obstacle::diagonal, number, n});
    return;
  }
  auto place = [&](Attribute index) {
    return llvm::find(loops, index) - loops.begin();
  };
  for (unsigned level = 1; level < names.size(); ++level) {
    if (place(names[level]) > place(names[level - 1]))
      continue;
    bool scatters = llvm::is_contained(term.reduced, names[level - 1]) &&
                    !llvm::is_contained(term.reduced, names[level]);
    order.obstacles.push_back(
        {scatters ? Obstacle::scatter : Obstacle::transposition, number, n});
    return;
  }
}

LogicalResult LoopOrderer::refuse(const Obstacle &obstacle) {
  unsigned n = obstacle.input;
  IndexNames names = storageOrder(op.getInputs()[n].getType(), op.getAccess(n));
  const Term &term = terms.terms[obstacle.term];
  InFlightDiagnostic error = emitOperandError(op, n);
  if (obstacle.kind == Obstacle::diagonal) {
    Attribute repeated;
    for (auto [level, name] : llvm::enumerate(stored(n)))
      if (name != names[level])
        repeated = names[level];
    return error << " repeats index " << repeated
                 << ": a diagonal is not supported here";
  }
  if (obstacle.kind == Obstacle::transposition)
    return error << " is stored in the order " << toText(names)
                 << " but the loops run in the order " << toText(loopsOf(term))
                 << ", which would need a transposition: not supported";
  Attribute outer;
  for (Attribute index : names) {
    if (llvm::is_contained(term.reduced, index))
      outer = index;
    else if (outer)
      return error << " stores index " << outer
                   << ", which is reduced over, outside of index " << index
                   << " of the result, which would need a scatter: "
                      "not supported";
  }
  llvm_unreachable("a scatter is over an index of the result");
}

/// The number of levels of the result up to the last one that is not dense.
unsigned LoopOrderer::numStructuralLevels() {
  auto type = op.getType();
  unsigned levels = isDense(type) ? 0 : type.getRank();
  while (levels > 0 && isFullLevel(type, levels - 1))
    --levels;
  return levels;
}

/// Whether an index of the result may be inside all reduced indices: so it is
/// in the order that the user asked for, or the user asked for none.
bool LoopOrderer::canBeInner(Attribute index) {
  if (!op.getOrder())
    return true;
  ArrayRef<Attribute> asked = op.getOrder()->getValue();
  auto place = [&](Attribute name) { return llvm::find(asked, name); };
  return llvm::all_of(terms.terms, [&](const Term &term) {
    return llvm::all_of(term.reduced, [&](Attribute reduced) {
      return place(reduced) < place(index);
    });
  });
}

/// Moves indices that only dense tensors have inside the reduction, where
/// neighbouring elements of the dense operands can be computed together.
void LoopOrderer::chooseInner() {
  if (!terms.isReduced)
    return;
  ArrayRef<Attribute> access = op.getResultAccess().getValue();
  IndexNames levels = storageOrder(op.getType(), access);
  ArrayRef<Attribute> trailing(levels);
  trailing = trailing.drop_front(numStructuralLevels());
  for (Attribute index : access)
    if (llvm::is_contained(trailing, index) && !sparseIndices.contains(index) &&
        canBeInner(index))
      order.inner.push_back(index);
  if (!access.empty() && order.inner.size() == access.size() &&
      sparseIndices.empty())
    order.inner.erase(order.inner.begin());
}

/// A row of sums, or a workspace, can collect products that are scattered over
/// one level of the result.
void LoopOrderer::chooseScattered() {
  bool isPossible =
      collectTraitsOf(op).leavesRowsWhole || isDense(op.getType());
  if (!op.getOrder() || !isPossible || terms.terms.size() != 1 ||
      terms.reduction.reducesAbsent())
    return;
  Term &term = terms.terms.front();
  bool isInside = false;
  for (Attribute index : op.getOrder()->getValue()) {
    isInside |= llvm::is_contained(term.reduced, index);
    if (isInside && llvm::is_contained(op.getResultAccess(), index) &&
        !llvm::is_contained(order.inner, index))
      order.scattered.push_back(index);
  }
  if (order.scattered.size() > 1)
    order.scattered.clear();
  llvm::append_range(term.reduced, order.scattered);
}

/// Adds the order that the user asked for, if any.
void LoopOrderer::addRequested(PartialOrder &partial) {
  if (op.getOrder())
    partial.addChain(op.getOrder()->getValue());
}

/// Gives a loop to every index that is not computed, and to every level of a
/// diagonal.
void LoopOrderer::orderRearranged() {
  llvm::SetVector<Attribute> names;
  for (Attribute index : op.getResultAccess())
    if (!op.isPart(index))
      names.insert_range(op.getLoopIndices(index));
  llvm::SmallBitVector inputs(op.getInputs().size());
  for (const Term &term : terms.terms)
    for (unsigned n : term.inputs)
      inputs.set(n);
  for (unsigned n : inputs.set_bits())
    names.insert_range(isSparse(n) ? stored(n)
                                   : op.getLoopIndices(op.getAccess(n)));
  for (Attribute equation : op.getEquations())
    for (Attribute source : cast<DerivedIndexAttr>(equation).getSources())
      names.insert_range(op.getLoopIndices(source));
  PartialOrder partial(names.getArrayRef());
  for (unsigned n : inputs.set_bits())
    if (isSparse(n))
      partial.addChain(stored(n));
  addRequested(partial);
  order.result = partial.sort(
      [&](Attribute index) { return sparseIndices.contains(index); });
}

void LoopOrderer::orderResult() {
  IndexNames outer;
  for (Attribute index : op.getResultAccess().getValue())
    if (!llvm::is_contained(order.inner, index) &&
        !llvm::is_contained(order.scattered, index))
      outer.push_back(index);
  PartialOrder partial(outer);
  IndexNames levels =
      storageOrder(op.getType(), op.getResultAccess().getValue());
  unsigned structural = numStructuralLevels();
  ArrayRef<Attribute> appended = ArrayRef(levels).take_front(structural);
  partial.addChain(appended);
  if (structural > 0)
    for (Attribute index : ArrayRef(levels).drop_front(structural))
      partial.addEdge(appended.back(), index);
  addRequested(partial);
  for (const Term &term : terms.terms)
    for (unsigned n : term.inputs)
      if (isSparse(n))
        partial.addChain(stored(n));
  order.result = partial.sort(
      [&](Attribute index) { return sparseIndices.contains(index); });
}

void LoopOrderer::orderReduced(Term &term) {
  PartialOrder partial(term.reduced);
  addRequested(partial);
  llvm::SmallDenseSet<Attribute> sparse;
  for (unsigned n : term.inputs) {
    if (!isSparse(n))
      continue;
    IndexNames names = stored(n);
    partial.addChain(names);
    sparse.insert_range(names);
  }
  term.reduced =
      partial.sort([&](Attribute index) { return sparse.contains(index); });
}

FailureOr<LoopOrder> LoopOrderer::propose() {
  if (failed(checkTypes()))
    return failure();
  if (collectTraitsOf(op).rearrangesEntries) {
    orderRearranged();
  } else {
    chooseInner();
    chooseScattered();
    orderResult();
  }
  for (auto [number, term] : llvm::enumerate(terms.terms)) {
    orderReduced(term);
    order.numReduced =
        std::max<unsigned>(order.numReduced, term.reduced.size());
    for (unsigned n : term.inputs)
      if (isSparse(n))
        findObstacles(number, n);
  }
  return order;
}

FailureOr<LoopOrder> LoopOrder::propose(AssignOp op, Terms &terms) {
  return LoopOrderer(op, terms).propose();
}

FailureOr<LoopOrder> LoopOrder::choose(AssignOp op, Terms &terms) {
  LoopOrderer orderer(op, terms);
  FailureOr<LoopOrder> order = orderer.propose();
  if (failed(order))
    return failure();
  if (!order->obstacles.empty())
    return orderer.refuse(order->obstacles.front());
  return order;
}
