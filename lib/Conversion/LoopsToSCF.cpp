//===- LoopsToSCF.cpp - One scf loop per coiteration ----------------------===//
//
// Consumes the coiterations of the assemble and compute functions and the
// elements in them. Linear in the number of operands: never a loop, or a
// region, per lattice point.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include "BlockMatches.h"
#include "Elements.h"
#include "FiberLowering.h"
#include "nacho/Analysis/MergeLattice.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOLOOPSTOSCF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

class LoopLowering : public FiberLowering {
public:
  LoopLowering(func::FuncOp func, bool branches, unsigned vectorBits)
      : FiberLowering(func), branches(branches), vectorBits(vectorBits) {}

private:
  /// A coiteration being lowered.
  struct Loop {
    CoiterateOp op;
    SmallVector<FiberValue> fibers, guards;
    SmallVector<ChildRange> ranges;
    SmallVector<unsigned>
        stored; ///< Operands with coordinates to step through.
    std::optional<CutValue> lower, upper;
    bool isAlive = false; ///< No stored operand is exhausted.
  };

  /// What goes around a loop: where each stored operand stands, the coordinate
  /// it has there, and the values that the coiteration carries.
  struct State {
    SmallVector<Value> positions, coordinates, carried;

    SmallVector<Value> flatten() const;
    static State unflatten(const Loop &loop, ValueRange values);
  };

  bool lower(Operation *op) override;
  bool handles(Operation *op) const override {
    return isa<CoiterateOp, LoadOp, LocateOp, RestrictOp>(op);
  }
  void lowerCoiterate(CoiterateOp op);
  std::pair<ClipPath, LastCoordinate> clipPath(CoiterateOp op, unsigned n);
  Value extentOf(const Loop &loop);
  Value stepThroughRun(const ChildRange &range, Value coordinate,
                       Value position);
  SmallVector<Value> emitAll(Loop &loop);
  SmallVector<Value> emitOne(Loop &loop);
  SmallVector<Value> emitMerge(Loop &loop, MergeAttr domain);
  void withCopy(Loop &loop, llvm::function_ref<void()> emit);
  SmallVector<Value> emitWhileAll(Loop &loop);
  SmallVector<Value> emitWhileAny(Loop &loop, MergeAttr domain,
                                  ValueRange positions, ValueRange carried);
  State emitPlainStep(Loop &loop, ValueRange positions, ValueRange carried);
  State emitBranches(Loop &loop, ValueRange positions, ValueRange carried);
  SmallVector<Value> emitCase(Loop &loop, Value coordinate,
                              std::optional<unsigned> only,
                              ValueRange positions, ValueRange carried);
  unsigned lanesOf(const Loop &loop, MergeAttr domain);
  SmallVector<Value> emitBlocks(Loop &loop, unsigned lanes);
  SmallVector<Value> countMatches(Loop &loop, Value matches,
                                  ValueRange carried);
  SmallVector<Value> visitMatches(Loop &loop, Value matches,
                                  ArrayRef<CoordinateBlock> blocks,
                                  ValueRange carried, unsigned lanes);
  State stateAt(Loop &loop, ValueRange positions, ValueRange carried);
  State firstState(Loop &loop);
  Value emitLeast(const State &state);
  Value firstCoordinate(const Loop &loop);
  Value endCoordinate(const Loop &loop);

  /// The step at `coordinate`: moves on the operands that have it.
  State emitStep(Loop &loop, Value coordinate, const State &state,
                 bool visitsAll);
  /// The body, if the merge expression holds for the operands present; returns
  /// the values carried.
  SmallVector<Value> emitBody(Loop &loop, Value coordinate,
                              SmallVector<Value> present,
                              ArrayRef<Value> positions, ArrayRef<Value> ends,
                              ValueRange carried, bool visitsAll);
  void enterBody(Loop &loop, Value coordinate, ArrayRef<Value> present,
                 ArrayRef<Value> childPositions, ArrayRef<Value> ends);
  /// Moves the body to the end of `block` and lowers it there.
  void moveBody(Loop &loop, Block *block, ValueRange carried,
                SmallVectorImpl<Value> &yielded);

