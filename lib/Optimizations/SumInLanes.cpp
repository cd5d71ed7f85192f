//===- SumInLanes.cpp - Sums of a loop in the lanes of a vector -----------===//
//
// Consumes and leaves loops of scf. A loop that only adds terms to sums, in any
// order, takes eight steps at once: every lane of a vector has a sum of its
// own. The steps that are left, fewer than eight, are taken one by one. A loop
// that looks no elements up at coordinates takes 32 steps at once first; where
// no steps are left then, a branch can load 16 bytes at once for each lane.
//
// The number of lanes and the order in which they are added up are the same on
// every machine, and so are the sums: no sum is left whose order is free.
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "NarrowLanes.h"
#include "nacho/IR/Arith.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSUMINLANES
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static constexpr int64_t kManyLanes = 32;

namespace {

/// Replaces a loop by one that takes as many steps at once as there are lanes.
class LaneLoop {
public:
  LaneLoop(scf::ForOp loop, LoopBody &body, int64_t numLanes, bool gathers)
      : loop(loop), body(body), numLanes(numLanes), gathers(gathers),
        b(loop.getLoc(), loop) {}

  /// Returns the loop that takes the steps which are left.
  scf::ForOp replace();
  /// Takes all steps where they fill the lanes, and neighbours can be loaded
  /// at once. Returns the loop that takes the steps elsewhere.
  scf::ForOp takeWide();

private:
  VectorType lanesOf(Type type) const {
    return VectorType::get(numLanes, type);
  }
  Value zeros(Type type) {
    VectorType lanes = lanesOf(type);
    return Number(b, 0, lanes);
  }
  Value vectorOf(Value value);
  Value firstOf(Value step);
  Value load(memref::LoadOp op);
  Value loadEach(memref::LoadOp op);
  Value inLane(Value value, IRMapping &single);
  Operation *createLike(Operation *op, ValueRange operands, TypeRange types) {
    return nacho::createLike(b, op, operands, types);
  }
  void copy(Operation &op);
  SmallVector<Value> startLanes();
  scf::ForOp buildLoop(Value upper);
  SmallVector<Value> takeLanes(Value upper);
  scf::ForOp takeSteps(ValueRange reached);
  Value joinLanes(Value flags);
  Value count(Value initial, Value step, Value number);
  Value before(Value value);
  Value areConditionsMet(Value condition);

  scf::ForOp loop;
  LoopBody &body;
  int64_t numLanes;
  bool gathers;
  ImplicitLocOpBuilder b;
  IRMapping lanes; ///< The values of all lanes, where they differ.
  IRMapping same;  ///< The value of each lane, where they do not.
  IRMapping known; ///< The values that are computed before the loop.
  Value at;        ///< The step of the first lane.
};

} // namespace

Value LaneLoop::vectorOf(Value value) {
  if (Value known = lanes.lookupOrNull(value))
    return known;
  if (value != loop.getInductionVar())
    return vector::BroadcastOp::create(b, lanesOf(value.getType()),
                                       same.lookupOrDefault(value));
  Value first = vector::BroadcastOp::create(b, lanesOf(value.getType()), at);
  Value steps = vector::StepOp::create(b, lanesOf(value.getType()));
  return Number(b, first) + steps;
}

/// The value of the first lane, given a value that grows by 1 in each step.
Value LaneLoop::firstOf(Value step) {
  if (step == loop.getInductionVar())
    return at;
  if (auto select = step.getDefiningOp<arith::SelectOp>())
    return firstOf(select.getTrueValue());
  auto sum = step.getDefiningOp<arith::AddIOp>();
  bool isLeft = body.differs(sum.getLhs());
  Value inner = firstOf(isLeft ? sum.getLhs() : sum.getRhs());
  Value offset = same.lookupOrDefault(isLeft ? sum.getRhs() : sum.getLhs());
  return Number(b, inner) + offset;
}

Value LaneLoop::load(memref::LoadOp op) {
  VectorType type = lanesOf(op.getType());
  Value index = op.getIndices().front();
  if (body.isStep(index))
    return vector::LoadOp::create(b, type, op.getMemRef(), firstOf(index));
  if (!gathers)
    return loadEach(op);
  Number zero(b, 0);
  VectorType flags = lanesOf(b.getI1Type());
  Value all = arith::ConstantOp::create(b, flags, b.getOneAttr(flags));
  return vector::GatherOp::create(b, type, op.getMemRef(), zero,
                                  vectorOf(index), all, zeros(op.getType()));
}

/// Loads the element of each lane by itself. Its place is computed for it
/// alone, too: to take a number out of a vector takes longer than to load it.
Value LaneLoop::loadEach(memref::LoadOp op) {
  Value all = zeros(op.getType());
  for (int64_t lane = 0; lane < numLanes; ++lane) {
    IRMapping single = same;
    single.map(loop.getInductionVar(), Number(b, at) + lane);
    Value element = inLane(op.getResult(), single);
    all = vector::InsertOp::create(b, element, all, lane);
  }
  return all;
}

