//===- SkipSteps.cpp - Loops over the steps that do something -------------===//
//
// Consumes and leaves loops of scf. Whether a step that looks something up
// finds it cannot be foreseen, and a processor that foresees it wrongly loses
// the time of several steps. So the steps that find something are listed first,
// without a branch, and only they run:
//
//   for p: if found(p): use(p)
//
//   if there are few steps: the same loop
//   else, for some steps at a time:
//     count = 0
//     for p: busy[count] = p; count += found(p)
//     for n = 0 to count: p = busy[n]; use(p)
//
// Where elements are gathered fast, vectors of steps look coordinates up
// (GatheredSteps.h), and a step that finds something is a bit of a word.
//
//===----------------------------------------------------------------------===//

#include "AlikeSteps.h"
#include "GatheredSteps.h"
#include "nacho/IR/Arith.h"
#include "nacho/Optimizations/Passes.h"

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSKIPSTEPS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The number of steps that are listed at a time, so that the list stays in the
/// nearest cache.
static constexpr int64_t kListedSteps = 256;
/// Fewer steps are not listed. Where two loops end cannot be foreseen either,
/// and costs more than the few steps that are foreseen wrongly.
static constexpr int64_t kFewSteps = 10;
/// Fewer steps are not looked up by vectors.
static constexpr int64_t kFewForVectors = 8;

/// Whether an operation without regions writes nothing.
static bool onlyReads(Operation &op) {
  return op.getNumRegions() == 0 &&
         (isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op));
}

/// The branch of a block that writes nothing beside it; null if there is none.
static scf::IfOp onlyBranch(Block &block) {
  scf::IfOp found;
  for (Operation &op : block.without_terminator()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch ? bool(found) : !onlyReads(op))
      return {};
    if (branch)
      found = branch;
  }
  return found;
}

namespace {
/// A loop whose steps may do nothing.
class IdleLoop {
public:
  IdleLoop(scf::ForOp loop, bool gathers)
      : loop(loop), b(loop.getLoc(), loop), gathers(gathers) {}

  bool match();
  void replace();

private:
  Value without(unsigned level, Value value);
  bool isIdle(unsigned level);
  bool followsFromStep(Value value);
  bool looksUp(Value value, bool isPlace);
  void atBeginOfPart(llvm::function_ref<void()> emit);
  Value emitIsBusy(Block &block, unsigned level, IRMapping &mapping);
  Value emitList(Value from, Value to, Value busy);
  void moveSteps(Value step, ValueRange carried);
  ValueRange emitPiece(Value from, Value to, ValueRange carried);
  ValueRange emitGathered(Value from, Value to, ValueRange carried);
  ValueRange emitListed();

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  /// Branches, each in the one before it, with nothing beside them that is more
  /// than read. If the last one is not taken, a step does nothing.
  SmallVector<scf::IfOp> branches;
  bool gathers;
  /// The steps as vectors look them up; none if they cannot.
  std::optional<GatheredSteps> gathered;
};
} // namespace

/// What a value is if the branch of a level is not taken, but those around it
/// are.
Value IdleLoop::without(unsigned level, Value value) {
  for (unsigned n = 0; n <= level; ++n) {
    scf::IfOp branch = branches[n];
    bool isTaken = n < level;
    auto choice = value.getDefiningOp<arith::SelectOp>();
    if (choice && choice.getCondition() == branch.getCondition()) {
      value = isTaken ? choice.getTrueValue() : choice.getFalseValue();
    } else if (value.getDefiningOp() == branch) {
      scf::YieldOp yield = isTaken ? branch.thenYield() : branch.elseYield();
      value = yield.getOperand(cast<OpResult>(value).getResultNumber());
    }
  }
  return value;
}

bool IdleLoop::isIdle(unsigned level) {
  Block *otherwise = branches[level].elseBlock();
  if (otherwise && &otherwise->front() != otherwise->getTerminator())
    return false;
  return llvm::all_of(
      llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs()),
      [&](auto both) {
        return without(level, std::get<0>(both)) == std::get<1>(both);
      });
}

