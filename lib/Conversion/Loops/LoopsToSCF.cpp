//===- LoopsToSCF.cpp - One scf loop per coiteration ----------------------===//
//
// Lowers the coiterations of the assemble and compute functions and the loads
// of elements in them. The code is linear in the number of operands: there is
// no loop or region for each point of the merge lattice, except that an
// innermost union of two operands may branch.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "../Elements.h"
#include "LoopLowering.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOLOOPSTOSCF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The path leads down to the innermost loop that is cut, if the operand takes
/// part in all loops on the way.
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

void LoopLowering::lowerCoiterate(CoiterateOp op) {
  Loop loop = startLoop(op);
  SmallVector<Value> results = emitLoop(loop);
  op.replaceAllUsesWith(ArrayRef(results).take_back(op.getNumResults()));
}

/// Computes where the operands of a coiteration begin and end.
LoopLowering::Loop LoopLowering::startLoop(CoiterateOp op) {
  Loop loop;
  loop.op = op;
  if (op.isBounded()) {
    loop.lower = lowering.cut(op.getLower());
    loop.upper = lowering.cut(op.getUpper());
  }
  for (auto [n, value] : llvm::enumerate(op.getFibers())) {
    loop.fibers.push_back(lowering.fiber(value));
    auto [path, last] = clipPath(op, n);
    loop.ranges.push_back(childRange(
        b, loop.fibers.back(), path, loop.lower ? &*loop.lower : nullptr,
        loop.upper ? &*loop.upper : nullptr, last));
    if (!loop.ranges.back().level->isFull() && takesPart(op, n))
      loop.stored.push_back(n);
  }
  for (Value guard : op.getGuards())
    loop.guards.push_back(lowering.fiber(guard));
  return loop;
}

/// Emits the loop that suits the merge expression. Returns the values that the
/// coiteration carries out.
SmallVector<Value> LoopLowering::emitLoop(Loop &loop) {
  MergeAttr domain = iterationDomain(loop.op);
  if (isNever(domain))
    return loop.op.getInits();
  if (isAlways(domain))
    return emitAll(loop);
  // One operand with unique coordinates has nothing to be merged with.
  if (loop.stored.size() == 1 &&
      loop.ranges[loop.stored.front()].level->isUnique())
    return emitOne(loop);
  unsigned lanes = loop.stored.size() > 1 ? lanesOf(loop) : 0;
  if (lanes && loop.stored.size() == 2 && domain == bothStored(loop))
    return emitInWindows(loop, &LoopLowering::emitBlocks);
  std::optional<unsigned> probe = findProbe(loop, domain);
  return lanes && probe ? countProbed(loop, *probe, lanes)
                        : emitMerge(loop, domain);
}

/// The child of a full fiber at a coordinate. Sets `present` to whether the
/// child is there, and returns its position.
Value LoopLowering::locateChild(Loop &loop, unsigned n, Value coordinate,
                                bool visitsAll, Condition &present) {
  present = loop.fibers[n].present;
  Value offset = coordinate;
  if (!visitsAll || loop.op.getExtent()) {
    // The coordinate may lie outside of this operand: another operand may
    // store it, or the loop may have a larger extent.
    Number inside = Number(b, coordinate) < loop.ranges[n].level->extent(b);
    present = emitBoth(b, present, inside);
    offset = select(inside, coordinate, 0);
  }
  // All children of an absent fiber get the position of the first child of
  // the next fiber.
  if (!loop.fibers[n].present.isAlways())
    offset = emitSelect(b, loop.fibers[n].present, offset, 0);
  return Number(b, loop.ranges[n].first) + offset;
}

/// Whether the merge expression holds for the operands that are present:
/// always, if the loop only stops where an operand is.
Condition LoopLowering::mergeHolds(Loop &loop, Conditions present) {
  MergeAttr merge = loop.op.getMerge();
  unsigned numFibers = loop.fibers.size();
  bool isSparse = loop.stored.size() == numFibers && loop.guards.empty() &&
                  loop.op.getNonempty().empty();
  if (isSparse && holdsAtAny(merge, numFibers))
    return kAlways;
  for (const FiberValue &guard : loop.guards)
    present.push_back(guard.present);
  return nacho::emitMerge(b, merge, present);
}