/// A value of the loop in a single lane, given the step that the lane takes.
Value LaneLoop::inLane(Value value, IRMapping &single) {
  if (!body.differs(value) || single.contains(value))
    return single.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    inLane(operand, single);
  return b.clone(*op, single)->getResult(0);
}

void LaneLoop::copy(Operation &op) {
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Value place = firstOf(store.getIndices().front());
    vector::StoreOp::create(b, vectorOf(store.getValueToStore()),
                            store.getMemRef(), place);
    return;
  }
  if (llvm::none_of(op.getOperands(),
                    [&](Value operand) { return body.differs(operand); })) {
    b.clone(op, same);
    return;
  }
  if (auto read = dyn_cast<memref::LoadOp>(op))
    return lanes.map(read.getResult(), load(read));
  auto operands = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return vectorOf(operand); });
  auto types = llvm::map_to_vector(
      op.getResultTypes(), [&](Type type) -> Type { return lanesOf(type); });
  lanes.map(op.getResults(), createLike(&op, operands, types)->getResults());
}

/// Whether any lane has a flag.
Value LaneLoop::joinLanes(Value flags) {
  Value joined =
      vector::ReductionOp::create(b, vector::CombiningKind::OR, flags);
  return Number(b, joined) != 0;
}

/// The value of a counter after a number of steps.
Value LaneLoop::count(Value initial, Value step, Value number) {
  if (initial.getType() != number.getType())
    number = Number(b, number).asSigned(initial.getType());
  if (!matchPattern(step, m_One()))
    number = Number(b, step) * number;
  return Number(b, initial) + number;
}

/// The initial values of the lanes. Flags are carried as integers that are as
/// wide as most coordinates: a processor that has no masks keeps the result of
/// a comparison so.
SmallVector<Value> LaneLoop::startLanes() {
  SmallVector<Value> values;
  for (const CarriedValue &one : body.carried)
    if (one.kind == CarriedValue::sum)
      values.push_back(
          zeros(one.isFlag() ? b.getI32Type() : one.term.getType()));
  return values;
}

/// Builds the loop over as many steps at once as there are lanes.
scf::ForOp LaneLoop::buildLoop(Value upper) {
  Number width(b, numLanes);
  auto made =
      scf::ForOp::create(b, loop.getLowerBound(), upper, width, startLanes());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  at = made.getInductionVar();
  for (Operation &op : loop.getBody()->without_terminator())
    if (!body.updates(&op))
      copy(op);
  SmallVector<Value> next;
  for (const CarriedValue &one : body.carried) {
    if (one.kind != CarriedValue::sum)
      continue;
    Value before = made.getRegionIterArg(next.size());
    Value term = vectorOf(one.term);
    if (one.isFlag())
      term = Number(b, term).asSigned(before.getType());
    Operation *after = createLike(one.update, {before, term}, before.getType());
    next.push_back(after->getResult(0));
  }
  if (!next.empty())
    scf::YieldOp::create(b, next);
  // What only told where neighbouring elements lie is not needed by lane.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*made.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return made;
}

/// Takes the steps below a number, which fill all lanes. Returns the sums.
SmallVector<Value> LaneLoop::takeLanes(Value upper) {
  scf::ForOp made = buildLoop(upper);
  SmallVector<Value> values;
  for (auto [one, initial] : llvm::zip(body.carried, loop.getInitArgs())) {
    if (one.kind == CarriedValue::counter)
      continue;
    Value all = made.getResult(values.size());
    Value sum = one.isFlag() ? joinLanes(all) : addHalves(b, one.update, all);
    Operation *after = createLike(one.update, {initial, sum}, sum.getType());
    values.push_back(after->getResult(0));
  }
  return values;
}

/// Takes the other steps one by one, in their order. They are too few for LLVM
/// to make vectors of them.
scf::ForOp LaneLoop::takeSteps(ValueRange reached) {
  auto steps = cast<scf::ForOp>(b.clone(*loop));
  steps.setLowerBound(reached.front());
  ValueRange sums = reached.drop_front();
  for (auto [one, initial] :
       llvm::zip(body.carried, steps.getInitArgsMutable()))
    if (one.kind == CarriedValue::sum) {
      initial.set(sums.front());
      sums = sums.drop_front();
    }
  MLIRContext *context = b.getContext();
  BoolAttr yes = b.getBoolAttr(true);
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, /*disable=*/yes, {},
                                                {}, {}, {}, {}, {});
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/yes, {}, {}, {},
                                          {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {});
  steps->setAttr("loop_annotation", annotation);
  return steps;
}

/// A value that is the same in all steps, before the first one.
Value LaneLoop::before(Value value) {
  Operation *op = value.getDefiningOp();
  if (loop.isDefinedOutsideOfLoop(value) || known.contains(value))
    return known.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    before(operand);
  b.clone(*op, known);
  return known.lookup(value);
}