  void lowerLoad(LoadOp op);
  void lowerLocate(LocateOp op);
  Value isInside(Value coordinate, Value tensor, unsigned dimension);
  void lowerRestrict(RestrictOp op);

  bool branches;       ///< On which of two operands comes next.
  unsigned vectorBits; ///< Of a register; 0: there are none.
};

} // namespace

bool LoopLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](CoiterateOp loop) { return lowerCoiterate(loop), true; })
      .Case([&](LoadOp load) { return lowerLoad(load), true; })
      .Case([&](LocateOp locate) { return lowerLocate(locate), true; })
      .Case([&](RestrictOp restrict) { return lowerRestrict(restrict), true; })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

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
    state.coordinates.push_back(coordinateOrInfinity(loop.ranges[n], position));
  }
  state.carried = SmallVector<Value>(carried);
  return state;
}

LoopLowering::State LoopLowering::firstState(Loop &loop) {
  return stateAt(loop, beginsOf(loop.stored, loop.ranges), loop.op.getInits());
}

/// Whether loops inside are cut too.
static bool cutsInside(CoiterateOp op) {
  return op.isBounded() && op.getLower().getType().getWidths().size() > 1;
}

/// Down to the innermost loop that is cut, if the operand takes part in all the
/// loops up to there.
std::pair<ClipPath, LastCoordinate> LoopLowering::clipPath(CoiterateOp op,
                                                           unsigned n) {
  auto lastOf = [](CoiterateOp loop) {
    return cutsInside(loop) ? LastCoordinate::included
                            : LastCoordinate::excluded;
  };
  ClipPath path = {n};
  CoiterateOp outer = op;
  while (cutsInside(op)) {
    auto type = cast<FiberType>(op.getFibers()[path.back()].getType());
    if (isFullLevel(type.getTensor(), type.getLevel()) ||
        isUniqueLevel(type.getTensor(), type.getLevel()))
      return {{n}, lastOf(outer)};
    Value child = op.getChildren()[path.back()];
    // What the list of a remapped nest has further down is no loop's.
    if (llvm::none_of(child.getUsers(), llvm::IsaPred<CoiterateOp>))
      break;
    op = op.getInnerLoop();
    auto fibers = op ? op.getFibers() : ValueRange();
    auto inner = llvm::find(fibers, child);
    if (inner == fibers.end())
      return {{n}, lastOf(outer)};
    path.push_back(inner - fibers.begin());
  }
  return {path, lastOf(op)};
}

/// Whether the merge expression asks for an operand, or the body does.
static bool takesPart(CoiterateOp op, unsigned n) {
  return !op.getChildren()[n].use_empty() || mentions(op.getMerge(), n);
}

void LoopLowering::lowerCoiterate(CoiterateOp op) {
  Loop loop;
  loop.op = op;
  if (op.isBounded()) {
    loop.lower = cut(op.getLower());
    loop.upper = cut(op.getUpper());
  }
  for (auto [n, value] : llvm::enumerate(op.getFibers())) {
    loop.fibers.push_back(fiber(value));
    auto [path, last] = clipPath(op, n);
    loop.ranges.push_back(childRange(
        loop.fibers.back(), path, loop.lower ? &*loop.lower : nullptr,
        loop.upper ? &*loop.upper : nullptr, last));
    if (!loop.ranges.back().level->isFull() && takesPart(op, n))
      loop.stored.push_back(n);
  }
  for (Value guard : op.getGuards())
    loop.guards.push_back(fiber(guard));
  MergeAttr domain = iterationDomain(op);
  // One operand with unique coordinates has nothing to be merged with.
  auto isStepped = [](const Loop &loop) {
    return loop.stored.size() == 1 &&
           loop.ranges[loop.stored.front()].level->isUnique();
  };
  if (isNever(domain))
    return op.replaceAllUsesWith(op.getInits());
  unsigned lanes = lanesOf(loop, domain);
  SmallVector<Value> results = isAlways(domain)  ? emitAll(loop)
                               : isStepped(loop) ? emitOne(loop)
                               : lanes           ? emitBlocks(loop, lanes)
                                                 : emitMerge(loop, domain);
  op.replaceAllUsesWith(ArrayRef(results).take_back(op.getNumResults()));
}

