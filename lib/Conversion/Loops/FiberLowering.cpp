//===- FiberLowering.cpp - Fibers and cuts as SSA values ------------------===//

#include "FiberLowering.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace nacho;

CutValue CutValue::enter(ImplicitLocOpBuilder &b, Value coordinate) const {
  CutValue inner;
  inner.on = emitBoth(b, on, Number(b, coordinate) == loops.front().coordinate);
  inner.cost = cost;
  inner.loops.assign(loops.begin() + 1, loops.end());
  return inner;
}

FiberLowering::FiberLowering(func::FuncOp func)
    : func(func), b(func.getLoc(), func.getContext()) {
  lowerWith(&FiberLowering::lowerOnCut);
  lowerWith(&FiberLowering::lowerCutCost);
  lowerWith(&FiberLowering::lowerCutCoordinate);
  lowerWith(&FiberLowering::lowerCutPosition);
  lowerWith(&FiberLowering::lowerPresent);
  lowerWith(&FiberLowering::lowerExtent);
  lowerWith(&FiberLowering::lowerPosition);
  lowerWith(&FiberLowering::lowerRecall);
  lowerWith(&FiberLowering::lowerCost);
  lowerWith(&FiberLowering::lowerFiberAt);
  lowerWith(&FiberLowering::lowerChildrenAt);
  lowerWith(&FiberLowering::lowerPieces);
  lowerWith(&FiberLowering::lowerFind);
  lowerWith(&FiberLowering::lowerSeek);
  lowerWith(&FiberLowering::lowerAhead);
  lowerWith(&FiberLowering::lowerPrefetch);
  lowerWith(&FiberLowering::lowerPrefetchRow);
}

void FiberLowering::refuse(Operation *op, const Twine &why) {
  op->emitOpError(why);
  isRefused = true;
}

LogicalResult FiberLowering::run() {
  lowerOp(*func);
  if (!isRefused)
    refuseRemainingUses();
  if (isRefused)
    return failure();
  // The replaced ops still use each other's fibers and cuts, so that no order
  // of erasing them is safe before all references are dropped.
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation *op : replaced)
    op->erase();
  // Erase roots and cuts that only the erased ops used.
  func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<RootOp, LoadCutOp>(op) && op->use_empty())
      op->erase();
  });
  return success();
}

/// Refuses ops that this lowering does not know, and that use a fiber or a cut
/// which it replaces.
void FiberLowering::refuseRemainingUses() {
  SmallPtrSet<Operation *, 16> gone(replaced.begin(), replaced.end());
  auto isGone = [&](Operation *op) {
    while (op && !gone.contains(op))
      op = op->getParentOp();
    return op != nullptr;
  };
  for (Operation *op : replaced)
    for (Operation *user : op->getUsers())
      if (!isGone(user))
        return refuse(user, "uses a fiber or a cut that only another pass can "
                            "lower");
}

bool FiberLowering::isResolved(Value value) const {
  if (isa<CutType>(value.getType()))
    return cuts.contains(value) || value.getDefiningOp<LoadCutOp>();
  if (!isa<FiberType>(value.getType()) || fibers.contains(value))
    return true;
  auto root = value.getDefiningOp<RootOp>();
  if (!root || !isReadable(root.getFiber().getType()))
    return false;
  auto flatten = root.getTensor().getDefiningOp<FlattenOp>();
  return !flatten || hasSupportedLevels(flatten.getTensor().getType());
}

