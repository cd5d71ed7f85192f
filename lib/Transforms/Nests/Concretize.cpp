//===- Concretize.cpp - Tensor index notation to coiterative loops --------===//
//
// Consumes `nacho.assign`; leaves one `nacho.nest` per statement: a chain of
// loops. Each loop visits the fibers of the sparse operands with its index; the
// innermost loop of every term appends the term's value to the result.
//
//===----------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
      : LoopNest(op), open(*this, {withoutName(op.getLoc()), rewriter}),
        b(open.b) {}

  LogicalResult build();

private:
  Value extentOfLoop(unsigned m);
  bool isKnown(unsigned instance, unsigned m, unsigned numLevels);
  MergeAttr mergeOf(unsigned m, Loop &loop, SmallVectorImpl<Value> &guards);
  MergeAttr mergeOf(MergeAttr pattern, unsigned m, Loop &loop,
                    SmallVectorImpl<Value> &guards);
  void buildLoops(unsigned m);
  void buildGroups(int depth);
  void buildFinish();

  OpenNest open;
  ImplicitLocOpBuilder &b;
  SmallVector<Loop> loops;
};

} // namespace

LogicalResult NestBuilder::build() {
  if (failed(plan()))
    return failure();
  for (const Instance &instance : instances) {
    NameScope name(b, open.inputName(instance.input) + "0");
    open.fibers.push_back(RootOp::create(b, op.getInputs()[instance.input],
                                         b.getI64IntegerAttr(instance.input)));
  }
  MonoidAttr reduction = op.getPartSumsAttr();
  if (terms.isReduced || groups.size() > 1 || order.size() == 0)
    reduction = terms.reduction;
  open.nest =
      NestOp::create(b, op.getType(), Value(), reduction, op.getCollect(),
                     op.getWholeEntries() && reduction);
  open.nest->setLoc(op.getLoc());
  b.createBlock(&open.nest.getBody());
  buildLoops(0);
  buildGroups(-1);
  YieldOp::create(b);
  buildFinish();
  op.replaceAllUsesWith(open.nest.getResult());
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
  Block *block = b.createBlock(&open.nest.getFinish(), {}, types, locs);
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

/// The extent of a loop; null if the loop can take it from its first fiber. For
/// a result without entries, loops over levels that store coordinates have
/// none.
Value NestBuilder::extentOfLoop(unsigned m) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(open.nest);
  if (!hasEntries &&
      (m >= order.result.size() || !isFullLevel(op.getType(), m)))
    return Number(b, 0);
  SmallVector<Attribute> names = namesOfLoop(m);
  if (names.empty())
    return Number(b, 1);
  bool hasFibers = llvm::any_of(instances, [&](const Instance &instance) {
    return llvm::is_contained(instance.loops, m);
  });
  if (names.size() == 1 && hasFibers)
    return {};
  Value extent;
  for (Attribute name : names)
    extent = extent ? max(Number(b, extent), open.extentOf(name))
                    : open.extentOf(name);
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
      guards.push_back(open.fibers[number]);
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
    stepping.push_back(open.fibers[n]);
  }
  MergeAttr merge = mergeOf(m, loop, guards);
  SmallVector<Attribute> names = namesOfLoop(m);
  StringAttr name;
  if (!names.empty())
    name = cast<StringAttr>(repeatedIndex(names.front()));
  loop.op =
      CoiterateOp::create(b, stepping, guards, extentOfLoop(m), merge, name);
  Value coordinate = loop.op.getCoordinate();
  for (Attribute name : names)
    if (m < order.result.size() || llvm::is_contained(order.scattered, name))
      open.coordinates[name] = coordinate;
  for (auto [n, child] : llvm::zip(taking, loop.op.getChildren()))
    open.fibers[n] = child;
  open.loopCoordinates.push_back(coordinate);
  loops.push_back(loop);

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.op.getBodyBlock());
  buildLoops(m + 1);
  buildGroups(m);
  YieldOp::create(b);
}

void NestBuilder::buildGroups(int depth) {
  SmallVector<const Group *> here;
  for (const auto &[place, group] : groups)
    if (place.first == depth)
      here.push_back(&group);
  for (const Group *group : here) {
    // A group alone in the innermost loop: the merge is already its pattern.
    bool isImplied =
        here.size() == 1 && depth + 1 == static_cast<int>(numLoops);
    EntryBuilder(open, *group).build(/*asksForPattern=*/!isImplied);
  }
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
  full.setWholeEntries(op.getWholeEntries());
  full.setWhereAttr(op.getWhereAttr());
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
