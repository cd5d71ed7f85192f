//===- SkipSteps.cpp - Loops over the steps that do nothing ---------------===//
//
// Consumes and leaves loops of scf. An innermost loop of which most steps look
// something up and find nothing gets a loop inside that only runs over such
// steps, and that needs few registers:
//
//   for p: if found(p): use(p)
//
//   while p < end:
//     while p < end and not found(p): ++p
//     if p < end: if found(p): use(p)
//     ++p
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Arith.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  explicit IdleLoop(scf::ForOp loop) : loop(loop) {}

  bool match();
  void replace();

private:
  Value without(unsigned level, Value value);
  bool isIdle(unsigned level);
  Value emitIsBusy(ImplicitLocOpBuilder &b, Block &block, unsigned level,
                   IRMapping &mapping);
  Value emitSkipping(ImplicitLocOpBuilder &b, Value from);

  scf::ForOp loop;
  /// Branches, each in the one before it, with nothing beside them that is more
  /// than read; and whether a step does nothing if one of them is not taken.
  SmallVector<scf::IfOp> branches;
  SmallVector<bool> idle;
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

bool IdleLoop::match() {
  bool hasLoop =
      loop.getBody()
          ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (hasLoop || loop.getUnsignedCmp())
    return false;
  Block *block = loop.getBody();
  while (scf::IfOp branch = onlyBranch(*block)) {
    branches.push_back(branch);
    block = branch.thenBlock();
  }
  for (unsigned level = 0; level < branches.size(); ++level)
    idle.push_back(isIdle(level));
  // What is inside of the last branch without which a step does nothing is
  // work.
  while (!idle.empty() && !idle.back()) {
    idle.pop_back();
    branches.pop_back();
  }
  return !idle.empty();
}

/// Emits whether a step does something: copies of what the conditions need.
Value IdleLoop::emitIsBusy(ImplicitLocOpBuilder &b, Block &block,
                           unsigned level, IRMapping &mapping) {
  scf::IfOp from = branches[level];
  for (Operation &op : block) {
    if (&op == from)
      break;
    b.clone(op, mapping);
  }
  Value taken = mapping.lookupOrDefault(from.getCondition());
  bool isLast = level + 1 == branches.size();
  if (isLast && idle[level])
    return taken;
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()}, taken,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value inside = isLast ? Value(Number::flag(b, true))
                        : emitIsBusy(b, *from.thenBlock(), level + 1, mapping);
  scf::YieldOp::create(b, inside);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, Value(Number::flag(b, !idle[level])));
  return branch.getResult(0);
}

/// Emits a loop from a step to the next one that does something, or to the end.
Value IdleLoop::emitSkipping(ImplicitLocOpBuilder &b, Value from) {
  Type type = from.getType();
  auto skipping = scf::WhileOp::create(b, TypeRange{type}, ValueRange{from});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&skipping.getBefore(), {}, type, b.getLoc());
  Value step = before->getArgument(0);
  Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, step,
                                         loop.getUpperBound());
  auto isIdle = scf::IfOp::create(b, TypeRange{b.getI1Type()}, isInside,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(isIdle.thenBlock());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step);
  Value isBusy = emitIsBusy(b, *loop.getBody(), 0, mapping);
  scf::YieldOp::create(b, Value(!Number(b, isBusy)));
  b.setInsertionPointToStart(isIdle.elseBlock());
  scf::YieldOp::create(b, Value(Number::flag(b, false)));
  b.setInsertionPointToEnd(before);
  scf::ConditionOp::create(b, isIdle.getResult(0), ValueRange{step});
  Block *after = b.createBlock(&skipping.getAfter(), {}, type, b.getLoc());
  Value next = arith::AddIOp::create(b, after->getArgument(0), loop.getStep());
  scf::YieldOp::create(b, next);
  return skipping.getResult(0);
}

void IdleLoop::replace() {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  SmallVector<Value> first = {loop.getLowerBound()};
  llvm::append_range(first, loop.getInits());
  SmallVector<Type> types = llvm::to_vector(ValueRange(first).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto outer = scf::WhileOp::create(b, types, first);
  auto isInside = [&](Value step) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, step,
                                 loop.getUpperBound());
  };
  Block *before = b.createBlock(&outer.getBefore(), {}, types, locs);
  scf::ConditionOp::create(b, isInside(before->getArgument(0)),
                           before->getArguments());

  Block *after = b.createBlock(&outer.getAfter(), {}, types, locs);
  ValueRange carried = after->getArguments().drop_front();
  Value step = emitSkipping(b, after->getArgument(0));
  auto work = scf::IfOp::create(b, carried.getTypes(), isInside(step),
                                /*withElseRegion=*/true);
  SmallVector<Value> made = {arith::AddIOp::create(b, step, loop.getStep())};
  llvm::append_range(made, work.getResults());
  scf::YieldOp::create(b, made);
  b.setInsertionPointToEnd(work.elseBlock());
  if (!carried.empty())
    scf::YieldOp::create(b, carried);

  Block *body = loop.getBody(), *taken = work.thenBlock();
  loop.getInductionVar().replaceAllUsesWith(step);
  for (auto [old, now] : llvm::zip(loop.getRegionIterArgs(), carried))
    old.replaceAllUsesWith(now);
  taken->clear();
  taken->getOperations().splice(taken->end(), body->getOperations());
  loop->replaceAllUsesWith(outer.getResults().drop_front());
  loop.erase();
}

namespace {
struct SkipSteps : nacho::impl::NachoSkipStepsBase<SkipSteps> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp op : loops) {
      IdleLoop loop(op);
      if (loop.match())
        loop.replace();
    }
  }
};
} // namespace