/// The coordinates of a loop that visits all: those between the cuts.
Value LoopLowering::firstCoordinate(const Loop &loop) {
  if (!loop.lower)
    return constant(0);
  return select(loop.lower->on, loop.lower->loops.front().coordinate,
                constant(0));
}

Value LoopLowering::extentOf(const Loop &loop) {
  Value extent = CoiterateOp(loop.op).getExtent();
  return extent ? extent : loop.ranges.front().level->extent(b);
}

Value LoopLowering::endCoordinate(const Loop &loop) {
  Value extent = extentOf(loop);
  if (!loop.upper)
    return extent;
  Value end = loop.upper->loops.front().coordinate;
  if (cutsInside(loop.op))
    end = arith::AddIOp::create(b, end, constant(1));
  end = arith::MinUIOp::create(b, end, extent);
  return select(loop.upper->on, end, extent);
}

/// An scf.for of which the body is still to be filled, the builder in it.
static scf::ForOp startFor(ImplicitLocOpBuilder &b, Value from, Value to,
                           Value step, ValueRange inits) {
  auto loop = scf::ForOp::create(b, from, to, step, inits);
  // Without carried values the builder has already put a yield there.
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  b.setInsertionPointToEnd(loop.getBody());
  return loop;
}

/// for coordinate = first to end: body(coordinate)
SmallVector<Value> LoopLowering::emitAll(Loop &loop) {
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp forOp = startFor(b, firstCoordinate(loop), endCoordinate(loop),
                              constant(1), firstState(loop).flatten());
  State state = State::unflatten(loop, forOp.getRegionIterArgs());
  State next =
      emitStep(loop, forOp.getInductionVar(), state, /*visitsAll=*/true);
  scf::YieldOp::create(b, next.flatten());
  return SmallVector<Value>(forOp.getResults());
}

///   for position = begin to end: body(crd[position])
SmallVector<Value> LoopLowering::emitOne(Loop &loop) {
  unsigned n = loop.stored.front();
  const ChildRange &range = loop.ranges[n];
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp forOp =
      startFor(b, range.begin, range.end, constant(1), loop.op.getInits());
  Value position = forOp.getInductionVar();
  Value coordinate = range.level->coordinate(b, position);
  SmallVector<Value> present(loop.fibers.size()), positions = present;
  positions[n] = position;
  SmallVector<Value> carried =
      emitBody(loop, coordinate, present, positions,
               SmallVector<Value>(loop.fibers.size()),
               forOp.getRegionIterArgs(), /*visitsAll=*/false);
  scf::YieldOp::create(b, carried);
  return SmallVector<Value>(forOp.getResults());
}

Value LoopLowering::emitLeast(const State &state) {
  Value least = state.coordinates.front();
  for (Value coordinate : llvm::drop_begin(state.coordinates))
    least = arith::MinUIOp::create(b, least, coordinate);
  return least;
}

/// As long as no operand is exhausted, an innermost loop need not ask for any
/// of them; then comes what is left of the others.
SmallVector<Value> LoopLowering::emitMerge(Loop &loop, MergeAttr domain) {
  bool isInnermost =
      CoiterateOp(loop.op).getBody().getOps<CoiterateOp>().empty();
  bool isUnique = llvm::all_of(loop.stored, [&](unsigned n) {
    return loop.ranges[n].level->isUnique();
  });
  if (!isInnermost || !isUnique)
    return emitWhileAny(loop, domain, beginsOf(loop.stored, loop.ranges),
                        loop.op.getInits());
  bool endsWithAny = llvm::all_of(loop.stored, [&](unsigned n) {
    return implies(domain, MergeAttr::get(b.getContext(), n));
  });
  if (endsWithAny)
    return emitWhileAll(loop);
  SmallVector<Value> results;
  withCopy(loop, [&] { results = emitWhileAll(loop); });
  size_t stored = loop.stored.size();
  return emitWhileAny(loop, domain, ArrayRef(results).take_front(stored),
                      ArrayRef(results).drop_front(stored));
}

