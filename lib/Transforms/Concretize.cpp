//===- Concretize.cpp - Tensor index notation to coiterative loops --------===//
//
// Consumes `nacho.assign`; leaves one `nacho.nest` per statement: a chain of
// loops. Each loop visits the fibers of the sparse operands with its index; the
// innermost loop of every term appends the term's value to the result.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopNest.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCONCRETIZE
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// A loop that has been built. `leaves` maps instances to leaves of its merge.
struct Loop {
  CoiterateOp op;
  DenseMap<unsigned, unsigned> leaves;
};

/// Builds the loops of one assignment.
class NestBuilder : LoopNest {
public:
  NestBuilder(AssignOp op, IRRewriter &rewriter)
      : LoopNest(op), b(withoutName(op.getLoc()), rewriter) {}

  LogicalResult build();

private:
  // Loops.
  Value extentOf(Attribute index);
  Value computeExtent(Attribute index);
  Value extentOfLoop(unsigned m);
  bool isKnown(unsigned instance, unsigned m, unsigned numLevels);
  MergeAttr mergeOf(unsigned m, Loop &loop, SmallVectorImpl<Value> &guards);
  MergeAttr mergeOf(MergeAttr pattern, unsigned m, Loop &loop,
                    SmallVectorImpl<Value> &guards);
  void buildLoops(unsigned m);

  // Bodies.
  void buildGroups(int depth);
  void buildFinish();
  Condition buildCondition(MergeAttr pattern);
  void buildInnerLoops(const Group &group, unsigned n, Condition condition);
  void buildEntry(const Group &group, Condition condition);
  Value buildTerm(const Group &group, unsigned number);
  void loadElements(const Group &group);
  Value bindInput(unsigned term, unsigned input);
  Value emitPattern(MergeAttr pattern, unsigned term, Value value);
  Condition insideTerm(const Term &term);
  bool isDriven(unsigned number, unsigned m);
  Condition insideGroup(const Group &group);
  Condition onDiagonals();
  std::string inputName(unsigned n);

  ImplicitLocOpBuilder b;
  SmallVector<Value>
      fibers; ///< By instance, its fiber in the loops built so far.
  NestOp nest;
  SmallVector<Loop> loops;
  DenseMap<Attribute, Value> extents, coordinates; ///< By index of the result.
  DenseMap<unsigned, Value> elements; ///< Loaded ones, by instance.
};

} // namespace

LogicalResult NestBuilder::build() {
  if (failed(plan()))
    return failure();
  for (const Instance &instance : instances) {
    NameScope name(b, inputName(instance.input) + "0");
    fibers.push_back(RootOp::create(b, op.getInputs()[instance.input],
                                    b.getI64IntegerAttr(instance.input)));
  }
  BinaryKindAttr reduction;
  if (terms.isReduced || groups.size() > 1 || order.size() == 0)
    reduction = BinaryKindAttr::get(op.getContext(), terms.reduction);
  nest = NestOp::create(b, op.getType(), Value(), reduction, op.getCollect());
  nest->setLoc(op.getLoc());
  b.createBlock(&nest.getBody());
  buildLoops(0);
  buildGroups(-1);
  YieldOp::create(b);
  buildFinish();
  op.replaceAllUsesWith(nest.getResult());
  return success();
}

