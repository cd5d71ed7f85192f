//===- SumInLanes.cpp - Sums of a loop in the lanes of a vector -----------===//
//
// Consumes and leaves loops of scf. A loop that looks up elements at
// coordinates, and only adds terms to sums, in any order, takes eight steps at
// once: every lane of a vector has a sum of its own.
//
// The number of lanes and the order in which they are added up at the end are
// the same on every machine, and so are the sums.
//
//===----------------------------------------------------------------------===//

#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSUMINLANES
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static constexpr int64_t kLanes = 8;

namespace {

/// A value that a loop carries from step to step.
struct CarriedValue {
  enum Kind {
    counter, ///< Grows by the same number in each step.
    sum,     ///< Has a term added, or a flag joined by `or`.
  } kind;
  Operation *update; ///< The op that makes the next value of this one.
  Value term;        ///< What is added.
};

/// Which values of a loop's body differ between its steps, and how.
class LoopBody {
public:
  explicit LoopBody(scf::ForOp loop)
      : loop(loop), step(loop.getInductionVar()) {}

  /// Whether the loop can take several steps at once, and adds up terms that
  /// may be reordered.
  bool canUseLanes();

  bool differs(Value value) const { return varying.contains(value); }
  /// Whether a value grows by 1 in each step, as the number of the step does.
  bool isStep(Value value) const;
  bool updates(Operation *op) const {
    return llvm::any_of(
        carried, [&](const CarriedValue &one) { return one.update == op; });
  }

  SmallVector<CarriedValue> carried;

private:
  bool classify(BlockArgument arg, Value next);
  bool canUseLanes(Operation &op);
  bool isLoaded(Value value) const;

  scf::ForOp loop;
  Value step; ///< The number of the step.
  DenseSet<Value> varying;
};

} // namespace

/// Whether a type can be an element of a vector that is loaded by lane. Not
/// every processor can load narrow elements so.
static bool isLaneType(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && (type.getIntOrFloatBitWidth() == 32 ||
                                  type.getIntOrFloatBitWidth() == 64));
}

/// Whether the elements of a buffer lie side by side.
static bool isContiguous(MemRefType type) {
  return type.getRank() == 1 && type.getLayout().isIdentity() &&
         isLaneType(type.getElementType());
}

/// Whether sums that an op makes may be added up in another order.
static bool isReorderable(Operation *op) {
  if (auto add = dyn_cast<arith::AddFOp>(op))
    return arith::bitEnumContainsAll(add.getFastmath(),
                                     arith::FastMathFlags::reassoc);
  return isa<arith::AddIOp, arith::OrIOp>(op);
}

bool LoopBody::classify(BlockArgument arg, Value next) {
  Operation *update = next.getDefiningOp();
  if (!update || update->getBlock() != loop.getBody() || !arg.hasOneUse() ||
      !next.hasOneUse() || !isReorderable(update) ||
      !llvm::is_contained(update->getOperands(), arg))
    return false;
  bool isFirst = update->getOperand(0) == arg;
  Value term = update->getOperand(isFirst ? 1 : 0);
  bool isCounter =
      isa<arith::AddIOp>(update) && loop.isDefinedOutsideOfLoop(term);
  carried.push_back(
      {isCounter ? CarriedValue::counter : CarriedValue::sum, update, term});
  return isCounter || differs(term);
}

bool LoopBody::isStep(Value value) const {
  if (value == step)
    return true;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || !differs(value))
    return false;
  return differs(sum.getLhs()) ? !differs(sum.getRhs()) && isStep(sum.getLhs())
                               : isStep(sum.getRhs());
}

/// Whether a value depends on what the loop reads at the step.
bool LoopBody::isLoaded(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !differs(value))
    return false;
  return isa<memref::LoadOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isLoaded(operand); });
}