/// Whether a condition holds, and those of the loop.
Value LaneLoop::areConditionsMet(Value condition) {
  Number met(b, condition);
  for (Value one : body.conditions)
    met = met & before(one);
  return met;
}

/// Moves an op that may be executed anywhere out of loops and branches in which
/// none of its operands is computed.
static void moveOut(Operation *op) {
  for (Operation *outer = op->getParentOp(); !isa<func::FuncOp>(outer);
       outer = outer->getParentOp()) {
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return outer->isAncestor(operand.getParentRegion()->getParentOp());
        }))
      return;
    op->moveBefore(outer);
  }
}

/// if the steps fill all lanes, and the conditions hold, and wide loads can be:
///   take the steps, with loads that say where they are
/// else: take the steps as other loops do
scf::ForOp LaneLoop::takeWide() {
  Operation *previous = loop->getPrevNode();
  Number number = Number(b, loop.getUpperBound()) - loop.getLowerBound();
  Number areSome =
      number.compare(arith::CmpIPredicate::sge, Number(b, numLanes));
  Number areAll = (number & (numLanes - 1)) == 0;
  Value canTake = areSome & areAll & body.canLoadWide(b);
  Block *block = loop->getBlock();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           previous ? ++previous->getIterator() : block->begin(),
           loop->getIterator())))
    moveOut(&op);
  auto ifTaken =
      scf::IfOp::create(b, loop.getResultTypes(), areConditionsMet(canTake),
                        /*withElseRegion=*/true);
  loop->replaceAllUsesWith(ifTaken);
  loop->moveBefore(ifTaken.elseBlock(), ifTaken.elseBlock()->end());
  b.setInsertionPointToEnd(ifTaken.elseBlock());
  scf::YieldOp::create(b, loop.getResults());
  b.setInsertionPointToStart(ifTaken.thenBlock());
  SmallVector<Value> results = takeLanes(loop.getUpperBound());
  for (auto [n, one] : llvm::enumerate(body.carried))
    if (one.kind == CarriedValue::counter)
      results.insert(results.begin() + n,
                     count(loop.getInitArgs()[n], one.term, number));
  scf::YieldOp::create(b, results);
  ifTaken.getThenRegion().walk(
      [](vector::LoadOp load) { load.setAlignment(kWideBytes); });
  return loop;
}

/// if there are steps for all lanes, and the conditions hold: take them
/// take the other steps
scf::ForOp LaneLoop::replace() {
  Value lower = loop.getLowerBound();
  Number number = Number(b, loop.getUpperBound()) - lower;
  Number width(b, numLanes);
  Value fillsLanes =
      areConditionsMet(number.compare(arith::CmpIPredicate::sge, width));
  SmallVector<Value> start = {lower};
  for (auto [one, initial] : llvm::zip(body.carried, loop.getInitArgs()))
    if (one.kind == CarriedValue::sum)
      start.push_back(initial);
  auto ifFilled = scf::IfOp::create(b, ValueRange(start).getTypes(), fillsLanes,
                                    /*withElseRegion=*/true);
  b.setInsertionPointToStart(ifFilled.thenBlock());
  Value taken = number & -numLanes;
  SmallVector<Value> reached = {Number(b, lower) + taken};
  llvm::append_range(reached, takeLanes(reached.front()));
  scf::YieldOp::create(b, reached);
  b.setInsertionPointToStart(ifFilled.elseBlock());
  scf::YieldOp::create(b, start);
  b.setInsertionPoint(loop);
  scf::ForOp steps = takeSteps(ifFilled.getResults());
  Value all = maxSigned(number, 0);
  for (auto [one, initial, result, after] :
       llvm::zip(body.carried, loop.getInitArgs(), loop.getResults(),
                 steps.getResults())) {
    bool counts = one.kind == CarriedValue::counter;
    result.replaceAllUsesWith(counts ? count(initial, one.term, all) : after);
  }
  loop.erase();
  return steps;
}

namespace {
struct SumInLanes : nacho::impl::NachoSumInLanesBase<SumInLanes> {
  using NachoSumInLanesBase::NachoSumInLanesBase;

  /// Returns the loop that takes the steps which are left, if there are lanes.
  scf::ForOp useLanes(scf::ForOp loop, int64_t numLanes) {
    LoopBody body(loop);
    if (!body.canUseLanes() ||
        (numLanes == kManyLanes && (body.looksUp() || body.stores())))
      return loop;
    if (wide && numLanes == kManyLanes)
      loop = LaneLoop(loop, body, numLanes, gathers).takeWide();
    return LaneLoop(loop, body, numLanes, gathers).replace();
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      useLanes(useLanes(loop, kManyLanes), kLanes)->removeAttr(kLooksUp);
    getOperation()->walk(fixOrder);
    if (narrow && failed(narrowLanes(getOperation())))
      signalPassFailure();
  }
};
} // namespace