/// What moves the body of a loop that is needed once more.
void LoopLowering::withCopy(Loop &loop, llvm::function_ref<void()> emit) {
  CoiterateOp original = loop.op;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(original);
    loop.op = cast<CoiterateOp>(b.clone(*original));
  }
  emit();
  eraseLater(loop.op);
  loop.op = original;
}

/// while every operand has coordinates left:
///   coordinate = the least of them; body(coordinate); move on those that have
///   it
SmallVector<Value> LoopLowering::emitWhileAll(Loop &loop) {
  SmallVector<Value> inits = beginsOf(loop.stored, loop.ranges);
  llvm::append_range(inits, loop.op.getInits());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  Value alive;
  for (auto [n, position] : llvm::zip(loop.stored, before->getArguments()))
    alive = both(alive, compare(arith::CmpIPredicate::ult, position,
                                loop.ranges[n].end));
  scf::ConditionOp::create(b, alive, before->getArguments());
  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  ValueRange state = after->getArguments();
  size_t stored = loop.stored.size();
  bool isBranching = branches && stored == 2 && loop.fibers.size() == 2 &&
                     !onlyCounts(loop.op) && holdsAtAny(loop.op.getMerge(), 2);
  auto emitStep =
      isBranching ? &LoopLowering::emitBranches : &LoopLowering::emitPlainStep;
  State next = (this->*emitStep)(loop, state.take_front(stored),
                                 state.drop_front(stored));
  SmallVector<Value> yielded = next.positions;
  llvm::append_range(yielded, next.carried);
  scf::YieldOp::create(b, yielded);
  return SmallVector<Value>(whileOp.getResults());
}

/// if crdA < crdB: what A has alone
/// else if crdB < crdA: what B has alone; else what both have
LoopLowering::State LoopLowering::emitBranches(Loop &loop, ValueRange positions,
                                               ValueRange carried) {
  SmallVector<Value> coordinates;
  for (auto [n, position] : llvm::zip(loop.stored, positions))
    coordinates.push_back(loop.ranges[n].level->coordinate(b, position));
  SmallVector<Type> types(positions.getTypes());
  llvm::append_range(types, carried.getTypes());
  OpBuilder::InsertionGuard guard(b);
  auto branch = [&](unsigned n) {
    Value isFirst =
        compare(arith::CmpIPredicate::ult, coordinates[n], coordinates[1 - n]);
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

/// The positions after a coordinate that only one operand has, or all have, and
/// what is carried.
SmallVector<Value> LoopLowering::emitCase(Loop &loop, Value coordinate,
                                          std::optional<unsigned> only,
                                          ValueRange positions,
                                          ValueRange carried) {
  SmallVector<Value> present(loop.fibers.size()), at = present, ends = present;
  SmallVector<Value> results(positions);
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    at[n] = positions[k];
    if (only && *only != k)
      present[n] = arith::ConstantIntOp::create(b, 0, 1);
    else
      results[k] = arith::AddIOp::create(b, positions[k], constant(1));
  }
  loop.isAlive = true;
  withCopy(loop, [&] {
    llvm::append_range(results, emitBody(loop, coordinate, present, at, ends,
                                         carried, /*visitsAll=*/false));
  });
  loop.isAlive = false;
  return results;
}

/// A step of operands of which none is exhausted.
LoopLowering::State LoopLowering::emitPlainStep(Loop &loop,
                                                ValueRange positions,
                                                ValueRange carried) {
  State state;
  for (auto [n, position] : llvm::zip(loop.stored, positions))
    state.coordinates.push_back(loop.ranges[n].level->coordinate(b, position));
  Value least = emitLeast(state);
  SmallVector<Value> present(loop.fibers.size()), at = present, ends = present;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    present[n] = compare(arith::CmpIPredicate::eq, state.coordinates[k], least);
    at[n] = positions[k];
    Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), present[n]);
    state.positions.push_back(arith::AddIOp::create(b, positions[k], step));
  }
  loop.isAlive = true;
  state.carried =
      emitBody(loop, least, present, at, ends, carried, /*visitsAll=*/false);
  loop.isAlive = false;
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
  Value infinity = constant(kInfinity), any;
  if (holdsAtAny(domain, loop.fibers.size())) {
    any = compare(arith::CmpIPredicate::ne, emitLeast(state), infinity);
  } else {
    SmallVector<Value> alive(loop.ranges.size());
    for (auto [n, coordinate] : llvm::zip(loop.stored, state.coordinates))
      alive[n] = compare(arith::CmpIPredicate::ne, coordinate, infinity);
    any = nacho::emitMerge(b, b.getLoc(), domain, alive);
  }
  scf::ConditionOp::create(b, any, before->getArguments());

  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  state = State::unflatten(loop, after->getArguments());
  Value least = emitLeast(state);
  State next = emitStep(loop, least, state, /*visitsAll=*/false);
  scf::YieldOp::create(b, next.flatten());
  return SmallVector<Value>(whileOp.getResults());
}