void FiberLowering::lowerOp(Operation &op) {
  if (isRefused)
    return;
  b.setLoc(op.getLoc());
  b.setInsertionPoint(&op);
  auto lowering = lowerings.find(op.getName().getTypeID());
  if (lowering != lowerings.end()) {
    if (!llvm::all_of(op.getOperands(),
                      [&](Value operand) { return isResolved(operand); }))
      return refuse(&op, "needs fibers of tensors with supported levels, and "
                         "cuts, that this function makes itself");
    lowering->second(&op);
    eraseLater(&op);
    return;
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      for (Operation &nested : llvm::make_early_inc_range(block))
        lowerOp(nested);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Condition FiberLowering::both(Condition x, Condition y) {
  return emitBoth(b, x, y);
}

FiberValue FiberLowering::fiber(Value value) {
  auto known = fibers.find(value);
  if (known != fibers.end())
    return known->second;
  auto root = value.getDefiningOp<RootOp>();
  assert(root && "a fiber comes from a root, a loop, or a search");
  return {root.getTensor(), 0, Number(b, 0), kAlways, std::nullopt};
}

CutValue FiberLowering::cut(Value value) {
  auto known = cuts.find(value);
  if (known != cuts.end())
    return known->second;
  auto load = value.getDefiningOp<LoadCutOp>();
  assert(load && "a cut comes from a buffer, a loop, or a search");
  return cuts[value] = loadCut(load);
}

/// The loaded values are in the order cost, coordinates, positions.
CutValue FiberLowering::loadCut(LoadCutOp op) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  int64_t column = 0;
  auto next = [&]() -> Value {
    Number at(b, column++);
    return memref::LoadOp::create(b, op.getBounds(),
                                  ValueRange{op.getRow(), at});
  };
  CutValue cut;
  cut.cost = next();
  ArrayRef<int64_t> widths = cast<CutType>(op.getCut().getType()).getWidths();
  for (size_t loop = 0; loop < widths.size(); ++loop)
    cut.loops.push_back({next(), {}});
  for (auto [loop, width] : llvm::zip(cut.loops, widths))
    for (int64_t n = 0; n < width; ++n)
      loop.positions.push_back(next());
  return cut;
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

/// The whole fiber has the children from begin(p) up to the end of those of the
/// parents before p + present: none if the fiber is absent. A cut clips only
/// where it is on, and only an operand whose fiber is present: for an absent
/// fiber, the cut has positions of the next fiber. A run is clipped by the
/// position that the cut has in the innermost loop that takes the run apart, so
/// that no part steps through entries of another part.
ChildRange FiberLowering::childRange(const FiberValue &fiber,
                                     const ClipPath &path,
                                     const CutValue *lower,
                                     const CutValue *upper,
                                     LastCoordinate last) {
  ChildRange range;
  range.level = fiber.childLevel();
  if (fiber.children) {
    range.first = range.begin = fiber.children->begin;
    range.end = fiber.children->end;
    return range;
  }
  range.first = range.level->begin(b, fiber.position);
  range.begin = range.end = range.first;
  if (range.level->isFull())
    return range;
  range.end = range.level->end(b, range.first, positionAfter(fiber));
  auto cropped = range.level->crop(b, {range.first, range.end});
  range.first = range.begin = cropped.begin;
  range.end = cropped.end;
  if (lower) {
    Value begin = lower->positionAt(path);
    if (path.size() > 1)
      begin = visitCut(range, begin, lower->loops.front().coordinate);
    // The first cut of all is at position 0, which may be in a gap, or before
    // the slice that the fiber belongs to.
    auto type = cast<RankedTensorType>(fiber.tensor.getType());
    if (hasGaps(type, fiber.level) || fiber.tensor.getDefiningOp<SliceOp>())
      begin = max(Number(b, begin), range.first);
    range.begin =
        emitSelect(b, both(lower->on, fiber.present), begin, range.first);
  }
  if (upper) {
    Condition clips = both(upper->on, fiber.present);
    range.end =
        emitSelect(b, clips, clippedEnd(range, path, *upper, last), range.end);
  }
  return range;
}

/// The end of the children of a fiber at a cut. If that is included, it is
/// behind what the operand stores at the cut's coordinate: if inner loops take
/// runs apart, only the entry in which the cut is, otherwise the whole run.
Value FiberLowering::clippedEnd(const ChildRange &range, const ClipPath &path,
                                const CutValue &upper, LastCoordinate last) {
  Value end = upper.positionAt(path);
  Value coordinate = upper.loops.front().coordinate;
  bool isIncluded = last == LastCoordinate::included;
  if (isIncluded && !range.level->isUnique() && path.size() == 1) {
    end = endOfRun(*range.level, coordinate, end, range.end);
  } else if (isIncluded) {
    Number last(b, coordinateOrInfinity(range, end));
    Number isStored = last == coordinate;
    end = Number(b, end) + isStored.asIndex();
  }
  // The last cut of all is at the end of the level.
  if (range.level->isCropped())
    end = min(Number(b, end), range.end);
  return end;
}

/// The position after the last parent of a fiber.
Value FiberLowering::positionAfter(const FiberValue &fiber) {
  if (fiber.end)
    return *fiber.end;
  Value step = fiber.present.isAlways()
                   ? Number(b, 1)
                   : Number(b, fiber.present.flag()).asIndex();
  return Number(b, fiber.position) + step;
}

/// Moves `begin` one position back if the entry there has the coordinate of the
/// cut, too: the part that finishes a coordinate has to visit it even if all of
/// its entries are in earlier parts.
Value FiberLowering::visitCut(const ChildRange &range, Value begin,
                              Value coordinate) {
  Number inside = Number(b, begin) > range.first;
  Value before = Number(b, begin) - 1;
  Value safe = select(inside, before, 0);
  Number stored(b, range.level->coordinate(b, safe));
  Value same = stored == coordinate;
  return emitSelect(b, both(inside, same), before, begin);
}

Value FiberLowering::endOfRun(const Level &level, Value coordinate, Value low,
                              Value high) {
  Value next = Number(b, coordinate) + 1;
  return level.lowerBound(b, next, low, low, high);
}

Value FiberLowering::coordinateOrInfinity(const ChildRange &range,
                                          Value position) {
  Number alive = Number(b, position) < range.end;
  Value safe = select(alive, position, kReadablePosition);
  Value stored = range.level->coordinate(b, safe);
  Number infinity(b, kInfinity);
  return select(alive, stored, infinity);
}

//===----------------------------------------------------------------------===//
// Ops that loops and searches have in common
//===----------------------------------------------------------------------===//

/// Whether a user of a recalled position has to expect an absent fiber.
static bool mayBeAbsent(Operation *user) {
  auto at = dyn_cast<FiberAtOp>(user);
  return !isa<ChildrenAtOp>(user) && (!at || !at.getCertain());
}

void FiberLowering::lowerOnCut(OnCutOp op) {
  op.replaceAllUsesWith(emitFlag(b, cut(op.getCut()).on));
}

void FiberLowering::lowerCutCost(CutCostOp op) {
  op.replaceAllUsesWith(cut(op.getCut()).cost);
}

void FiberLowering::lowerCutCoordinate(CutCoordinateOp op) {
  op.replaceAllUsesWith(cut(op.getCut()).loops[op.getLoop()].coordinate);
}

void FiberLowering::lowerCutPosition(CutPositionOp op) {
  CutValue value = cut(op.getCut());
  op.replaceAllUsesWith(value.loops[op.getLoop()].positions[op.getNumber()]);
}

void FiberLowering::lowerPresent(PresentOp op) {
  op.replaceAllUsesWith(emitFlag(b, fiber(op.getFiber()).present));
}

void FiberLowering::lowerExtent(ExtentOp op) {
  FiberValue of = fiber(op.getFiber());
  op.replaceAllUsesWith(Level::get(of.tensor, of.level)->extent(b));
}

void FiberLowering::lowerPosition(PositionOp op) {
  FiberValue of = fiber(op.getFiber());
  Value at = op.getEnd() ? *of.end : of.position;
  op.replaceAllUsesWith(emitSelect(b, of.present, at, kAbsentPosition));
}

void FiberLowering::lowerRecall(RecallOp op) {
  FiberValue of = fiber(op.getFiber());
  Value at = emitSelect(b, of.present, of.position, kReadablePosition);
  if (op.getAhead())
    at = entryAhead(of.tensor, at, op.getAhead());
  auto level = Level::get(of.tensor, of.level + op.getBelow());
  Number none(b, kRecalledAbsent);
  Value kept = level->coordinate(b, at);
  if (llvm::any_of(op->getUsers(), mayBeAbsent))
    kept = wideRecall(of.tensor, kept);
  op.replaceAllUsesWith(emitSelect(b, of.present, kept, none));
}

void FiberLowering::lowerCost(CostOp cost) {
  FiberValue of = fiber(cost.getFiber());
  ChildRange range = childRange(of);
  Value to = cost.getPosition();
  if (!to && range.level->isFull()) {
    Value extent = range.level->extent(b);
    if (!of.present.isAlways())
      extent = emitSelect(b, of.present, extent, 0);
    to = Number(b, range.first) + extent;
  } else if (!to) {
    to = range.end;
  }
  unsigned below = of.level + cost.getBelow();
  if (cost.getKind() != CostKind::loops)
    below = cast<RankedTensorType>(of.tensor.getType()).getRank() - 1;
  bool isWhole = !cost.getPosition();
  Value from = range.first;
  for (unsigned level = of.level; level < below; ++level) {
    auto next = Level::get(of.tensor, level + 1);
    from = next->begin(b, from);
    // What lies behind the last child of a whole fiber is not part of it.
    to = isWhole ? next->end(b, from, to) : next->begin(b, to);
  }
  if (cost.getKind() == CostKind::scan) {
    from = sumBefore(of.tensor, from);
    to = sumBefore(of.tensor, to);
  }
  cost.replaceAllUsesWith(Number(b, to) - from);
}

/// Widens a kept coordinate to 64 bits: -1 of 32 bits becomes
/// `kRecalledAbsent`, as -1 of 64 bits does when it is loaded.
Value FiberLowering::wideRecall(Value list, Value kept) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(list.getType());
  if (encoding.getCrdWidth() != 32)
    return kept;
  Number narrowNone(b, std::numeric_limits<uint32_t>::max());
  Number isThere = Number(b, kept) != narrowNone;
  return select(isThere, kept, kRecalledAbsent);
}

/// The position of the entry of a list that is `ahead` entries further on, or
/// of the last entry.
Value FiberLowering::entryAhead(Value list, Value position, int64_t ahead) {
  Value size = memref::DimOp::create(b, emitValues(b, list), Number(b, 0));
  Value last = Number(b, size) - 1;
  return min(Number(b, position) + ahead, last);
}

/// The sum of the costs before a position. `list` has the inclusive prefix sums
/// of the costs as its values.
Value FiberLowering::sumBefore(Value list, Value position) {
  Value values = emitValues(b, list);
  Number any = Number(b, position) != 0;
  Value before = Number(b, position) - 1;
  Value sum = memref::LoadOp::create(b, values, select(any, before, 0));
  sum = Number(b, sum).asSigned(b.getIndexType());
  return select(any, sum, 0);
}