/// Builds the region `finish`, which combines sums of different types, from the
/// innermost sum to the one that is assigned.
void NestBuilder::buildFinish() {
  if (terms.sums.size() == 1)
    return;
  SmallVector<Type> types;
  for (unsigned sum : reductions)
    types.push_back(terms.sums[sum].type);
  SmallVector<Location> locs(types.size(), b.getLoc());
  Block *block = b.createBlock(&nest.getFinish(), {}, types, locs);
  SmallVector<Value> values(terms.sums.size());
  for (auto [sum, arg] : llvm::zip(reductions, block->getArguments()))
    values[sum] = arg;
  for (unsigned n = terms.sums.size() - 1; n > 0; --n) {
    const Sum &sum = terms.sums[n];
    Value &into = values[sum.parent];
    Value value = values[n];
    // All terms of this sum were 0 and have been removed.
    if (!value)
      continue;
    if (value.getType() != terms.sums[sum.parent].type)
      value = CastOp::create(b, terms.sums[sum.parent].type, value);
    if (into)
      into = BinaryOp::create(
          b, sum.isNegated ? BinaryKind::sub : BinaryKind::add, into, value);
    else
      into = sum.isNegated ? Value(UnaryOp::create(b, UnaryKind::neg, value))
                           : value;
  }
  YieldOp::create(b, values.front());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The extent of an index, taken from any tensor that has the index. Computed
/// before the nest, so that the searches can use it.
Value NestBuilder::extentOf(Attribute index) {
  Value &known = extents[index];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nest);
    known = computeExtent(index);
  }
  return known;
}

Value NestBuilder::computeExtent(Attribute index) {
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    IndexNames stored = storageOrder(type, op.getAccess(n));
    for (auto [level, at] : llvm::enumerate(stored)) {
      if (at != index)
        continue;
      Value number = arith::ConstantIndexOp::create(b, level);
      NameScope name(b, "N_" + cast<StringAttr>(index).getValue());
      if (sparse_tensor::getSparseTensorEncoding(type))
        return sparse_tensor::LvlOp::create(b, input, number);
      return tensor::DimOp::create(b, input, number);
    }
  }
  llvm_unreachable("every index is an operand's");
}

/// The extent of a loop; null if the loop can take it from its first fiber.
Value NestBuilder::extentOfLoop(unsigned m) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(nest);
  SmallVector<Attribute> names = namesOfLoop(m);
  if (names.empty())
    return arith::ConstantIndexOp::create(b, 1);
  bool hasFibers = llvm::any_of(instances, [&](const Instance &instance) {
    return llvm::is_contained(instance.loops, m);
  });
  if (names.size() == 1 && hasFibers)
    return {};
  Value extent;
  for (Attribute name : names)
    extent = extent ? Value(arith::MaxUIOp::create(b, extent, extentOf(name)))
                    : extentOf(name);
  return extent;
}

/// Whether loop `m` only runs where an instance's first levels are present.
bool NestBuilder::isKnown(unsigned instance, unsigned m, unsigned numLevels) {
  if (numLevels == 0)
    return true;
  unsigned iterated = instances[instance].loops[numLevels - 1];
  for (unsigned outer = iterated; outer < m; ++outer) {
    Loop &loop = loops[outer];
    auto leaf = loop.leaves.find(instance);
    if (leaf != loop.leaves.end() &&
        holdsOnlyWith(loop.op.getMerge(), leaf->second))
      return true;
  }
  auto type = cast<RankedTensorType>(
      op.getInputs()[instances[instance].input].getType());
  return isFullLevel(type, numLevels - 1) &&
         isKnown(instance, iterated, numLevels - 1);
}

/// The merge of loop `m` for a pattern. Instances that the loop steps through
/// are leaves; those not begun, or known to be present, are `always`. The
/// others are present or absent throughout: they become leaves with guards.
MergeAttr NestBuilder::mergeOf(MergeAttr pattern, unsigned m, Loop &loop,
                               SmallVectorImpl<Value> &guards) {
  MLIRContext *context = op.getContext();
  if (pattern.isLeaf()) {
    unsigned number = pattern.getOperand();
    const Instance &instance = instances[number];
    unsigned begun = instance.numBegun(m);
    if (llvm::is_contained(instance.loops, m))
      return MergeAttr::get(context, loop.leaves.at(number));
    if (isKnown(number, m, begun))
      return intersectMerges(context, {});
    unsigned numFibers = llvm::count_if(instances, [&](const Instance &other) {
      return llvm::is_contained(other.loops, m);
    });
    auto [leaf, isNew] =
        loop.leaves.try_emplace(number, numFibers + guards.size());
    if (isNew)
      guards.push_back(fibers[number]);
    return MergeAttr::get(context, leaf->second);
  }
  SmallVector<MergeAttr> args;
  for (MergeAttr child : pattern.children())
    args.push_back(mergeOf(child, m, loop, guards));
  return pattern.getKind() == MergeKind::unite ? uniteMerges(context, args)
                                               : intersectMerges(context, args);
}