/// How many coordinates an intersection of two operands compares at a time; 0
/// if it is no such thing.
unsigned LoopLowering::lanesOf(const Loop &loop, MergeAttr domain) {
  MLIRContext *context = b.getContext();
  if (!vectorBits || loop.stored.size() != 2)
    return 0;
  SmallVector<MergeAttr> both;
  SmallVector<unsigned> widths;
  for (unsigned n : loop.stored) {
    if (!loop.ranges[n].level->isUnique())
      return 0;
    both.push_back(MergeAttr::get(context, n));
    auto encoding =
        sparse_tensor::getSparseTensorEncoding(loop.fibers[n].tensor.getType());
    widths.push_back(encoding.getCrdElemType().getIntOrFloatBitWidth());
  }
  if (widths.front() != widths.back() ||
      domain != intersectMerges(context, both))
    return 0;
  unsigned lanes = vectorBits / widths.front();
  return lanes > 1 && lanes <= 64 ? lanes : 0;
}

/// while posA < endA and posB < endB:
///   matches = which of the next coordinates of A are among the next of B
///   body for each; leave the block behind that ends first, or both
SmallVector<Value> LoopLowering::emitBlocks(Loop &loop, unsigned lanes) {
  SmallVector<Value> inits;
  for (unsigned n : loop.stored)
    inits.push_back(loop.ranges[n].begin);
  llvm::append_range(inits, loop.op.getInits());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  Value alive;
  for (auto [n, position] : llvm::zip(loop.stored, before->getArguments()))
    alive = both(alive, compare(arith::CmpIPredicate::ult, position,
                                loop.ranges[n].end));
  scf::ConditionOp::create(b, alive, before->getArguments());

  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  SmallVector<CoordinateBlock> blocks;
  SmallVector<Value> next, last;
  for (auto [n, position] : llvm::zip(loop.stored, after->getArguments())) {
    const ChildRange &range = loop.ranges[n];
    blocks.push_back({range.level->coordinates(b), position, range.end});
    next.push_back(arith::AddIOp::create(b, position, constant(lanes)));
    Value end = arith::MinUIOp::create(b, next.back(), range.end);
    last.push_back(
        range.level->coordinate(b, arith::SubIOp::create(b, end, constant(1))));
  }
  Value matches = emitMatches(b, blocks[0], blocks[1], lanes);
  ValueRange carried = after->getArguments().drop_front(2);
  SmallVector<Value> results =
      onlyCounts(loop.op) ? countMatches(loop, matches, carried)
                          : visitMatches(loop, matches, blocks, carried, lanes);
  SmallVector<Value> yielded;
  for (unsigned k : {0, 1}) {
    Value isBehind = compare(arith::CmpIPredicate::ule, last[k], last[1 - k]);
    yielded.push_back(select(isBehind, next[k], after->getArgument(k)));
  }
  llvm::append_range(yielded, results);
  scf::YieldOp::create(b, yielded);
  return SmallVector<Value>(whileOp.getResults());
}