/// Whether the terms of all lanes can be computed by ops on vectors. Elements
/// at computed distances are no gain.
bool LoopBody::canUseLanes(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!isContiguous(load.getMemRefType()))
      return false;
    Value index = load.getIndices().front();
    return !differs(index) || isStep(index) || isLoaded(index);
  }
  return OpTrait::hasElementwiseMappableTraits(&op) && isPure(&op) &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           return type.isInteger(1) || isLaneType(type);
         });
}

bool LoopBody::canUseLanes() {
  if (!matchPattern(loop.getStep(), m_One()) || loop.getInitArgs().empty())
    return false;
  Block *body = loop.getBody();
  varying.insert(loop.getInductionVar());
  for (Value arg : loop.getRegionIterArgs())
    varying.insert(arg);
  for (Operation &op : body->without_terminator()) {
    if (!canUseLanes(op))
      return false;
    if (llvm::any_of(op.getOperands(), [&](Value v) { return differs(v); }))
      varying.insert_range(op.getResults());
  }
  Operation *yield = body->getTerminator();
  for (auto [arg, next] :
       llvm::zip(loop.getRegionIterArgs(), yield->getOperands()))
    if (!classify(arg, next))
      return false;
  // LLVM takes several steps of loops that look nothing up, with more sums.
  bool looksUp = llvm::any_of(*body, [&](Operation &op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load && isLoaded(load.getIndices().front());
  });
  return looksUp && llvm::any_of(carried, [](const CarriedValue &one) {
           return isa<arith::AddFOp>(one.update);
         });
}

namespace {

/// Replaces a loop by one that takes as many steps at once as there are lanes.
class LaneLoop {
public:
  LaneLoop(scf::ForOp loop, const LoopBody &body, bool gathers)
      : loop(loop), body(body), gathers(gathers), b(loop.getLoc(), loop) {}

  void replace();

private:
  VectorType lanesOf(Type type) const { return VectorType::get(kLanes, type); }
  Value zeros(Type type) {
    VectorType lanes = lanesOf(type);
    return arith::ConstantOp::create(b, lanes, b.getZeroAttr(lanes));
  }
  Value vectorOf(Value value);
  Value firstOf(Value step);
  Value load(memref::LoadOp op);
  Value loadEach(memref::LoadOp op, Value none);
  Operation *createLike(Operation *op, ValueRange operands, TypeRange types);
  void copy(Operation &op);
  scf::ForOp buildLoop();
  Value addLanes(Operation *update, Value sums);
  Value count(Value initial, Value step);

  scf::ForOp loop;
  const LoopBody &body;
  bool gathers;
  ImplicitLocOpBuilder b;
  IRMapping lanes; ///< The values of all lanes, where they differ.
  IRMapping same;  ///< The value of each lane, where they do not.
  Value at, mask;  ///< The first step, and the lanes that are steps.
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
  return arith::AddIOp::create(b, first, steps);
}

/// The value of the first lane, given a value that grows by 1 in each step.
Value LaneLoop::firstOf(Value step) {
  if (step == loop.getInductionVar())
    return at;
  auto sum = step.getDefiningOp<arith::AddIOp>();
  bool isLeft = body.differs(sum.getLhs());
  Value inner = firstOf(isLeft ? sum.getLhs() : sum.getRhs());
  Value offset = same.lookupOrDefault(isLeft ? sum.getRhs() : sum.getLhs());
  return arith::AddIOp::create(b, inner, offset);
}

/// Lanes that are no steps read nothing, and get 0.
Value LaneLoop::load(memref::LoadOp op) {
  Value none = zeros(op.getType());
  Value index = op.getIndices().front();
  if (body.isStep(index))
    return vector::MaskedLoadOp::create(
        b, lanesOf(op.getType()), op.getMemRef(), firstOf(index), mask, none);
  if (!gathers)
    return loadEach(op, none);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return vector::GatherOp::create(b, lanesOf(op.getType()), op.getMemRef(),
                                  zero, vectorOf(index), mask, none);
}

/// Lanes that are no steps read the first element, which even an empty buffer
/// has (Step.h). Nothing is made of it.
Value LaneLoop::loadEach(memref::LoadOp op, Value none) {
  Value index = vectorOf(op.getIndices().front());
  Value first = zeros(b.getIndexType());
  index = arith::SelectOp::create(b, mask, index, first);
  Value all = none;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    Value place = vector::ExtractOp::create(b, index, lane);
    Value element = memref::LoadOp::create(b, op.getMemRef(), place);
    all = vector::InsertOp::create(b, element, all, lane);
  }
  return all;
}