MergeAttr NestBuilder::mergeOf(unsigned m, Loop &loop,
                               SmallVectorImpl<Value> &guards) {
  SmallVector<MergeAttr> merges;
  for (const auto &[place, group] : groups)
    if (place.first >= static_cast<int>(m))
      merges.push_back(mergeOf(group.pattern, m, loop, guards));
  return uniteMerges(op.getContext(), merges);
}

void NestBuilder::buildLoops(unsigned m) {
  if (m == numLoops)
    return;
  Loop loop;
  SmallVector<unsigned> taking;
  SmallVector<Value> stepping, guards;
  for (auto [n, instance] : llvm::enumerate(instances)) {
    if (!llvm::is_contained(instance.loops, m))
      continue;
    loop.leaves[n] = taking.size();
    taking.push_back(n);
    stepping.push_back(fibers[n]);
  }
  MergeAttr merge = mergeOf(m, loop, guards);
  loop.op = CoiterateOp::create(b, stepping, guards, extentOfLoop(m), merge);
  Value coordinate = loop.op.getCoordinate();
  SmallVector<Attribute> names = namesOfLoop(m);
  if (!names.empty())
    setName(coordinate,
            cast<StringAttr>(repeatedIndex(names.front())).getValue());
  for (Attribute name : names)
    if (m < order.result.size() || llvm::is_contained(order.scattered, name))
      coordinates[name] = coordinate;
  for (auto [n, child] : llvm::zip(taking, loop.op.getChildren()))
    fibers[n] = child;
  loops.push_back(loop);

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.op.getBodyBlock());
  buildLoops(m + 1);
  buildGroups(m);
  YieldOp::create(b);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The name that the user gave an operand, or else a letter.
std::string NestBuilder::inputName(unsigned n) {
  std::string name = getName(op.getInputs()[n]);
  if (!name.empty())
    return name;
  return n < 26 ? std::string(1, 'A' + n) : "T" + std::to_string(n);
}

void NestBuilder::buildGroups(int depth) {
  SmallVector<const Group *> here;
  for (const auto &[place, group] : groups)
    if (place.first == depth)
      here.push_back(&group);
  for (const Group *group : here) {
    elements.clear();
    // A group alone in the innermost loop: the merge is already its pattern.
    Condition condition = kAlways;
    if (here.size() > 1 || depth + 1 != static_cast<int>(numLoops))
      condition = buildCondition(group->pattern);
    loadElements(*group);
    buildInnerLoops(*group, 0, condition);
  }
}

/// Builds the condition that a pattern holds.
Condition NestBuilder::buildCondition(MergeAttr pattern) {
  SmallVector<Condition> present(fibers.size(), kAlways);
  std::function<void(MergeAttr)> collect = [&](MergeAttr merge) {
    if (merge.isLeaf()) {
      unsigned operand = merge.getOperand();
      if (present[operand].isAlways())
        present[operand] = PresentOp::create(b, b.getI1Type(), fibers[operand]);
      return;
    }
    for (MergeAttr child : merge.children())
      collect(child);
  };
  collect(pattern);
  return emitMerge(b, pattern, present);
}

void NestBuilder::loadElements(const Group &group) {
  for (unsigned term : group.terms) {
    for (unsigned input : terms.terms[term].inputs) {
      if (!isSparse(input) || elements.contains(instanceOf(term, input)))
        continue;
      NameScope name(b, StringRef(inputName(input)).lower());
      unsigned instance = instanceOf(term, input);
      elements[instance] = LoadOp::create(b, fibers[instance]);
    }
  }
}

