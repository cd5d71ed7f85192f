//===- LoopMerges.cpp - Loops that step through their operands ------------===//

#include "LoopLowering.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

SmallVector<Value> LoopLowering::State::flatten() const {
  SmallVector<Value> values = positions;
  llvm::append_range(values, coordinates);
  llvm::append_range(values, carried);
  return values;
}

LoopLowering::State LoopLowering::State::unflatten(const Loop &loop,
                                                   ValueRange values) {
  size_t stored = loop.stored.size();
  return {SmallVector<Value>(values.take_front(stored)),
          SmallVector<Value>(values.slice(stored, stored)),
          SmallVector<Value>(values.drop_front(2 * stored))};
}

static SmallVector<Value> beginsOf(ArrayRef<unsigned> stored,
                                   ArrayRef<ChildRange> ranges) {
  return llvm::map_to_vector(
      stored, [&](unsigned n) -> Value { return ranges[n].begin; });
}

LoopLowering::State LoopLowering::stateAt(Loop &loop, ValueRange positions,
                                          ValueRange carried) {
  State state;
  for (auto [n, position] : llvm::zip(loop.stored, positions)) {
    state.positions.push_back(position);
    state.coordinates.push_back(
        coordinateOrInfinity(b, loop.ranges[n], position));
  }
  state.carried = SmallVector<Value>(carried);
  return state;
}

LoopLowering::State LoopLowering::firstState(Loop &loop) {
  return stateAt(loop, beginsOf(loop.stored, loop.ranges), loop.op.getInits());
}

/// Creates an scf.for with an empty body and moves the builder into the body.
scf::ForOp LoopLowering::startFor(Value from, Value to, ValueRange inits) {
  auto loop = scf::ForOp::create(b, from, to, Number(b, 1), inits);
  // For a loop without carried values, `create` has already added a yield.
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  b.setInsertionPointToEnd(loop.getBody());
  return loop;
}

/// The carried values that each step adds the same number to, and does nothing
/// else with.
SmallVector<LoopLowering::Counter> LoopLowering::countersOf(CoiterateOp op) {
  SmallVector<Counter> counters;
  Operation *yield = op.getBodyBlock()->getTerminator();
  for (auto [n, value] : llvm::enumerate(op.getCarried())) {
    auto next = yield->getOperand(n).getDefiningOp<arith::AddIOp>();
    if (!next || !value.hasOneUse() || !next->hasOneUse() ||
        !llvm::is_contained(next->getOperands(), value))
      continue;
    Value term = next.getLhs() == value ? next.getRhs() : next.getLhs();
    if (term.getParentRegion()->isProperAncestor(&op.getBody()))
      counters.push_back({unsigned(n), next, term});
  }
  return counters;
}

/// Ends a loop whose steps carry on `next`. Returns what it carries out. What
/// its counters are by then follows from the number of steps, unless they count
/// under a condition.
SmallVector<Value> LoopLowering::finishFor(scf::ForOp loop,
                                           ArrayRef<Counter> counters,
                                           unsigned firstCarried,
                                           SmallVector<Value> next) {
  SmallVector<Value> results(loop.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(loop);
  for (const Counter &counter : counters) {
    if (counter.next->getBlock() != loop.getBody())
      continue;
    unsigned n = firstCarried + counter.number;
    next[n] = loop.getRegionIterArg(n);
    Number length = Number(b, loop.getUpperBound()) - loop.getLowerBound();
    Number steps = maxSigned(length, 0).asSigned(counter.term.getType());
    Value growth = Number(b, counter.term) * steps;
    results[n] = Number(b, loop.getInitArgs()[n]) + growth;
  }
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, next);
  return results;
}

///   for position = begin to end: body(crd[position])
SmallVector<Value> LoopLowering::emitOne(Loop &loop) {
  unsigned n = loop.stored.front();
  return emitRest(loop, n, loop.ranges[n].begin,
                  Conditions(loop.fibers.size(), kAlways), loop.op.getInits());
}

/// for position = from to end of operand n: body(crd[position])
///
/// `present` says for each operand whether it has these coordinates.
SmallVector<Value> LoopLowering::emitRest(Loop &loop, unsigned n, Value from,
                                          const Conditions &present,
                                          ValueRange carried) {
  const ChildRange &range = loop.ranges[n];
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Counter> counters = countersOf(loop.op);
  scf::ForOp forOp = startFor(from, range.end, carried);
  Value position = forOp.getInductionVar();
  Value coordinate = range.level->coordinate(b, position);
  unsigned numFibers = loop.fibers.size();
  SmallVector<Value> positions(numFibers);
  for (unsigned k : loop.stored)
    positions[k] = k == n ? position : Number(b, 0);
  SmallVector<Value> next =
      emitBody(loop, coordinate, present, positions, Ends(numFibers),
               forOp.getRegionIterArgs(), /*visitsAll=*/false);
  return finishFor(forOp, counters, /*firstCarried=*/0, next);
}