/// Creates an op like another one, with other operands and types.
Operation *LaneLoop::createLike(Operation *op, ValueRange operands,
                                TypeRange types) {
  OperationState state(b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  return b.create(state);
}

void LaneLoop::copy(Operation &op) {
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

/// Adds up all lanes: each time, the second half to the first.
Value LaneLoop::addLanes(Operation *update, Value sums) {
  Type type = cast<VectorType>(sums.getType()).getElementType();
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(b, sums, {from}, {half},
                                                   {1});
    };
    Type halves = VectorType::get(half, type);
    sums = createLike(update, {part(0), part(half)}, halves)->getResult(0);
  }
  return vector::ExtractOp::create(b, sums, 0);
}

/// What a counter is after all steps of the loop.
Value LaneLoop::count(Value initial, Value step) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value last = arith::MaxSIOp::create(b, lower, upper);
  Value steps = arith::SubIOp::create(b, last, lower);
  if (initial.getType() != steps.getType())
    steps = arith::IndexCastOp::create(b, initial.getType(), steps);
  if (!matchPattern(step, m_One()))
    steps = arith::MulIOp::create(b, step, steps);
  return arith::AddIOp::create(b, initial, steps);
}

/// Builds the loop over as many steps at once as there are lanes.
scf::ForOp LaneLoop::buildLoop() {
  SmallVector<Value> initial;
  for (const CarriedValue &one : body.carried)
    if (one.kind == CarriedValue::sum)
      initial.push_back(zeros(one.term.getType()));
  Value width = arith::ConstantIndexOp::create(b, kLanes);
  auto made = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                                 width, initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  at = made.getInductionVar();
  Value left = arith::SubIOp::create(b, loop.getUpperBound(), at);
  mask = vector::CreateMaskOp::create(b, lanesOf(b.getI1Type()), left);
  for (Operation &op : loop.getBody()->without_terminator())
    if (!body.updates(&op))
      copy(op);
  SmallVector<Value> next;
  for (const CarriedValue &one : body.carried) {
    if (one.kind != CarriedValue::sum)
      continue;
    Value before = made.getRegionIterArg(next.size());
    Operation *after =
        createLike(one.update, {before, vectorOf(one.term)}, before.getType());
    next.push_back(
        arith::SelectOp::create(b, mask, after->getResult(0), before));
  }
  scf::YieldOp::create(b, next);
  // What only told where neighbouring elements lie is not needed by lane.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*made.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return made;
}

void LaneLoop::replace() {
  scf::ForOp made = buildLoop();
  unsigned number = 0;
  for (auto [one, initial, result] :
       llvm::zip(body.carried, loop.getInitArgs(), loop.getResults())) {
    if (one.kind == CarriedValue::counter) {
      result.replaceAllUsesWith(count(initial, one.term));
      continue;
    }
    Value sum = addLanes(one.update, made.getResult(number++));
    Operation *all = createLike(one.update, {initial, sum}, sum.getType());
    result.replaceAllUsesWith(all->getResult(0));
  }
  loop.erase();
}

namespace {
struct SumInLanes : nacho::impl::NachoSumInLanesBase<SumInLanes> {
  using NachoSumInLanesBase::NachoSumInLanesBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      LoopBody body(loop);
      if (body.canUseLanes())
        LaneLoop(loop, body, gathers).replace();
    }
  }
};
} // namespace