/// for k to N_k: ... append the entry
void NestBuilder::buildInnerLoops(const Group &group, unsigned n,
                                  Condition condition) {
  if (n == order.inner.size())
    return buildEntry(group, condition);
  Attribute index = order.inner[n];
  MergeAttr always = intersectMerges(op.getContext(), {});
  auto loop = CoiterateOp::create(b, ValueRange(), ValueRange(),
                                  extentOf(index), always);
  setName(loop.getCoordinate(), cast<StringAttr>(index).getValue());
  coordinates[index] = loop.getCoordinate();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBodyBlock());
  buildInnerLoops(group, n + 1, condition);
  YieldOp::create(b);
}

void NestBuilder::buildEntry(const Group &group, Condition condition) {
  Value sum;
  for (unsigned number : group.terms) {
    Value value = buildTerm(group, number);
    bool isNegated = terms.terms[number].isNegated;
    if (sum)
      sum = BinaryOp::create(b, isNegated ? BinaryKind::sub : BinaryKind::add,
                             sum, value);
    else if (isNegated)
      sum = UnaryOp::create(b, UnaryKind::neg, value);
    else
      sum = value;
  }
  SmallVector<Value> at;
  for (Attribute index :
       storageOrder(op.getType(), op.getResultAccess().getValue()))
    at.push_back(op.isPart(index) ? Value(PartOp::create(b, b.getIndexType()))
                                  : coordinates.at(index));
  condition = emitBoth(b, condition, insideGroup(group));
  Value holds = toOperand(emitBoth(b, condition, onDiagonals()));
  AppendOp::create(b, sum, b.getI64IntegerAttr(group.number), at, holds);
}

/// Clones the ops that compute a term. A result that may be nonzero outside its
/// pattern is restricted to it, unless the group's pattern implies it.
Value NestBuilder::buildTerm(const Group &group, unsigned number) {
  const Term &term = terms.terms[number];
  IRMapping mapping;
  for (unsigned input : term.inputs)
    mapping.map(op.getBodyBlock()->getArgument(input),
                bindInput(number, input));
  for (Operation *nested : sliceOf(term.value)) {
    Operation *copy = b.clone(*nested, mapping);
    for (auto [value, result] :
         llvm::zip(nested->getResults(), copy->getResults())) {
      if (!algebra.mayLeak(value))
        continue;
      MergeAttr pattern = toInstances(algebra.get(value).pattern, number);
      if (!implies(group.pattern, pattern))
        mapping.map(value, emitPattern(pattern, number, result));
    }
  }
  Value value = mapping.lookupOrDefault(term.value);
  Type element = value.getType();
  // A loop that several terms share may go beyond the extents of this one.
  Condition inside = insideTerm(term);
  if (inside.isAlways())
    return value;
  Value zero = CastOp::create(
      b, element, arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  return emitSelect(b, inside, value, zero);
}

Value NestBuilder::emitPattern(MergeAttr pattern, unsigned term, Value value) {
  SmallVector<Value> named;
  MergeAttr merge = mapLeaves(pattern, [&](unsigned instance) {
    Value fiber = fibers[instance];
    auto known = llvm::find(named, fiber);
    unsigned number = known - named.begin();
    if (known == named.end())
      named.push_back(fiber);
    return number;
  });
  return RestrictOp::create(b, value.getType(), value, named, merge);
}

/// The element of an input in the loops of a term.
Value NestBuilder::bindInput(unsigned number, unsigned input) {
  if (isSparse(input))
    return elements.at(instanceOf(number, input));
  NameScope name(b, StringRef(inputName(input)).lower());
  const Term &term = terms.terms[number];
  Value tensor = op.getInputs()[input];
  SmallVector<Value> at;
  for (Attribute index : op.getAccess(input)) {
    auto known = llvm::find(term.reduced, index);
    at.push_back(known == term.reduced.end()
                     ? coordinates.at(index)
                     : loops[loopOf(term, index)].op.getCoordinate());
  }
  if (at.empty())
    return tensor::ExtractOp::create(b, tensor, ValueRange());
  return LocateOp::create(b, tensor, at, toOperand(insideTerm(term)));
}

/// Whether a term only has entries where its own operands drive loop `m`.
bool NestBuilder::isDriven(unsigned number, unsigned m) {
  if (namesOfLoop(m).size() < 2)
    return true;
  MergeAttr pattern = patternOf(number);
  return llvm::any_of(terms.terms[number].inputs, [&](unsigned input) {
    if (!isSparse(input))
      return false;
    unsigned instance = instanceOf(number, input);
    return llvm::is_contained(instances[instance].loops, m) &&
           holdsOnlyWith(pattern, instance);
  });
}

/// Builds the condition that some term of a group has an entry inside of its
/// own extents; always, if the pattern of the group implies this.
Condition NestBuilder::insideGroup(const Group &group) {
  auto isDrivenAll = [&](unsigned number) {
    const Term &term = terms.terms[number];
    return llvm::all_of(term.reduced, [&](Attribute index) {
      return isDriven(number, loopOf(term, index));
    });
  };
  if (llvm::all_of(group.terms, isDrivenAll))
    return kAlways;
  std::optional<Condition> inside;
  for (unsigned number : group.terms) {
    Condition here = buildCondition(patternOf(number));
    if (!isDrivenAll(number))
      here = emitBoth(b, here, insideTerm(terms.terms[number]));
    inside = inside ? emitEither(b, *inside, here) : here;
  }
  return *inside;
}

/// The condition that all loops over the same index are at the same coordinate;
/// always, if every index has only one loop.
Condition NestBuilder::onDiagonals() {
  Condition all = kAlways;
  for (Attribute name : order.result) {
    Attribute index = repeatedIndex(name);
    if (index == name)
      continue;
    Value same =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, coordinates.at(name),
                              coordinates.at(index));
    all = emitBoth(b, all, same);
  }
  return all;
}