Value LoopLowering::emitLeast(const State &state) {
  Value least = state.coordinates.front();
  for (Value coordinate : llvm::drop_begin(state.coordinates))
    least = min(Number(b, least), coordinate);
  return least;
}

/// Whether the steps of a loop are short, because its body has no other loop.
static bool isInnermost(CoiterateOp loop) {
  return llvm::none_of(
      loop.getBody().getOps(),
      llvm::IsaPred<CoiterateOp, CountOp, AccumulateOp, EachLaneOp>);
}

/// Emits two loops for an innermost one: one that runs until the first operand
/// is exhausted, without checks for that, and one for the rest of the others.
/// The rest of a single operand need not be merged at all.
SmallVector<Value> LoopLowering::emitMerge(Loop &loop, MergeAttr domain) {
  bool isUnique = llvm::all_of(loop.stored, [&](unsigned n) {
    return loop.ranges[n].level->isUnique();
  });
  if (!isInnermost(loop.op) || !isUnique)
    return emitWhileAny(loop, domain, beginsOf(loop.stored, loop.ranges),
                        loop.op.getInits());
  bool endsWithAny = llvm::all_of(
      loop.stored, [&](unsigned n) { return holdsOnlyWith(domain, n); });
  if (endsWithAny)
    return emitInWindows(loop, &LoopLowering::emitWhileAll);
  if (lowering.options.together)
    return emitWhileAny(loop, domain, beginsOf(loop.stored, loop.ranges),
                        loop.op.getInits());
  SmallVector<Value> results;
  bool isBranching = branchesInside(loop);
  withCopy(loop, [&] {
    results = emitInWindows(loop, isBranching ? &LoopLowering::emitWhileAll
                                              : &LoopLowering::emitWhileAhead);
  });
  if (leavesOne(loop))
    return emitRests(loop, results, /*hasPairs=*/!isBranching);
  size_t stored = loop.stored.size();
  return emitWhileAny(loop, domain, ArrayRef(results).take_front(stored),
                      ArrayRef(results).drop_front(stored));
}

/// Calls `emit` for a copy of a loop. `emit` moves the body out of the copy;
/// the loop itself keeps its body for the next call.
void LoopLowering::withCopy(Loop &loop, llvm::function_ref<void()> emit) {
  CoiterateOp original = loop.op;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(original);
    loop.op = cast<CoiterateOp>(b.clone(*original));
  }
  emit();
  lowering.eraseLater(loop.op);
  loop.op = original;
}

/// Creates `while every operand has coordinates left` with an empty body, and
/// moves the builder there. The loop carries the operands' positions and the
/// values that the coiteration carries.
scf::WhileOp LoopLowering::startWhileAll(Loop &loop) {
  SmallVector<Value> inits = beginsOf(loop.stored, loop.ranges), ends;
  llvm::append_range(inits, loop.op.getInits());
  for (unsigned n : loop.stored)
    ends.push_back(loop.ranges[n].end);
  return startWhileAll(inits, ends);
}

/// The same, where the first carried values are positions with these ends.
scf::WhileOp LoopLowering::startWhileAll(ValueRange inits, ValueRange ends) {
  SmallVector<Type> types(inits.getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  Condition alive = kAlways;
  for (auto [position, end] : llvm::zip(before->getArguments(), ends))
    alive = emitBoth(b, alive, Number(b, position) < end);
  scf::ConditionOp::create(b, emitFlag(b, alive), before->getArguments());
  b.createBlock(&whileOp.getAfter(), {}, types, locs);
  return whileOp;
}

/// while every operand has coordinates left:
///   coordinate = the least of them; body(coordinate)
///   the operands that have this coordinate move on
SmallVector<Value> LoopLowering::emitWhileAll(Loop &loop) {
  OpBuilder::InsertionGuard guard(b);
  scf::WhileOp whileOp = startWhileAll(loop);
  finishWhileAll(loop, whileOp);
  return SmallVector<Value>(whileOp.getResults());
}

/// Emits the step of a loop that `startWhileAll` has created.
void LoopLowering::finishWhileAll(Loop &loop, scf::WhileOp whileOp) {
  ValueRange state = whileOp.getAfterArguments();
  size_t stored = loop.stored.size();
  auto emitStep = branchesInside(loop) ? &LoopLowering::emitBranches
                                       : &LoopLowering::emitPlainStep;
  loop.isAlive = true;
  State next = (this->*emitStep)(loop, state.take_front(stored),
                                 state.drop_front(stored));
  loop.isAlive = false;
  SmallVector<Value> yielded = next.positions;
  llvm::append_range(yielded, next.carried);
  scf::YieldOp::create(b, yielded);
}

/// Emits the loop of `emitWhileAll` so that each step loads the next
/// coordinates before it knows whether they are needed. The loop thus ends one
/// position early: after the last element of a buffer there is nothing to load.
SmallVector<Value> LoopLowering::emitWhileAhead(Loop &loop) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> ends;
  for (unsigned n : loop.stored) {
    Value last = loop.ranges[n].level->last(b);
    ends.push_back(min(Number(b, loop.ranges[n].end), last));
  }
  scf::WhileOp whileOp = startWhileAll(firstState(loop).flatten(), ends);
  State state = State::unflatten(loop, whileOp.getAfterArguments());
  loop.isAlive = true;
  State next = emitStep(loop, emitLeast(state), state, /*visitsAll=*/false);
  loop.isAlive = false;
  scf::YieldOp::create(b, next.flatten());
  state = State::unflatten(loop, whileOp.getResults());
  SmallVector<Value> results = state.positions;
  llvm::append_range(results, state.carried);
  return results;
}