/// What is counted grows by the number of matches.
SmallVector<Value> LoopLowering::countMatches(Loop &loop, Value matches,
                                              ValueRange carried) {
  Value count = arith::IndexCastUIOp::create(b, b.getIndexType(),
                                             math::CtPopOp::create(b, matches));
  SmallVector<Value> results;
  Operation *yield = loop.op.getBodyBlock()->getTerminator();
  for (auto [mine, inside, next] :
       llvm::zip(carried, loop.op.getCarried(), yield->getOperands()))
    results.push_back(
        next == inside ? mine : Value(arith::AddIOp::create(b, mine, count)));
  return results;
}

/// if any matches:
///   theirs = which of the next coordinates of B match, as many
///   while matches and theirs: body(crdA[the first]); without the first
SmallVector<Value> LoopLowering::visitMatches(Loop &loop, Value matches,
                                              ArrayRef<CoordinateBlock> blocks,
                                              ValueRange carried,
                                              unsigned lanes) {
  Type i64 = b.getI64Type();
  Value none = arith::ConstantIntOp::create(b, 0, 64);
  Value one = arith::ConstantIntOp::create(b, 1, 64);
  auto differs = [&](Value bits) {
    return compare(arith::CmpIPredicate::ne, bits, none);
  };
  auto ifAny = scf::IfOp::create(b, carried.getTypes(), differs(matches),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (Block *block : {ifAny.thenBlock(), ifAny.elseBlock()})
    if (!block->empty())
      block->back().erase();
  b.setInsertionPointToEnd(ifAny.elseBlock());
  scf::YieldOp::create(b, carried);
  b.setInsertionPointToEnd(ifAny.thenBlock());
  SmallVector<Value> inits = {matches,
                              emitMatches(b, blocks[1], blocks[0], lanes)};
  llvm::append_range(inits, carried);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  scf::YieldOp::create(b, whileOp.getResults().drop_front(2));

  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  Value more =
      both(differs(before->getArgument(0)), differs(before->getArgument(1)));
  scf::ConditionOp::create(b, more, before->getArguments());
  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  SmallVector<Value> positions(loop.fibers.size()), rest;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Value bits = after->getArgument(k);
    Value lane = arith::IndexCastUIOp::create(
        b, b.getIndexType(), math::CountTrailingZerosOp::create(b, i64, bits));
    positions[n] = arith::AddIOp::create(b, blocks[k].position, lane);
    rest.push_back(
        arith::AndIOp::create(b, bits, arith::SubIOp::create(b, bits, one)));
  }
  unsigned first = loop.stored.front();
  Value coordinate = loop.ranges[first].level->coordinate(b, positions[first]);
  SmallVector<Value> absent(loop.fibers.size());
  llvm::append_range(rest, emitBody(loop, coordinate, absent, positions, absent,
                                    after->getArguments().drop_front(2),
                                    /*visitsAll=*/false));
  scf::YieldOp::create(b, rest);
  return SmallVector<Value>(ifAny.getResults());
}

/// An operand is present if it stands at the coordinate. Its next coordinate is
/// loaded before that is known, which takes the load off the path from one step
/// to the next.
LoopLowering::State LoopLowering::emitStep(Loop &loop, Value coordinate,
                                           const State &state, bool visitsAll) {
  SmallVector<Value> present(loop.fibers.size()), positions = present,
                                                  ends = present;
  State next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Value position = state.positions[k];
    present[n] =
        compare(arith::CmpIPredicate::eq, state.coordinates[k], coordinate);
    positions[n] = position;
    if (!loop.ranges[n].level->isUnique()) {
      ends[n] = stepThroughRun(loop.ranges[n], coordinate, position);
      next.positions.push_back(ends[n]);
      next.coordinates.push_back(coordinateOrInfinity(loop.ranges[n], ends[n]));
      continue;
    }
    Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), present[n]);
    next.positions.push_back(arith::AddIOp::create(b, position, step));
    Value following = arith::AddIOp::create(b, position, constant(1));
    next.coordinates.push_back(
        select(present[n], coordinateOrInfinity(loop.ranges[n], following),
               state.coordinates[k]));
  }
  next.carried = emitBody(loop, coordinate, present, positions, ends,
                          state.carried, visitsAll);
  return next;
}