SmallVector<Value> LoopLowering::emitBody(Loop &loop, Value coordinate,
                                          Conditions present,
                                          ArrayRef<Value> positions,
                                          const Ends &ends, ValueRange carried,
                                          bool visitsAll) {
  unsigned numFibers = loop.fibers.size();
  SmallVector<Value> children(positions);
  for (unsigned n = 0; n < numFibers; ++n)
    if (loop.ranges[n].level->isFull())
      children[n] = locateChild(loop, n, coordinate, visitsAll, present[n]);
  for (int32_t n : loop.op.getNonempty())
    present[n] = emitBoth(
        b, present[n], hasChildren(loop, n, children[n], present[n], ends[n]));
  Condition holds = mergeHolds(loop, present);
  // Operands that are certainly present when the body runs need no flag.
  for (unsigned n = 0; n < numFibers; ++n)
    if (holdsOnlyWith(loop.op.getMerge(), n))
      present[n] = kAlways;

  SmallVector<Value> yielded;
  if (holds.isAlways()) {
    enterBody(loop, coordinate, present, children, ends);
    moveBody(loop, b.getInsertionBlock(), carried, yielded);
    return yielded;
  }
  bool carries = !carried.empty();
  auto ifOp = scf::IfOp::create(b, carried.getTypes(), holds.flag(),
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

/// Whether an operand's child at a position has children of its own.
Value LoopLowering::hasChildren(const Loop &loop, unsigned n, Value position,
                                Condition present, std::optional<Value> end) {
  const FiberValue &parent = loop.fibers[n];
  ChildRange range =
      childRange(b, {parent.tensor, parent.level + 1, position, present, end});
  Value last =
      range.level->isFull() ? range.level->extent(b) : Value(range.end);
  Value first = range.level->isFull() ? Number(b, 0) : range.begin;
  return Number(b, first) < last;
}

/// Maps the arguments of the body to the current coordinate and children.
void LoopLowering::enterBody(Loop &loop, Value coordinate,
                             const Conditions &present,
                             ArrayRef<Value> childPositions, const Ends &ends) {
  loop.op.getCoordinate().replaceAllUsesWith(coordinate);
  for (auto [n, value] : llvm::enumerate(loop.op.getChildren())) {
    FiberValue child = {loop.fibers[n].tensor,
                        loop.fibers[n].level + 1,
                        childPositions[n],
                        present[n],
                        ends[n],
                        loop.isAlive && llvm::is_contained(loop.stored, n)};
    for (const Row &row : loop.rows)
      if (row.operand == n)
        child.children = row.children;
    lowering.setFiber(value, child);
  }
  if (!loop.op.isBounded())
    return;
  lowering.setCut(loop.op.getInnerLower(),
                  enterCut(*loop.lower, coordinate, loop.onLower));
  lowering.setCut(loop.op.getInnerUpper(),
                  enterCut(*loop.upper, coordinate, loop.onUpper));
}

void LoopLowering::moveBody(Loop &loop, Block *block, ValueRange carried,
                            SmallVectorImpl<Value> &yielded) {
  for (auto [arg, value] : llvm::zip(loop.op.getCarried(), carried))
    arg.replaceAllUsesWith(value);
  llvm::append_range(yielded, lowering.moveOps(loop.op.getBodyBlock(), block));
}

static void lowerCoiterate(FiberLowering &lowering, CoiterateOp op) {
  LoopLowering(lowering).lowerCoiterate(op);
}

static void lowerCount(FiberLowering &lowering, CountOp op) {
  LoopLowering(lowering).lowerCount(op);
}

namespace {
struct LoopsToSCF : nacho::impl::ConvertNachoLoopsToSCFBase<LoopsToSCF> {
  using ConvertNachoLoopsToSCFBase::ConvertNachoLoopsToSCFBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    WalkResult earlier = func.walk([](Operation *op) -> WalkResult {
      if (isa<NestOp>(op))
        return op->emitOpError("must be assembled before its loops can be "
                               "lowered");
      if (isa<PartitionOp>(op))
        return op->emitOpError("must be assembled before its searches can be "
                               "lowered");
      return WalkResult::advance();
    });
    if (earlier.wasInterrupted())
      return signalPassFailure();
    FiberLowering lowering(func, {branches, together, vectorBits});
    addFiberOps(lowering);
    addFiberPrefetches(lowering);
    addFoundFibers(lowering);
    addSearches(lowering);
    addElementOps(lowering);
    lowering.add(lowerCoiterate, lowerCount);
    if (failed(lowering.run()))
      signalPassFailure();
  }
};
} // namespace