/// A step in which no operand is exhausted.
LoopLowering::State LoopLowering::emitPlainStep(Loop &loop,
                                                ValueRange positions,
                                                ValueRange carried) {
  State state;
  for (auto [n, position] : llvm::zip(loop.stored, positions))
    state.coordinates.push_back(loop.ranges[n].level->coordinate(b, position));
  Value least = emitLeast(state);
  unsigned numFibers = loop.fibers.size();
  Conditions present(numFibers, kAlways);
  SmallVector<Value> at(numFibers);
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Number isHere = Number(b, state.coordinates[k]) == least;
    present[n] = isHere;
    at[n] = positions[k];
    Value step = isHere.asIndex();
    state.positions.push_back(Number(b, positions[k]) + step);
  }
  state.carried = emitBody(loop, least, present, at, Ends(numFibers), carried,
                           /*visitsAll=*/false);
  return state;
}

/// while the merge expression can still hold:
///   coordinate = the least that any operand has; body(coordinate)
SmallVector<Value> LoopLowering::emitWhileAny(Loop &loop, MergeAttr domain,
                                              ValueRange positions,
                                              ValueRange carried) {
  SmallVector<Value> inits = stateAt(loop, positions, carried).flatten();
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  State state = State::unflatten(loop, before->getArguments());
  Number infinity(b, kInfinity);
  Value any;
  if (holdsAtAny(domain, loop.fibers.size())) {
    any = Number(b, emitLeast(state)) != infinity;
  } else {
    Conditions alive(loop.ranges.size(), kAlways);
    for (auto [n, coordinate] : llvm::zip(loop.stored, state.coordinates))
      alive[n] = Number(b, coordinate) != infinity;
    any = emitFlag(b, nacho::emitMerge(b, domain, alive));
  }
  scf::ConditionOp::create(b, any, before->getArguments());

  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  state = State::unflatten(loop, after->getArguments());
  Value least = emitLeast(state);
  State next = emitStep(loop, least, state, /*visitsAll=*/false);
  scf::YieldOp::create(b, next.flatten());
  return SmallVector<Value>(whileOp.getResults());
}

/// An operand is present if its current coordinate is `coordinate`. Its next
/// coordinate is loaded before that is known, so that the next step does not
/// have to wait for the comparison and then for the load.
LoopLowering::State LoopLowering::emitStep(Loop &loop, Value coordinate,
                                           const State &state, bool visitsAll) {
  unsigned numFibers = loop.fibers.size();
  Conditions present(numFibers, kAlways);
  SmallVector<Value> positions(numFibers);
  Ends ends(numFibers);
  State next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Number position(b, state.positions[k]);
    Number isHere = Number(b, state.coordinates[k]) == coordinate;
    present[n] = isHere;
    positions[n] = position;
    if (!loop.ranges[n].level->isUnique()) {
      Value end = stepThroughRun(loop, n, coordinate, position, isHere);
      // The array is read again, and may have changed: but the loop goes on.
      if (!visitsAll) {
        Value step = isHere.asIndex();
        end = max(Number(b, end), position + step);
      }
      ends[n] = end;
      next.positions.push_back(end);
      next.coordinates.push_back(coordinateOrInfinity(b, loop.ranges[n], end));
      continue;
    }
    Value step = isHere.asIndex();
    next.positions.push_back(position + step);
    Value following = position + 1;
    Value coordinateThere =
        loop.isAlive ? loop.ranges[n].level->coordinate(b, following)
                     : coordinateOrInfinity(b, loop.ranges[n], following);
    next.coordinates.push_back(
        select(isHere, coordinateThere, state.coordinates[k]));
  }
  next.carried = emitBody(loop, coordinate, present, positions, ends,
                          state.carried, visitsAll);
  return next;
}