/// while position < end and crd[position] == coordinate: ++position
Value LoopLowering::stepThroughRun(const ChildRange &range, Value coordinate,
                                   Value position) {
  Type index = b.getIndexType();
  Location loc = b.getLoc();
  auto loop = scf::WhileOp::create(b, TypeRange(index), ValueRange(position));
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, index, loc);
  Value here = coordinateOrInfinity(range, before->getArgument(0));
  scf::ConditionOp::create(b,
                           compare(arith::CmpIPredicate::eq, here, coordinate),
                           before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, index, loc);
  Value next = arith::AddIOp::create(b, after->getArgument(0), constant(1));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

SmallVector<Value> LoopLowering::emitBody(Loop &loop, Value coordinate,
                                          SmallVector<Value> present,
                                          ArrayRef<Value> positions,
                                          ArrayRef<Value> ends,
                                          ValueRange carried, bool visitsAll) {
  unsigned numFibers = loop.fibers.size();
  SmallVector<Value> children(positions);
  for (unsigned n = 0; n < numFibers; ++n) {
    if (!loop.ranges[n].level->isFull())
      continue;
    present[n] = loop.fibers[n].present;
    Value offset = coordinate;
    if (!visitsAll || loop.op.getExtent()) {
      // At another operand's coordinate, which may be anything, or in a loop
      // that goes further.
      Value inside = compare(arith::CmpIPredicate::ult, coordinate,
                             loop.ranges[n].level->extent(b));
      present[n] = both(present[n], inside);
      offset = select(inside, coordinate, constant(0));
    }
    // Where the fiber is absent, all its children stand at the next one's
    // first.
    if (loop.fibers[n].present)
      offset = select(loop.fibers[n].present, offset, constant(0));
    children[n] = arith::AddIOp::create(b, loop.ranges[n].first, offset);
  }
  MergeAttr merge = loop.op.getMerge();
  bool isSparse = loop.stored.size() == numFibers && loop.guards.empty();
  for (const FiberValue &guard : loop.guards)
    present.push_back(guard.present);
  Value holds = isSparse && holdsAtAny(merge, numFibers)
                    ? Value()
                    : nacho::emitMerge(b, b.getLoc(), merge, present);
  // Who is certainly there when the body runs need not be asked again.
  for (unsigned n = 0; n < numFibers; ++n)
    if (implies(merge, MergeAttr::get(b.getContext(), n)))
      present[n] = Value();

  SmallVector<Value> yielded;
  if (!holds) {
    enterBody(loop, coordinate, present, children, ends);
    moveBody(loop, b.getInsertionBlock(), carried, yielded);
    return yielded;
  }
  bool carries = !carried.empty();
  auto ifOp = scf::IfOp::create(b, carried.getTypes(), holds,
                                /*withElseRegion=*/carries);
  OpBuilder::InsertionGuard guard(b);
  Block *block = ifOp.thenBlock();
  if (!block->empty())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  enterBody(loop, coordinate, present, children, ends);
  moveBody(loop, block, carried, yielded);
  scf::YieldOp::create(b, yielded);
  if (carries) {
    b.setInsertionPointToEnd(ifOp.elseBlock());
    scf::YieldOp::create(b, carried);
  }
  return SmallVector<Value>(ifOp.getResults());
}

/// Gives the arguments of the body their meaning.
void LoopLowering::enterBody(Loop &loop, Value coordinate,
                             ArrayRef<Value> present,
                             ArrayRef<Value> childPositions,
                             ArrayRef<Value> ends) {
  loop.op.getCoordinate().replaceAllUsesWith(coordinate);
  for (auto [n, child] : llvm::enumerate(loop.op.getChildren()))
    setFiber(child, {loop.fibers[n].tensor, loop.fibers[n].level + 1,
                     childPositions[n], present[n], ends[n],
                     loop.isAlive && llvm::is_contained(loop.stored, n)});
  if (!loop.op.isBounded())
    return;
  setCut(loop.op.getInnerLower(), loop.lower->enter(b, coordinate));
  setCut(loop.op.getInnerUpper(), loop.upper->enter(b, coordinate));
}

