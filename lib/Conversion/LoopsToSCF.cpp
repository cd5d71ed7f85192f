//===- LoopsToSCF.cpp - One scf loop per coiteration ----------------------===//
//
// Consumes the coiterations of the assemble and compute functions and the
// elements in them. Linear in the number of operands: never a loop, or a
// region, per lattice point.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

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
  using FiberLowering::FiberLowering;

private:
  /// A coiteration being lowered.
  struct Loop {
    CoiterateOp op;
    SmallVector<FiberValue> fibers;
    SmallVector<ChildRange> ranges;
    SmallVector<unsigned>
        stored; ///< Operands with coordinates to step through.
    std::optional<CutValue> lower, upper;
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
    return isa<CoiterateOp, LoadOp, RestrictOp, BinaryOp, UnaryOp>(op);
  }
  void lowerCoiterate(CoiterateOp op);
  ValueRange emitAll(Loop &loop);
  ValueRange emitOne(Loop &loop);
  ValueRange emitMerge(Loop &loop, MergeAttr domain);
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
                              ArrayRef<Value> positions, ValueRange carried,
                              bool visitsAll);
  void enterBody(Loop &loop, Value coordinate, ArrayRef<Value> present,
                 ArrayRef<Value> childPositions);
  /// Moves the body to the end of `block` and lowers it there.
  void moveBody(Loop &loop, Block *block, ValueRange carried,
                SmallVectorImpl<Value> &yielded);

  void lowerLoad(LoadOp op);
  void lowerRestrict(RestrictOp op);
  void lowerBinary(BinaryOp op);
};

} // namespace

bool LoopLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](CoiterateOp loop) { return lowerCoiterate(loop), true; })
      .Case([&](LoadOp load) { return lowerLoad(load), true; })
      .Case([&](RestrictOp restrict) { return lowerRestrict(restrict), true; })
      .Case([&](BinaryOp binary) { return lowerBinary(binary), true; })
      .Case([&](UnaryOp unary) {
        Value value = arith::NegFOp::create(b, unary.getArg());
        unary.replaceAllUsesWith(value);
        return true;
      })
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

LoopLowering::State LoopLowering::firstState(Loop &loop) {
  State state;
  for (unsigned n : loop.stored) {
    const ChildRange &range = loop.ranges[n];
    state.positions.push_back(range.begin);
    state.coordinates.push_back(coordinateOrInfinity(range, range.begin));
  }
  state.carried = SmallVector<Value>(loop.op.getInits());
  return state;
}

void LoopLowering::lowerCoiterate(CoiterateOp op) {
  Loop loop;
  loop.op = op;
  if (op.isBounded()) {
    loop.lower = cut(op.getLower());
    loop.upper = cut(op.getUpper());
  }
  auto last =
      op.getInnerLoop() ? LastCoordinate::included : LastCoordinate::excluded;
  for (auto [n, value] : llvm::enumerate(op.getFibers())) {
    loop.fibers.push_back(fiber(value));
    loop.ranges.push_back(
        childRange(loop.fibers.back(), n, loop.lower ? &*loop.lower : nullptr,
                   loop.upper ? &*loop.upper : nullptr, last));
    if (!loop.ranges.back().level->isFull())
      loop.stored.push_back(n);
  }
  MergeAttr domain = iterationDomain(op);
  ValueRange results = isAlways(domain)          ? emitAll(loop)
                       : loop.stored.size() == 1 ? emitOne(loop)
                                                 : emitMerge(loop, domain);
  op.replaceAllUsesWith(results.take_back(op.getNumResults()));
}

/// The coordinates of a loop that visits all: those between the cuts.
Value LoopLowering::firstCoordinate(const Loop &loop) {
  if (!loop.lower)
    return constant(0);
  return select(loop.lower->on, loop.lower->loops.front().coordinate,
                constant(0));
}

