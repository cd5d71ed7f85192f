//===- LoopsToSCF.cpp - One scf loop per coiteration ----------------------===//
//
// Consumes the coiterations of the assemble and compute functions and the
// elements in them. Linear in the number of operands: never a loop, or a region,
// per lattice point.
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
    SmallVector<unsigned> stored; ///< Operands with coordinates to step through.
    std::optional<CutValue> lower, upper;

    /// Positions of the stored operands, then the carried values.
    SmallVector<Value> inits() const;
  };

  bool lower(Operation *op) override;
  void lowerCoiterate(CoiterateOp op);
  ValueRange emitFor(Loop &loop);
  ValueRange emitWhile(Loop &loop, MergeAttr domain);
  Value firstCoordinate(const Loop &loop);
  Value endCoordinate(const Loop &loop);

  /// The step at `coordinate`: runs the body if the merge expression holds;
  /// returns the positions moved on and the values carried.
  SmallVector<Value> emitStep(Loop &loop, Value coordinate,
                              ArrayRef<Value> coordinates,
                              ValueRange positions, ValueRange carried,
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

SmallVector<Value> LoopLowering::Loop::inits() const {
  SmallVector<Value> values;
  for (unsigned n : stored)
    values.push_back(ranges[n].begin);
  llvm::append_range(values, CoiterateOp(op).getInits());
  return values;
}

void LoopLowering::lowerCoiterate(CoiterateOp op) {
  Loop loop;
  loop.op = op;
  if (op.isBounded()) {
    loop.lower = cut(op.getLower());
    loop.upper = cut(op.getUpper());
  }
  auto last = op.getInnerLoop() ? LastCoordinate::included
                                : LastCoordinate::excluded;
  for (auto [n, value] : llvm::enumerate(op.getFibers())) {
    loop.fibers.push_back(fiber(value));
    loop.ranges.push_back(childRange(
        loop.fibers.back(), n, loop.lower ? &*loop.lower : nullptr,
        loop.upper ? &*loop.upper : nullptr, last));
    if (!loop.ranges.back().level->isFull())
      loop.stored.push_back(n);
  }
  MergeAttr domain = iterationDomain(op.getMerge(), [&](unsigned n) {
    return loop.ranges[n].level->isFull();
  });
  ValueRange results =
      isAlways(domain) ? emitFor(loop) : emitWhile(loop, domain);
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

/// for coordinate = first to end: an operand is present if its position stands
/// at the coordinate.
ValueRange LoopLowering::emitFor(Loop &loop) {
  SmallVector<Value> inits = loop.inits();
  auto forOp = scf::ForOp::create(b, firstCoordinate(loop),
                                  endCoordinate(loop), constant(1), inits);
  OpBuilder::InsertionGuard guard(b);
  // Without carried values the builder has already put a yield there.
  Block *body = forOp.getBody();
  if (!body->empty())
    body->back().erase();
  b.setInsertionPointToEnd(body);
  ValueRange args = forOp.getRegionIterArgs();
  ValueRange positions = args.take_front(loop.stored.size());
  SmallVector<Value> coordinates;
  for (auto [n, position] : llvm::zip(loop.stored, positions))
    coordinates.push_back(coordinateOrInfinity(loop.ranges[n], position));
  SmallVector<Value> next =
      emitStep(loop, forOp.getInductionVar(), coordinates, positions,
               args.drop_front(loop.stored.size()), /*visitsAll=*/true);
  scf::YieldOp::create(b, next);
  return forOp.getResults();
}

/// while the merge expression can still hold:
///   coordinate = the least that any operand has
ValueRange LoopLowering::emitWhile(Loop &loop, MergeAttr domain) {
  SmallVector<Value> inits = loop.inits();
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  SmallVector<Value> alive(loop.ranges.size());
  for (auto [n, position] : llvm::zip(loop.stored, before->getArguments()))
    alive[n] = compare(arith::CmpIPredicate::ult, position, loop.ranges[n].end);
  Value any = emitMerge(b, b.getLoc(), domain, alive);
  scf::ConditionOp::create(b, any, before->getArguments());

  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  ValueRange positions = after->getArguments().take_front(loop.stored.size());
  SmallVector<Value> coordinates;
  Value least;
  for (auto [n, position] : llvm::zip(loop.stored, positions)) {
    Value coordinate = coordinateOrInfinity(loop.ranges[n], position);
    coordinates.push_back(coordinate);
    least = least ? Value(arith::MinUIOp::create(b, least, coordinate))
                  : coordinate;
  }
  SmallVector<Value> next =
      emitStep(loop, least, coordinates, positions,
               after->getArguments().drop_front(loop.stored.size()),
               /*visitsAll=*/false);
  scf::YieldOp::create(b, next);
  return whileOp.getResults();
}

SmallVector<Value> LoopLowering::emitStep(Loop &loop, Value coordinate,
                                          ArrayRef<Value> coordinates,
                                          ValueRange positions,
                                          ValueRange carried, bool visitsAll) {
  unsigned numFibers = loop.fibers.size();
  SmallVector<Value> present(numFibers), children(numFibers), next;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    present[n] =
        compare(arith::CmpIPredicate::eq, coordinates[k], coordinate);
    children[n] = positions[k];
    Value step =
        arith::IndexCastUIOp::create(b, b.getIndexType(), present[n]);
    next.push_back(arith::AddIOp::create(b, positions[k], step));
  }
  bool isSparse = loop.stored.size() == numFibers;
  for (unsigned n = 0; n < numFibers; ++n) {
    if (present[n])
      continue;
    present[n] = loop.fibers[n].present;
    children[n] =
        arith::AddIOp::create(b, loop.ranges[n].first, coordinate);
  }
  // A full level is located, not searched: the coordinate must be one of its.
  if (!isSparse && !visitsAll) {
    for (unsigned n = 0; n < numFibers; ++n) {
      if (!loop.ranges[n].level->isFull())
        continue;
      Value inside = compare(arith::CmpIPredicate::ult, coordinate,
                             loop.ranges[n].level->extent(b));
      present[n] = both(present[n], inside);
    }
  }

  MergeAttr merge = loop.op.getMerge();
  Value holds = isSparse && holdsAtAny(merge, numFibers)
                    ? Value()
                    : emitMerge(b, b.getLoc(), merge, present);
  // Who is certainly there when the body runs need not be asked again.
  for (unsigned n = 0; n < numFibers; ++n)
    if (implies(merge, MergeAttr::get(b.getContext(), n)))
      present[n] = Value();

  SmallVector<Value> yielded;
  if (!holds) {
    enterBody(loop, coordinate, present, children);
    moveBody(loop, b.getInsertionBlock(), carried, yielded);
    llvm::append_range(next, yielded);
    return next;
  }
  bool carries = !carried.empty();
  auto ifOp = scf::IfOp::create(b, carried.getTypes(), holds,
                                /*withElseRegion=*/carries);
  {
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
  }
  llvm::append_range(next, ifOp.getResults());
  return next;
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
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    value = arith::SelectOp::create(b, element.present, value, zero);
  }
  op.replaceAllUsesWith(value);
}

void LoopLowering::lowerRestrict(RestrictOp op) {
  SmallVector<Value> present;
  for (Value value : op.getFibers())
    present.push_back(fiber(value).present);
  Value holds = emitMerge(b, b.getLoc(), op.getMerge(), present);
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
    WalkResult hasNest =
        func.walk([](NestOp) { return WalkResult::interrupt(); });
    WalkResult hasLoop =
        func.walk([](CoiterateOp) { return WalkResult::interrupt(); });
    if (hasNest.wasInterrupted() || !hasLoop.wasInterrupted())
      return;
    LoopLowering(func).run();
  }
};
} // namespace