/// Builds the condition that, in loops that a term shares with others, the
/// coordinates lie inside of the term's extents; always, if it shares no loop.
Condition NestBuilder::insideTerm(const Term &term) {
  Condition inside = kAlways;
  for (Attribute index : term.reduced) {
    unsigned m = loopOf(term, index);
    if (namesOfLoop(m).size() < 2)
      continue;
    Value below =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              loops[m].op.getCoordinate(), extentOf(index));
    inside = emitBoth(b, inside, below);
  }
  return inside;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// assign (...) init(%Z) -> [i] { yield %v }
///   -> assign (..., %z = %Z[i]) -> [i] { yield %z + %v }
static AssignOp absorbInit(AssignOp op, IRRewriter &rewriter) {
  if (!op.getInit())
    return op;
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(op.getInit());
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses.push_back(op.getResultAccess());
  auto full =
      AssignOp::create(rewriter, op.getLoc(), op.getType(), inputs, Value(),
                       rewriter.getArrayAttr(accesses), op.getResultAccess(),
                       op.getOrderAttr(), op.getCollect());
  full.getBody().takeBody(op.getBody());
  Block *body = full.getBodyBlock();
  Value start = body->addArgument(op.getType().getElementType(), op.getLoc());
  Operation *yield = body->getTerminator();
  OpBuilder builder(yield);
  yield->setOperand(0,
                    BinaryOp::create(builder, yield->getLoc(), BinaryKind::add,
                                     start, yield->getOperand(0)));
  rewriter.replaceOp(op, full);
  return full;
}

namespace {
struct Concretize : nacho::impl::NachoConcretizeBase<Concretize> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult result = getOperation().walk([&](AssignOp op) {
      rewriter.setInsertionPoint(op);
      AssignOp assign = absorbInit(op, rewriter);
      if (failed(NestBuilder(assign, rewriter).build()))
        return WalkResult::interrupt();
      assign.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