void LoopLowering::moveBody(Loop &loop, Block *block, ValueRange carried,
                            SmallVectorImpl<Value> &yielded) {
  for (auto [arg, value] : llvm::zip(loop.op.getCarried(), carried))
    arg.replaceAllUsesWith(value);
  Block *body = loop.op.getBodyBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  block->getOperations().splice(block->end(), body->getOperations());
  Operation *yield = &block->back();
  Block::iterator from =
      last ? std::next(Block::iterator(last)) : block->begin();
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(from, Block::iterator(yield))))
    lowerOp(op);
  llvm::append_range(yielded, yield->getOperands());
  yield->erase();
  b.setInsertionPointToEnd(block);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void LoopLowering::lowerLoad(LoadOp op) {
  FiberValue element = fiber(op.getElement());
  Type type = op.getValue().getType();
  auto buffer = MemRefType::get({ShapedType::kDynamic}, type);
  Value values = sparse_tensor::ToValuesOp::create(b, buffer, element.tensor);
  Value at = element.position;
  if (element.present && !element.isReadable)
    at = arith::SelectOp::create(b, element.present, at, constant(0));
  Value value = memref::LoadOp::create(b, values, at);
  if (element.present)
    value = selectOrZero(b, element.present, value);
  op.replaceAllUsesWith(value);
}

/// Whether the coordinate of a loop lies in a tensor; null if it certainly
/// does: a loop over all coordinates of an index has the extent of every
/// tensor.
Value LoopLowering::isInside(Value coordinate, Value tensor,
                             unsigned dimension) {
  auto arg = dyn_cast<BlockArgument>(coordinate);
  auto loop =
      arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  if (loop && loop.getInductionVar() == coordinate)
    return {};
  Value number = constant(dimension);
  Value extent = tensor::DimOp::create(b, tensor, number);
  return compare(arith::CmpIPredicate::ult, coordinate, extent);
}

void LoopLowering::lowerLocate(LocateOp op) {
  Value tensor = op.getTensor(), valid = op.getCondition();
  for (auto [n, coordinate] : llvm::enumerate(op.getCoordinates()))
    valid = both(valid, isInside(coordinate, tensor, n));
  SmallVector<Value> at;
  for (Value coordinate : op.getCoordinates())
    at.push_back(select(valid, coordinate, valid ? constant(0) : coordinate));
  Value value = tensor::ExtractOp::create(b, tensor, at);
  if (valid)
    value = selectOrZero(b, valid, value);
  op.replaceAllUsesWith(value);
}

void LoopLowering::lowerRestrict(RestrictOp op) {
  SmallVector<Value> present;
  for (Value value : op.getFibers())
    present.push_back(fiber(value).present);
  Value holds = nacho::emitMerge(b, b.getLoc(), op.getMerge(), present);
  if (!holds)
    return op.replaceAllUsesWith(op.getValue());
  op.replaceAllUsesWith(Value(arith::SelectOp::create(
      b, holds, op.getValue(), emitZero(b, op.getType()))));
}

namespace {
struct LoopsToSCF : nacho::impl::ConvertNachoLoopsToSCFBase<LoopsToSCF> {
  using ConvertNachoLoopsToSCFBase::ConvertNachoLoopsToSCFBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    WalkResult nests = func.walk([](NestOp nest) {
      nest.emitOpError("must be assembled before its loops can be lowered");
      return WalkResult::interrupt();
    });
    if (nests.wasInterrupted())
      return signalPassFailure();
    WalkResult loops =
        func.walk([](CoiterateOp) { return WalkResult::interrupt(); });
    if (loops.wasInterrupted() &&
        failed(LoopLowering(func, branches, vectorBits).run()))
      signalPassFailure();
  }
};
} // namespace
