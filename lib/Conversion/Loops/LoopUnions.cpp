//===- LoopUnions.cpp - Unions of two operands ----------------------------===//
//
// Short rows spend much of their time where one operand is exhausted. What is
// left of the other one is therefore not merged with anything:
//
//   while posA < endA and posB < endB: ...
//   for posA to endA: body for a coordinate of A alone
//   for posB to endB: body for a coordinate of B alone
//
// The steps of the first loop either select among the operands, as in any other
// merge, or they branch.
//
//===----------------------------------------------------------------------===//

#include "LoopLowering.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// Whether a loop runs its body for the union of exactly two operands.
bool LoopLowering::unitesTwo(const Loop &loop) {
  return !loop.isCount && loop.stored.size() == 2 && loop.fibers.size() == 2 &&
         holdsAtAny(CoiterateOp(loop.op).getMerge(), 2);
}

/// Whether only one operand is left when another is exhausted. Windows end
/// before operands do.
bool LoopLowering::leavesOne(const Loop &loop) {
  return unitesTwo(loop) && !hasWindows(loop);
}

/// Emits loops over the rest of two operands after `results`, which are
/// positions and carried values. With `hasPairs`, both may have coordinates
/// left: the last one of a buffer is never loaded ahead.
SmallVector<Value>
LoopLowering::emitRests(Loop &loop, SmallVector<Value> results, bool hasPairs) {
  if (hasPairs)
    withCopy(loop, [&] {
      OpBuilder::InsertionGuard guard(b);
      scf::WhileOp whileOp =
          startWhileAll(results, {loop.ranges[0].end, loop.ranges[1].end});
      finishWhileAll(loop, whileOp);
      results.assign(whileOp.result_begin(), whileOp.result_end());
    });
  SmallVector<Value> carried(ArrayRef(results).drop_front(2));
  Condition absent = Number::flag(b, false);
  withCopy(loop, [&] {
    carried = emitRest(loop, 0, results[0], {kAlways, absent}, carried);
  });
  return emitRest(loop, 1, results[1], {absent, kAlways}, carried);
}

/// Whether a loop is to have three bodies (see `emitBranches`).
bool LoopLowering::branchesInside(const Loop &loop) {
  return lowering.options.branches && unitesTwo(loop);
}

/// if crdA < crdB:      body for a coordinate of A alone
/// else if crdB < crdA: body for a coordinate of B alone
/// else:                body for a coordinate of both
LoopLowering::State LoopLowering::emitBranches(Loop &loop, ValueRange positions,
                                               ValueRange carried) {
  SmallVector<Value> coordinates;
  for (auto [n, position] : llvm::zip(loop.stored, positions))
    coordinates.push_back(loop.ranges[n].level->coordinate(b, position));
  SmallVector<Type> types(positions.getTypes());
  llvm::append_range(types, carried.getTypes());
  OpBuilder::InsertionGuard guard(b);
  auto branch = [&](unsigned n) {
    Value isFirst = Number(b, coordinates[n]) < coordinates[1 - n];
    auto ifFirst =
        scf::IfOp::create(b, types, isFirst, /*withElseRegion=*/true);
    b.setInsertionPointToStart(ifFirst.thenBlock());
    SmallVector<Value> results =
        emitCase(loop, coordinates[n], n, positions, carried);
    scf::YieldOp::create(b, results);
    b.setInsertionPointToStart(ifFirst.elseBlock());
    return ifFirst;
  };
  scf::IfOp outer = branch(0), inner = branch(1);
  SmallVector<Value> results =
      emitCase(loop, coordinates[0], std::nullopt, positions, carried);
  scf::YieldOp::create(b, results);
  b.setInsertionPointToEnd(outer.elseBlock());
  scf::YieldOp::create(b, inner.getResults());
  size_t stored = positions.size();
  State state;
  state.positions.assign(outer.result_begin(), outer.result_begin() + stored);
  state.carried.assign(outer.result_begin() + stored, outer.result_end());
  return state;
}

/// Emits the body for a coordinate that operand `only` has alone, or that all
/// operands have if `only` is none. Returns the positions after it and the
/// carried values.
SmallVector<Value> LoopLowering::emitCase(Loop &loop, Value coordinate,
                                          std::optional<unsigned> only,
                                          ValueRange positions,
                                          ValueRange carried) {
  unsigned numFibers = loop.fibers.size();
  Conditions present(numFibers, kAlways);
  SmallVector<Value> at(numFibers), results(positions);
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    at[n] = positions[k];
    if (only && *only != k)
      present[n] = Number::flag(b, false);
    else
      results[k] = Number(b, positions[k]) + 1;
  }
  withCopy(loop, [&] {
    llvm::append_range(results, emitBody(loop, coordinate, present, at,
                                         Ends(numFibers), carried,
                                         /*visitsAll=*/false));
  });
  return results;
}
