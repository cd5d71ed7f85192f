//===- Coiteration.cpp - A coiteration being lowered ----------------------===//

#include "Coiteration.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

bool nacho::cutsInside(CoiterateOp op) {
  return op.isBounded() && op.getLower().getType().getWidths().size() > 1;
}

/// The path leads down to the innermost loop that is cut, or to the first one
/// in which the operand has no runs, if it takes part in all loops on the way.
static std::pair<ClipPath, LastCoordinate> clipPath(CoiterateOp op,
                                                    unsigned n) {
  auto lastOf = [](CoiterateOp loop) {
    return cutsInside(loop) ? LastCoordinate::included
                            : LastCoordinate::excluded;
  };
  ClipPath path = {n};
  CoiterateOp outer = op;
  while (cutsInside(op)) {
    auto type = cast<FiberType>(op.getFibers()[path.back()].getType());
    if (isFullLevel(type.getTensor(), type.getLevel()))
      return {{n}, lastOf(outer)};
    if (isUniqueLevel(type.getTensor(), type.getLevel()))
      break;
    Value child = op.getChildren()[path.back()];
    op = op.getInnerLoop();
    auto fibers = op ? op.getFibers() : ValueRange();
    auto inner = llvm::find(fibers, child);
    if (inner == fibers.end())
      return {{n}, lastOf(outer)};
    path.push_back(inner - fibers.begin());
  }
  return {path, lastOf(op)};
}

/// Whether the merge expression or the body of a loop uses an operand.
static bool takesPart(CoiterateOp op, unsigned n) {
  return !op.getChildren()[n].use_empty() || op.getMerge().mentions(n);
}

Coiteration::Coiteration(FiberLowering &lowering, CoiterateOp op)
    : lowering(lowering), b(lowering.b), op(op), domain(iterationDomain(op)) {
  if (op.isBounded()) {
    lower = lowering.cut(op.getLower());
    upper = lowering.cut(op.getUpper());
  }
  for (auto [n, value] : llvm::enumerate(op.getFibers())) {
    fibers.push_back(lowering.fiber(value));
    auto [path, last] = clipPath(op, n);
    ranges.push_back(childRange(b, fibers.back(), path,
                                lower ? &*lower : nullptr,
                                upper ? &*upper : nullptr, last));
    if (!ranges.back().level->isFull() && takesPart(op, n))
      stored.push_back(n);
  }
  for (Value guard : op.getGuards())
    guards.push_back(lowering.fiber(guard));
}

Values Coiteration::inits() const {
  Values values;
  for (unsigned n : stored)
    values.push_back(ranges[n].begin);
  llvm::append_range(values, CoiterateOp(op).getInits());
  return values;
}

Values Coiteration::ends() const {
  return llvm::map_to_vector(
      stored, [&](unsigned n) -> Value { return ranges[n].end; });
}

SmallVector<FiberValue> Coiteration::children() const {
  return llvm::map_to_vector(fibers, [](const FiberValue &fiber) {
    return FiberValue{fiber.tensor, fiber.level + 1, Value(), kAlways,
                      std::nullopt};
  });
}

Values Coiteration::emitCopy(llvm::function_ref<Values()> emit) {
  CoiterateOp original = op;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(original);
    op = cast<CoiterateOp>(b.clone(*original));
  }
  Values results = emit();
  lowering.eraseLater(op);
  op = original;
  return results;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Finds the child of a full fiber at a coordinate. Returns whether that may
/// lie behind all children, and does; null if it cannot.
///
/// If terms share the loop, the coordinate may be another operand's: there is
/// no child. If not, the operand that stores it was edited: the body runs with
/// the first child, and reports it.
Value Coiteration::locateChild(unsigned n, Value coordinate,
                               FiberValue &child) {
  Condition isThere = fibers[n].present;
  Value offset = coordinate, outside;
  if (!isAlways(domain) || op.getExtent()) {
    Number extent(b, ranges[n].level->extent(b));
    Number inside = Number(b, coordinate) < extent;
    isThere = emitBoth(b, isThere, op.getExtent() ? inside : extent != 0);
    offset = select(inside, coordinate, 0);
    if (!op.getExtent())
      outside = !inside;
  }
  // All children of an absent fiber get the position of the first child of
  // the next fiber.
  if (!fibers[n].present.isAlways())
    offset = emitSelect(b, fibers[n].present, offset, 0);
  child.position = Number(b, ranges[n].first) + offset;
  child.present = isThere;
  return outside;
}