Value LoopLowering::endCoordinate(const Loop &loop) {
  Value extent = loop.ranges.front().level->extent(b);
  if (!loop.upper)
    return extent;
  Value end = loop.upper->loops.front().coordinate;
  if (CoiterateOp(loop.op).getInnerLoop())
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
ValueRange LoopLowering::emitAll(Loop &loop) {
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp forOp = startFor(b, firstCoordinate(loop), endCoordinate(loop),
                              constant(1), firstState(loop).flatten());
  State state = State::unflatten(loop, forOp.getRegionIterArgs());
  State next =
      emitStep(loop, forOp.getInductionVar(), state, /*visitsAll=*/true);
  scf::YieldOp::create(b, next.flatten());
  return forOp.getResults();
}

/// One operand with stored coordinates has nothing to be merged with:
///   for position = begin to end: body(crd[position])
ValueRange LoopLowering::emitOne(Loop &loop) {
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
      emitBody(loop, coordinate, present, positions, forOp.getRegionIterArgs(),
               /*visitsAll=*/false);
  scf::YieldOp::create(b, carried);
  return forOp.getResults();
}

Value LoopLowering::emitLeast(const State &state) {
  Value least = state.coordinates.front();
  for (Value coordinate : llvm::drop_begin(state.coordinates))
    least = arith::MinUIOp::create(b, least, coordinate);
  return least;
}

/// while the merge expression can still hold:
///   coordinate = the least that any operand has; body(coordinate)
ValueRange LoopLowering::emitMerge(Loop &loop, MergeAttr domain) {
  SmallVector<Value> inits = firstState(loop).flatten();
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
  return whileOp.getResults();
}

/// An operand is present if it stands at the coordinate. Its next coordinate is
/// loaded before that is known, which takes the load off the path from one step
/// to the next.
LoopLowering::State LoopLowering::emitStep(Loop &loop, Value coordinate,
                                           const State &state, bool visitsAll) {
  SmallVector<Value> present(loop.fibers.size()), positions = present;
  State next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Value position = state.positions[k];
    present[n] =
        compare(arith::CmpIPredicate::eq, state.coordinates[k], coordinate);
    positions[n] = position;
    Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), present[n]);
    next.positions.push_back(arith::AddIOp::create(b, position, step));
    Value following = arith::AddIOp::create(b, position, constant(1));
    next.coordinates.push_back(
        select(present[n], coordinateOrInfinity(loop.ranges[n], following),
               state.coordinates[k]));
  }
  next.carried =
      emitBody(loop, coordinate, present, positions, state.carried, visitsAll);
  return next;
}

SmallVector<Value> LoopLowering::emitBody(Loop &loop, Value coordinate,
                                          SmallVector<Value> present,
                                          ArrayRef<Value> positions,
                                          ValueRange carried, bool visitsAll) {
  unsigned numFibers = loop.fibers.size();
  SmallVector<Value> children(positions);
  for (unsigned n = 0; n < numFibers; ++n) {
    if (!loop.ranges[n].level->isFull())
      continue;
    present[n] = loop.fibers[n].present;
    Value offset = coordinate;
    if (!visitsAll) {
      // Located at another operand's coordinate, which may be anything.
      Value inside = compare(arith::CmpIPredicate::ult, coordinate,
                             loop.ranges[n].level->extent(b));
      present[n] = both(present[n], inside);
      offset = select(inside, coordinate, constant(0));
    }
    children[n] = arith::AddIOp::create(b, loop.ranges[n].first, offset);
  }
  MergeAttr merge = loop.op.getMerge();
  bool isSparse = loop.stored.size() == numFibers;
  Value holds = isSparse && holdsAtAny(merge, numFibers)
                    ? Value()
                    : nacho::emitMerge(b, b.getLoc(), merge, present);
  // Who is certainly there when the body runs need not be asked again.
  for (unsigned n = 0; n < numFibers; ++n)
    if (implies(merge, MergeAttr::get(b.getContext(), n)))
      present[n] = Value();

  SmallVector<Value> yielded;
  if (!holds) {
    enterBody(loop, coordinate, present, children);
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
  enterBody(loop, coordinate, present, children);
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
                             ArrayRef<Value> childPositions) {
  loop.op.getCoordinate().replaceAllUsesWith(coordinate);
  for (auto [n, child] : llvm::enumerate(loop.op.getChildren()))
    setFiber(child, {loop.fibers[n].tensor, loop.fibers[n].level + 1,
                     childPositions[n], present[n]});
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
  if (element.present)
    at = arith::SelectOp::create(b, element.present, at, constant(0));
  Value value = memref::LoadOp::create(b, values, at);
  if (element.present) {
    // As an integer: of floats LLVM would make masked loads, which cost more
    // than the rest of the step.
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    Value loaded = arith::BitcastOp::create(b, bits, value);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits));
    Value chosen = arith::SelectOp::create(b, element.present, loaded, zero);
    value = arith::BitcastOp::create(b, type, chosen);
  }
  op.replaceAllUsesWith(value);
}

void LoopLowering::lowerRestrict(RestrictOp op) {
  SmallVector<Value> present;
  for (Value value : op.getFibers())
    present.push_back(fiber(value).present);
  Value holds = nacho::emitMerge(b, b.getLoc(), op.getMerge(), present);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(op.getType()));
  op.replaceAllUsesWith(select(holds, op.getValue(), zero));
}

void LoopLowering::lowerBinary(BinaryOp op) {
  auto emit = [&]() -> Value {
    switch (op.getKind()) {
    case BinaryKind::add:
      return arith::AddFOp::create(b, op.getLhs(), op.getRhs());
    case BinaryKind::sub:
      return arith::SubFOp::create(b, op.getLhs(), op.getRhs());
    case BinaryKind::mul:
      return arith::MulFOp::create(b, op.getLhs(), op.getRhs());
    }
    llvm_unreachable("unknown binary operator");
  };
  op.replaceAllUsesWith(emit());
}

namespace {
struct LoopsToSCF : nacho::impl::ConvertNachoLoopsToSCFBase<LoopsToSCF> {
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
    if (loops.wasInterrupted() && failed(LoopLowering(func).run()))
      signalPassFailure();
  }
};
} // namespace
