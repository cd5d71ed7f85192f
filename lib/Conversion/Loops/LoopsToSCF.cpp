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
    present = both(present, inside);
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
    present[n] = both(present[n],
                      hasChildren(loop, n, children[n], present[n], ends[n]));
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
      childRange({parent.tensor, parent.level + 1, position, present, end});
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
    setFiber(value, child);
  }
  if (!loop.op.isBounded())
    return;
  setCut(loop.op.getInnerLower(),
         enterCut(*loop.lower, coordinate, loop.onLower));
  setCut(loop.op.getInnerUpper(),
         enterCut(*loop.upper, coordinate, loop.onUpper));
}

void LoopLowering::moveBody(Loop &loop, Block *block, ValueRange carried,
                            SmallVectorImpl<Value> &yielded) {
  for (auto [arg, value] : llvm::zip(loop.op.getCarried(), carried))
    arg.replaceAllUsesWith(value);
  llvm::append_range(yielded, moveOps(loop.op.getBodyBlock(), block));
}

/// Moves the ops of a region to the end of `block` and lowers them there.
/// Returns the values that the region yielded.
SmallVector<Value> LoopLowering::moveOps(Block *body, Block *block) {
  Operation *last = block->empty() ? nullptr : &block->back();
  block->getOperations().splice(block->end(), body->getOperations());
  Operation *yield = &block->back();
  Block::iterator from =
      last ? std::next(Block::iterator(last)) : block->begin();
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(from, Block::iterator(yield))))
    lowerOp(op);
  SmallVector<Value> yielded(yield->getOperands());
  yield->erase();
  b.setInsertionPointToEnd(block);
  return yielded;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void LoopLowering::lowerLoad(LoadOp op) {
  FiberValue element = fiber(op.getElement());
  Value values = emitValues(b, element.tensor);
  Value at = element.position;
  Condition present = element.present;
  if (!present.isAlways() && !element.isReadable)
    at = emitSelect(b, present, at, 0);
  Value value = memref::LoadOp::create(b, values, at);
  if (!present.isAlways())
    value = selectOrZero(b, present.flag(), value);
  op.replaceAllUsesWith(value);
}

/// Whether the coordinate of a loop lies inside the extent of a tensor. That of
/// a loop over all coordinates of an index always does, for all tensors have
/// the same extent there.
Condition LoopLowering::isInside(Value coordinate, Value tensor,
                                 unsigned dimension) {
  auto arg = dyn_cast<BlockArgument>(coordinate);
  auto loop =
      arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  if ((loop && loop.getInductionVar() == coordinate) ||
      visited.contains(coordinate))
    return kAlways;
  Number number(b, dimension);
  Value extent = tensor::DimOp::create(b, tensor, number);
  return Number(b, coordinate) < extent;
}

void LoopLowering::lowerLocate(LocateOp op) {
  Value tensor = op.getTensor();
  Condition isThere = fromOperand(op.getCondition()), valid = isThere;
  for (auto [n, coordinate] : llvm::enumerate(op.getCoordinates()))
    valid = both(valid, isInside(coordinate, tensor, n));
  // Checked lanes are those of another row, if this row is outside.
  auto type = cast<RankedTensorType>(tensor.getType());
  bool isOtherRow = op.getLanes() && op.getChecked();
  unsigned along = type.getRank() ? dimensionOf(type, type.getRank() - 1) : 0;
  SmallVector<Value> at;
  for (auto [n, coordinate] : llvm::enumerate(op.getCoordinates())) {
    bool isKept = valid.isAlways() || (isOtherRow && n == along);
    at.push_back(isKept ? coordinate : emitSelect(b, valid, coordinate, 0));
  }
  Condition isValue = op.getChecked() ? isThere : valid;
  if (op.getLanes())
    return op.replaceAllUsesWith(readLanes(op, at, isValue));
  Value value = tensor::ExtractOp::create(b, tensor, at);
  if (!isValue.isAlways())
    value = selectOrZero(b, isValue.flag(), value);
  op.replaceAllUsesWith(value);
}

/// Reads the elements of the lanes that are set, or none if the condition does
/// not hold.
Value LoopLowering::readLanes(LocateOp op, ValueRange at, Condition condition) {
  Value lanes = op.getLanes();
  if (!condition.isAlways()) {
    Number none(b, 0, lanes.getType());
    lanes = emitSelect(b, condition, lanes, none);
  }
  auto tensor = cast<RankedTensorType>(op.getTensor().getType());
  AffineExpr along = b.getAffineDimExpr(dimensionOf(tensor, at.size() - 1));
  auto map = AffineMap::get(at.size(), 0, along, b.getContext());
  Value zero = emitZero(b, tensor.getElementType());
  return vector::TransferReadOp::create(b, op.getType(), op.getTensor(), at,
                                        map, zero, lanes,
                                        b.getBoolArrayAttr({true}));
}

void LoopLowering::lowerRestrict(RestrictOp op) {
  Conditions present;
  for (Value value : op.getFibers())
    present.push_back(fiber(value).present);
  Condition holds = nacho::emitMerge(b, op.getMerge(), present);
  if (holds.isAlways())
    return op.replaceAllUsesWith(op.getValue());
  op.replaceAllUsesWith(
      emitSelect(b, holds, op.getValue(), emitZero(b, op.getType())));
}

/// for n = 0 to length: sums[row, first + n] += term(n)
void LoopLowering::lowerAccumulate(AccumulateOp op) {
  OpBuilder::InsertionGuard guard(b);
  if (op.getCondition()) {
    auto ifHolds =
        scf::IfOp::create(b, op.getCondition(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifHolds.thenBlock());
  }
  auto loop = scf::ForOp::create(b, Number(b, 0), op.getLength(), Number(b, 1));
  Block *block = loop.getBody();
  block->back().erase();
  op.getNumber().replaceAllUsesWith(loop.getInductionVar());
  b.setInsertionPointToEnd(block);
  SmallVector<Value> terms = moveOps(op.getBodyBlock(), block);
  Value number = Number(b, op.getFirst()) + loop.getInductionVar();
  for (auto [sums, term] : llvm::zip(op.getSums(), terms)) {
    SmallVector<Value> at = {op.getRow(), number};
    Value before = memref::LoadOp::create(b, sums, at);
    Value after = op.getMonoid().emit(b, before, term);
    memref::StoreOp::create(b, after, sums, at);
  }
  scf::YieldOp::create(b);
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
    if (earlier.wasInterrupted() ||
        failed(LoopLowering(func, branches, together, vectorBits).run()))
      signalPassFailure();
  }
};
} // namespace
