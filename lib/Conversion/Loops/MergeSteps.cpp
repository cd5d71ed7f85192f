//===- MergeSteps.cpp - Steps from coordinate to coordinate ---------------===//

#include "MergeSteps.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

MergeState MergeState::load(const Coiteration &loop, ValueRange state) {
  MergeState loaded;
  size_t stored = loop.stored.size();
  for (auto [n, position] : llvm::zip(loop.stored, state)) {
    loaded.positions.push_back(position);
    loaded.coordinates.push_back(
        coordinateOrInfinity(loop.b, loop.ranges[n], position));
  }
  loaded.carried = Values(state.drop_front(stored));
  return loaded;
}

MergeState MergeState::unflatten(const Coiteration &loop, ValueRange values) {
  size_t stored = loop.stored.size();
  return {Values(values.take_front(stored)),
          Values(values.slice(stored, stored)),
          Values(values.drop_front(2 * stored))};
}

Values MergeState::flatten() const {
  Values values = positions;
  llvm::append_range(values, coordinates);
  llvm::append_range(values, carried);
  return values;
}

Values MergeState::withoutCoordinates() const {
  return MergeState{positions, {}, carried}.flatten();
}

Value MergeState::emitLeast(ImplicitLocOpBuilder &b) const {
  Value least = coordinates.front();
  for (Value coordinate : llvm::drop_begin(coordinates))
    least = min(Number(b, least), coordinate);
  return least;
}

/// An operand is present if its current coordinate is `coordinate`. Its next
/// coordinate is loaded before that is known, so that the next step does not
/// have to wait for the comparison and then for the load.
MergeState nacho::emitStep(Coiteration &loop, Value coordinate,
                           const MergeState &state,
                           SmallVector<FiberValue> children,
                           Operands operands) {
  ImplicitLocOpBuilder &b = loop.b;
  bool goOn = operands == Operands::goOn;
  MergeState next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    const ChildRange &range = loop.ranges[n];
    Number position(b, state.positions[k]);
    Number isHere = Number(b, state.coordinates[k]) == coordinate;
    children[n].present = isHere;
    children[n].position = position;
    children[n].isReadable = goOn;
    if (!range.level->isUnique()) {
      Value end = emitEndOfRun(loop, n, coordinate, position, isHere);
      // The array is read again, and may have changed: but the loop goes on.
      if (!isAlways(loop.domain)) {
        Value step = isHere.asIndex();
        end = max(Number(b, end), position + step);
      }
      children[n].end = end;
      next.positions.push_back(end);
      next.coordinates.push_back(coordinateOrInfinity(b, range, end));
      continue;
    }
    Value step = isHere.asIndex();
    next.positions.push_back(position + step);
    Value following = position + 1;
    Value there = goOn ? range.level->coordinate(b, following)
                       : coordinateOrInfinity(b, range, following);
    next.coordinates.push_back(select(isHere, there, state.coordinates[k]));
  }
  next.carried = loop.emitBody(coordinate, std::move(children), state.carried);
  return next;
}

/// The coordinates of the stored operands.
static Values loadCoordinates(const Coiteration &loop, ValueRange state) {
  Values coordinates;
  for (auto [n, position] : llvm::zip(loop.stored, state))
    coordinates.push_back(loop.ranges[n].level->coordinate(loop.b, position));
  return coordinates;
}

Values nacho::emitPlainStep(Coiteration &loop, ValueRange state) {
  ImplicitLocOpBuilder &b = loop.b;
  MergeState now;
  now.coordinates = loadCoordinates(loop, state);
  Value least = now.emitLeast(b);
  SmallVector<FiberValue> children = loop.children();
  Values next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Number isHere = Number(b, now.coordinates[k]) == least;
    children[n].present = isHere;
    children[n].position = state[k];
    children[n].isReadable = true;
    Value step = isHere.asIndex();
    next.push_back(Number(b, state[k]) + step);
  }
  llvm::append_range(next, loop.emitBody(least, std::move(children),
                                         state.drop_front(next.size())));
  return next;
}

/// Emits the body for a coordinate that operand `only` has alone, or that both
/// operands have if `only` is none. Returns the next state.
static Values emitCase(Coiteration &loop, Value coordinate,
                       std::optional<unsigned> only, ValueRange state) {
  ImplicitLocOpBuilder &b = loop.b;
  SmallVector<FiberValue> children = loop.children();
  Values next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    bool isHere = only.value_or(k) == k;
    children[n].position = state[k];
    children[n].isReadable = true;
    if (!isHere)
      children[n].present = Number::flag(b, false);
    next.push_back(isHere ? Value(Number(b, state[k]) + 1) : state[k]);
  }
  Values carried = loop.emitCopy([&] {
    return loop.emitBody(coordinate, std::move(children),
                         state.drop_front(next.size()));
  });
  llvm::append_range(next, carried);
  return next;
}

/// if crdA < crdB:      body for a coordinate of A alone
/// else if crdB < crdA: body for a coordinate of B alone
/// else:                body for a coordinate of both
Values nacho::emitBranches(Coiteration &loop, ValueRange state) {
  ImplicitLocOpBuilder &b = loop.b;
  Values coordinates = loadCoordinates(loop, state);
  OpBuilder::InsertionGuard guard(b);
  auto branch = [&](unsigned n) {
    Value isFirst = Number(b, coordinates[n]) < coordinates[1 - n];
    auto ifFirst = scf::IfOp::create(b, state.getTypes(), isFirst,
                                     /*withElseRegion=*/true);
    b.setInsertionPointToStart(ifFirst.thenBlock());
    scf::YieldOp::create(b, emitCase(loop, coordinates[n], n, state));
    b.setInsertionPointToStart(ifFirst.elseBlock());
    return ifFirst;
  };
  scf::IfOp outer = branch(0), inner = branch(1);
  scf::YieldOp::create(b, emitCase(loop, coordinates[0], std::nullopt, state));
  b.setInsertionPointToEnd(outer.elseBlock());
  scf::YieldOp::create(b, inner.getResults());
  return Values(outer.getResults());
}