/// Whether a value of a step does not depend on what the steps before carry on
/// or write.
bool IdleLoop::followsFromStep(Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<memref::LoadOp>(op))
    for (Operation *user : load.getMemRef().getUsers())
      if (loop->isProperAncestor(user) && !onlyReads(*user))
        return false;
  return op && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return followsFromStep(operand); });
}

/// Whether a value is loaded from a place that is loaded, too; or, of a place,
/// whether it is loaded. Both in this loop.
bool IdleLoop::looksUp(Value value, bool isPlace) {
  Operation *op = value.getDefiningOp();
  if (!op || loop.isDefinedOutsideOfLoop(value))
    return false;
  bool isLoad = isa<memref::LoadOp>(op);
  if (isLoad && isPlace)
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return looksUp(operand, isPlace || isLoad);
  });
}

bool IdleLoop::match() {
  if (loop.getUnsignedCmp() ||
      loop.getBody()
          ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return false;
  Block *block = loop.getBody();
  while (scf::IfOp branch = onlyBranch(*block)) {
    if (!followsFromStep(branch.getCondition()))
      return false;
    branches.push_back(branch);
    if (isIdle(branches.size() - 1)) {
      if (gathers && branches.size() == 2)
        gathered.emplace(loop, branches[0], branches[1]);
      if (gathered && !gathered->match())
        gathered.reset();
      return looksUp(branch.getCondition(), /*isPlace=*/false);
    }
    block = branch.thenBlock();
  }
  return false;
}

/// Emits where the part begins. Room for lists is made there, for all loops.
void IdleLoop::atBeginOfPart(llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  Operation *part = loop->getParentOfType<ParallelOp>();
  if (!part)
    part = loop->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&part->getRegion(0).front());
  emit();
}

/// Emits whether a step may do something: copies of what the conditions need.
Value IdleLoop::emitIsBusy(Block &block, unsigned level, IRMapping &mapping) {
  scf::IfOp from = branches[level];
  for (Operation &op : block) {
    if (&op == from)
      break;
    if (llvm::all_of(op.getResults(),
                     [&](Value result) { return followsFromStep(result); }))
      b.clone(op, mapping);
  }
  Value taken = mapping.lookupOrDefault(from.getCondition());
  if (level + 1 == branches.size())
    return taken;
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()}, taken,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, emitIsBusy(*from.thenBlock(), level + 1, mapping));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, Value(Number::flag(b, true)));
  return branch.getResult(0);
}

/// Lists the steps that may do something. Returns their number.
Value IdleLoop::emitList(Value from, Value to, Value busy) {
  auto list = scf::ForOp::create(b, from, to, loop.getStep(), Number(b, 0));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(list.getBody());
  Value step = list.getInductionVar(), count = list.getRegionIterArg(0);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step);
  memref::StoreOp::create(b, step, busy, count);
  Number isBusy(b, emitIsBusy(*loop.getBody(), 0, mapping));
  scf::YieldOp::create(b, Value(Number(b, count) + isBusy.asIndex()));
  return list.getResult(0);
}

/// Moves the body of the loop to the end of a block, for a step that has found
/// something.
void IdleLoop::moveSteps(Value step, ValueRange carried) {
  Value found = Number::flag(b, true);
  branches.back().getConditionMutable().assign(found);
  loop.getInductionVar().replaceAllUsesWith(step);
  for (auto [old, now] : llvm::zip(loop.getRegionIterArgs(), carried))
    old.replaceAllUsesWith(now);
  Block *block = b.getInsertionBlock();
  block->getOperations().splice(block->end(), loop.getBody()->getOperations());
}