/// Whether a fiber has children.
static Value hasChildren(ImplicitLocOpBuilder &b, const FiberValue &fiber) {
  ChildRange range = childRange(b, fiber);
  Value last =
      range.level->isFull() ? range.level->extent(b) : Value(range.end);
  Value first = range.level->isFull() ? Number(b, 0) : range.begin;
  return Number(b, first) < last;
}

/// Whether the merge expression holds for the children that are present:
/// always, if the loop only stops where an operand is.
Condition Coiteration::mergeHolds(ArrayRef<FiberValue> children) {
  bool isSparse = stored.size() == fibers.size() && guards.empty() &&
                  op.getNonempty().empty();
  if (isSparse && holdsAtAny(op.getMerge(), fibers.size()))
    return kAlways;
  SmallVector<Condition> present;
  for (const FiberValue &fiber :
       llvm::concat<const FiberValue>(children, ArrayRef<FiberValue>(guards)))
    present.push_back(fiber.present);
  return emitMerge(b, op.getMerge(), present);
}

/// Maps the arguments of the body, moves it to where the builder is, and lowers
/// it there. Returns the values that it yielded.
Values Coiteration::enterBody(Value coordinate, ArrayRef<FiberValue> children,
                              ValueRange carried) {
  op.getCoordinate().replaceAllUsesWith(coordinate);
  for (auto [value, child] : llvm::zip(op.getChildren(), children))
    lowering.setFiber(value, child);
  if (op.isBounded()) {
    lowering.setCut(op.getInnerLower(), lower->enter(b, coordinate));
    lowering.setCut(op.getInnerUpper(), upper->enter(b, coordinate));
  }
  for (auto [arg, value] : llvm::zip(op.getCarried(), carried))
    arg.replaceAllUsesWith(value);
  return lowering.moveOps(op.getBodyBlock(), b.getInsertionBlock());
}

/// Whether this is the outermost loop of a part, and loops in its body ask
/// whether the cuts are there.
bool Coiteration::asksForCuts() const {
  CoiterateOp asking = op;
  return cutsInside(asking) && lower->on.isAlways() && upper->on.isAlways() &&
         !(asking.getInnerLower().use_empty() &&
           asking.getInnerUpper().use_empty());
}

/// if coordinate is that of a cut: body, which asks whether the cuts are there
/// else:                           body, in which no cut is
Values Coiteration::emitByCut(Value coordinate, ArrayRef<FiberValue> children,
                              ValueRange carried) {
  Condition isCut = emitEither(b, lower->enter(b, coordinate).on,
                               upper->enter(b, coordinate).on);
  auto branch = scf::IfOp::create(b, carried.getTypes(), emitFlag(b, isCut),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  Values cut =
      emitCopy([&] { return enterBody(coordinate, children, carried); });
  scf::YieldOp::create(b, cut);
  b.setInsertionPointToEnd(branch.elseBlock());
  lower->isReached = upper->isReached = false;
  scf::YieldOp::create(b, enterBody(coordinate, children, carried));
  lower->isReached = upper->isReached = std::nullopt;
  return Values(branch.getResults());
}

Values Coiteration::emitBody(Value coordinate, SmallVector<FiberValue> children,
                             ValueRange carried) {
  Values outside(children.size());
  for (unsigned n = 0; n < children.size(); ++n)
    if (ranges[n].level->isFull())
      outside[n] = locateChild(n, coordinate, children[n]);
  for (int32_t n : op.getNonempty()) {
    Value some = hasChildren(b, children[n]);
    if (outside[n])
      some = Number(b, some) | outside[n];
    children[n].present = emitBoth(b, children[n].present, some);
  }
  Condition holds = mergeHolds(children);
  // Operands that are certainly present when the body runs need no flag.
  for (unsigned n = 0; n < children.size(); ++n)
    if (holdsOnlyWith(op.getMerge(), n))
      children[n].present = kAlways;
  auto emit = [&] {
    return dividesCuts && asksForCuts()
               ? emitByCut(coordinate, children, carried)
               : enterBody(coordinate, children, carried);
  };
  if (holds.isAlways())
    return emit();

  bool carries = !carried.empty();
  auto ifOp = scf::IfOp::create(b, carried.getTypes(), holds.flag(),
                                /*withElseRegion=*/carries);
  OpBuilder::InsertionGuard guard(b);
  Block *block = ifOp.thenBlock();
  if (!block->empty())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  scf::YieldOp::create(b, emit());
  if (carries) {
    b.setInsertionPointToEnd(ifOp.elseBlock());
    scf::YieldOp::create(b, carried);
  }
  return Values(ifOp.getResults());
}