/// Builds a loop without a body, and moves the builder into it.
static scf::ForOp startLoop(ImplicitLocOpBuilder &b, Value count,
                            ValueRange carried) {
  auto made = scf::ForOp::create(b, Number(b, 0), count, Number(b, 1), carried);
  made.getBody()->clear();
  b.setInsertionPointToStart(made.getBody());
  return made;
}

/// Lists some steps one by one, and runs those. Returns what they carry.
ValueRange IdleLoop::emitPiece(Value from, Value to, ValueRange carried) {
  Value busy;
  atBeginOfPart([&] {
    busy = memref::AllocaOp::create(
        b, MemRefType::get({kListedSteps}, b.getIndexType()));
  });
  Value count = emitList(from, to, busy);
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp steps = startLoop(b, count, carried);
  Value step = memref::LoadOp::create(b, busy, steps.getInductionVar());
  moveSteps(step, steps.getRegionIterArgs());
  return steps.getResults();
}

/// Does the same with vectors of steps, and a bit for each step.
ValueRange IdleLoop::emitGathered(Value from, Value to, ValueRange carried) {
  Value elements;
  atBeginOfPart([&] { elements = GatheredSteps::allocate(b); });
  auto [found, outside] = gathered->lookUp(b, from, to, elements);
  SmallVector<Value> all = gathered->report(b, carried, outside);
  all.insert(all.begin(), found);
  Value count = math::CtPopOp::create(b, found);
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp steps = startLoop(b, Number(b, count).asIndex(), all);
  Value left = steps.getRegionIterArg(0);
  Value first = math::CountTrailingZerosOp::create(b, left);
  Value number = Number(b, first).asIndex();
  gathered->take(memref::LoadOp::create(b, elements, number));
  Value others = Number(b, left) & (Number(b, left) - 1);
  Value step = Number(b, from) + number;
  moveSteps(step, steps.getRegionIterArgs().drop_front());
  steps.getBody()->getTerminator()->insertOperands(0, others);
  return steps.getResults().drop_front();
}

/// Emits the loops that list steps and run those. Returns what they carry.
ValueRange IdleLoop::emitListed() {
  int64_t steps = gathered ? kStepsOfGroup : kListedSteps;
  Value stride = Number(b, loop.getStep()) * steps;
  auto outer = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                                  stride, loop.getInits());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(outer.getBody());
  Value from = outer.getInductionVar();
  Value to = Number(b, from) + stride;
  to = arith::MinSIOp::create(b, to, loop.getUpperBound());
  ValueRange carried = outer.getRegionIterArgs();
  ValueRange made =
      gathered ? emitGathered(from, to, carried) : emitPiece(from, to, carried);
  if (!made.empty())
    scf::YieldOp::create(b, made);
  return outer.getResults();
}

void IdleLoop::replace() {
  Value few =
      Number(b, loop.getStep()) * (gathered ? kFewForVectors : kFewSteps);
  Number length = Number(b, loop.getUpperBound()) - loop.getLowerBound();
  bool carries = !loop.getInits().empty();
  auto ifFew = scf::IfOp::create(b, loop.getResultTypes(),
                                 length.compare(arith::CmpIPredicate::slt, few),
                                 /*withElse=*/true);
  auto emitInto = [&](Block *block, auto emit) {
    b.setInsertionPointToStart(block);
    ValueRange results = emit();
    if (carries)
      scf::YieldOp::create(b, results);
  };
  emitInto(ifFew.thenBlock(),
           [&] { return ValueRange(b.clone(*loop)->getResults()); });
  emitInto(ifFew.elseBlock(), [&] { return emitListed(); });
  loop->replaceAllUsesWith(ifFew.getResults());
  loop.erase();
}

namespace {
struct SkipSteps : nacho::impl::NachoSkipStepsBase<SkipSteps> {
  using NachoSkipStepsBase::NachoSkipStepsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp op : loops) {
      IdleLoop idle(op, gathers);
      if (idle.match())
        idle.replace();
    }
    if (gathers)
      groupAlikeSteps(getOperation());
  }
};
} // namespace
