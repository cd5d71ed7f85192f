//===- LoopRows.cpp - Loops over all coordinates, such as those of rows ---===//
//
// Where one row ends, the next one begins. So a loop over the rows of a part
// begins at the position of the lower cut, and hands on the end of each row:
//
//   for row = first to end carrying begin:
//     next = min(pos[row + 1], position of the upper cut)
//     body(row, entries from begin to next)
//     begin = next
//
// The cuts may divide the first and the last row. Where the body asks whether
// they do, each of both rows gets a copy of the body of its own, and in the
// loop over the others the answer is known. Where it matters to no entry in
// which row it is, one loop over the entries of all rows does the same.
//
//===----------------------------------------------------------------------===//

#include "LoopLowering.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// The first coordinate of a loop that visits all coordinates between the cuts.
Value LoopLowering::firstCoordinate(const Loop &loop) {
  if (!loop.lower)
    return Number(b, 0);
  return emitSelect(b, loop.lower->on, loop.lower->loops.front().coordinate, 0);
}

Value LoopLowering::extentOf(const Loop &loop) {
  Value extent = CoiterateOp(loop.op).getExtent();
  return extent ? extent : loop.ranges.front().level->extent(b);
}

Value LoopLowering::endCoordinate(const Loop &loop) {
  Value extent = extentOf(loop);
  if (!loop.upper)
    return extent;
  Number end(b, loop.upper->loops.front().coordinate);
  if (cutsInside(loop.op))
    end = end + 1;
  return emitSelect(b, loop.upper->on, min(end, extent), extent);
}

//===----------------------------------------------------------------------===//
// Rows that follow one another
//===----------------------------------------------------------------------===//

/// The fibers of a loop or of a count.
static ValueRange fibersOf(Operation *op) {
  if (auto loop = dyn_cast<CoiterateOp>(op))
    return loop.getFibers();
  auto count = dyn_cast<CountOp>(op);
  return count ? ValueRange(count.getFibers()) : ValueRange();
}

/// The number that a child has among the fibers of each loop which uses it, if
/// these are right inside of the loop and between its cuts.
static std::optional<unsigned> numberInside(CoiterateOp around, Value child) {
  std::optional<unsigned> number;
  for (Operation *user : child.getUsers()) {
    ValueRange fibers = fibersOf(user);
    unsigned here = llvm::find(fibers, child) - fibers.begin();
    if (user->getParentOp() != around || here == fibers.size() ||
        !llvm::is_contained(user->getOperands(), around.getInnerLower()) ||
        number.value_or(here) != here)
      return std::nullopt;
    number = here;
  }
  return number;
}

/// Whether the cuts of the loops inside cut loops inside of these.
static bool cutsInsideRows(CoiterateOp rows) {
  return cast<CutType>(rows.getInnerLower().getType()).getWidths().size() > 1;
}

/// The rows of operand `n`, if each of them ends where the next one begins.
std::optional<LoopLowering::Row> LoopLowering::rowOf(const Loop &loop,
                                                     unsigned n) {
  CoiterateOp op = loop.op;
  const FiberValue &fiber = loop.fibers[n];
  std::optional<unsigned> number = numberInside(op, op.getChildren()[n]);
  // The first cut of all is before the first row of a slice.
  if (!number || !loop.ranges[n].level->isFull() || !fiber.present.isAlways() ||
      fiber.shift || fiber.tensor.getDefiningOp<SliceOp>())
    return std::nullopt;
  std::unique_ptr<Level> level = Level::get(fiber.tensor, fiber.level + 1);
  if (!level->adjoins() || (cutsInsideRows(op) && !level->isUnique()))
    return std::nullopt;
  auto at = [&](const CutValue &cut) {
    return cut.loops[1].positions[*number];
  };
  return Row{n, *number, at(*loop.lower), at(*loop.upper), {}};
}

/// Whether a loop begins and ends in rows that its cuts may divide.
bool LoopLowering::isCutInRows(const Loop &loop) {
  return cutsInside(loop.op) && loop.lower->on.isAlways() &&
         loop.upper->on.isAlways();
}

/// Finds the operands whose rows follow one another.
void LoopLowering::findRows(Loop &loop) {
  CoiterateOp op = loop.op;
  if (!isCutInRows(loop) || op.getExtent() || !op.getNonempty().empty())
    return;
  for (unsigned n = 0; n < loop.fibers.size(); ++n)
    if (std::optional<Row> row = rowOf(loop, n))
      loop.rows.push_back(*row);
}

/// Emits the end of a row that begins at `begin`. Returns where the next row
/// begins, which is the end unless a cut inside of a row decides on it.
Value LoopLowering::enterRow(Loop &loop, Row &row, Value coordinate,
                             Value begin) {
  const FiberValue &fiber = loop.fibers[row.operand];
  auto level = Level::get(fiber.tensor, fiber.level + 1);
  Number position = Number(b, loop.ranges[row.operand].first) + coordinate;
  Number next(b, level->begin(b, position + 1));
  Value end = next;
  if (!cutsInsideRows(loop.op)) {
    end = next = min(next, row.most);
  } else {
    CutValue upper = enterCut(*loop.upper, coordinate, loop.onUpper);
    ChildRange range = {std::move(level), begin, begin, next};
    end = emitSelect(
        b, upper.on,
        clippedEnd(b, range, {row.number}, upper, LastCoordinate::included),
        next);
  }
  row.children = {begin, end};
  return next;
}

/// The rest of a cut at a coordinate, where it may be known whether the cut is
/// there.
CutValue LoopLowering::enterCut(const CutValue &cut, Value coordinate,
                                std::optional<bool> isThere) {
  CutValue inner = cut.enter(b, coordinate);
  if (isThere)
    inner.on = *isThere ? cut.on : Condition(Number::flag(b, false));
  return inner;
}

/// Whether the body asks at each coordinate whether the cuts are there.
bool LoopLowering::asksForCuts(const Loop &loop) {
  CoiterateOp op = loop.op;
  if (!isCutInRows(loop))
    return false;
  auto isOfRow = [&](Value fiber) {
    return llvm::any_of(loop.rows, [&](const Row &row) {
      return op.getChildren()[row.operand] == fiber;
    });
  };
  auto asks = [&](Operation *user) {
    return cutsInsideRows(op) || isa<OnCutOp>(user) ||
           !llvm::all_of(fibersOf(user), isOfRow);
  };
  return llvm::any_of(op.getInnerLower().getUsers(), asks) ||
         llvm::any_of(op.getInnerUpper().getUsers(), asks);
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Emits the step at a coordinate. Returns the values for the next one.
SmallVector<Value> LoopLowering::emitRow(Loop &loop, Value coordinate,
                                         ValueRange values) {
  size_t numRows = loop.rows.size();
  SmallVector<Value> begins;
  for (auto [row, begin] : llvm::zip(loop.rows, values.take_back(numRows)))
    begins.push_back(enterRow(loop, row, coordinate, begin));
  lowering.visited.insert(coordinate);
  State state = State::unflatten(loop, values.drop_back(numRows));
  SmallVector<Value> next =
      emitStep(loop, coordinate, state, /*visitsAll=*/true).flatten();
  llvm::append_range(next, begins);
  return next;
}

/// for coordinate = from to end: body(coordinate)
SmallVector<Value> LoopLowering::emitRows(Loop &loop, Value from, Value end,
                                          ValueRange values) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Counter> counters = countersOf(loop.op);
  scf::ForOp forOp = startFor(from, end, values);
  SmallVector<Value> next =
      emitRow(loop, forOp.getInductionVar(), forOp.getRegionIterArgs());
  return finishFor(forOp, counters, 2 * loop.stored.size(), next);
}

/// if exists: body(coordinate)
SmallVector<Value> LoopLowering::emitRowIf(Loop &loop, Value exists,
                                           Value coordinate,
                                           ValueRange values) {
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, values.getTypes(), exists,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, values);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, emitRow(loop, coordinate, values));
  return SmallVector<Value>(branch.getResults());
}

/// if first < end: body(first)
/// for row = first + 1 to min(last, end): body(row), which no cut divides
/// if first < last < end: body(last)
SmallVector<Value> LoopLowering::emitPeeled(Loop &loop, Value first, Value end,
                                            SmallVector<Value> values) {
  auto isLess = [&](Value row) { return Number(b, row) < end; };
  Number second = Number(b, first) + 1;
  Value from = min(second, end);
  Value last = loop.upper->loops.front().coordinate;
  last = max(min(Number(b, last), end), from);
  loop.onLower = true;
  withCopy(loop,
           [&] { values = emitRowIf(loop, isLess(first), first, values); });
  loop.onLower = loop.onUpper = false;
  withCopy(loop, [&] { values = emitRows(loop, from, last, values); });
  loop.onUpper = true;
  return emitRowIf(loop, isLess(last), last, values);
}

/// Whether the loop over rows only takes one loop over the entries of each row
/// through the carried values.
static bool onlyStepsThroughEntries(CoiterateOp rows, CoiterateOp entries) {
  Operation *yield = rows.getBodyBlock()->getTerminator();
  return llvm::equal(rows.getCarried(), entries.getInits()) &&
         llvm::equal(yield->getOperands(), entries.getResults()) &&
         llvm::all_of(rows.getCarried(),
                      [](Value carried) { return carried.hasOneUse(); }) &&
         llvm::all_of(
             rows.getBodyBlock()->without_terminator(),
             [&](Operation &op) { return &op == entries || isPure(&op); });
}

/// Whether the entries of a row need nothing of the row.
static bool areAlikeInAllRows(CoiterateOp rows, CoiterateOp entries) {
  auto isKnown = [&](Value value) {
    Region *region = value.getParentRegion();
    return region->isProperAncestor(&rows.getBody()) ||
           entries.getBody().isAncestor(region);
  };
  WalkResult result = entries.getBody().walk([&](Operation *op) {
    return llvm::all_of(op->getOperands(), isKnown) ? WalkResult::advance()
                                                    : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether lanes may add up the terms of a loop, in an order that depends on
/// where the loop begins.
static bool addsInLanes(CoiterateOp loop) {
  Operation *yield = loop.getBodyBlock()->getTerminator();
  return llvm::any_of(yield->getOperands(), [](Value next) {
    auto sum = next.getDefiningOp<BinaryOp>();
    return sum && sum.getReassociable() && isa<FloatType>(sum.getType());
  });
}

/// Whether one loop can step through the entries of all rows.
bool LoopLowering::canJoinRows(const Loop &loop) {
  CoiterateOp rows = loop.op, entries = rows.getInnerLoop();
  if (!lowering.options.vectorBits || !entries ||
      rows.getFibers().size() != 1 || loop.rows.size() != 1 ||
      cutsInsideRows(rows) || !rows.getGuards().empty() ||
      entries.getFibers().size() != 1 || !entries.getGuards().empty() ||
      entries.getExtent())
    return false;
  auto type = cast<FiberType>(entries.getFibers().front().getType());
  return isUniqueLevel(type.getTensor(), type.getLevel()) &&
         entries.getMerge().isLeaf() && !addsInLanes(entries) &&
         onlyStepsThroughEntries(rows, entries) &&
         areAlikeInAllRows(rows, entries);
}

/// The entries of all rows follow those of the last row but its begin.
SmallVector<Value> LoopLowering::emitAll(Loop &loop) {
  Value first = firstCoordinate(loop), end = endCoordinate(loop);
  findRows(loop);
  SmallVector<Value> values = firstState(loop).flatten();
  for (const Row &row : loop.rows)
    values.push_back(row.first);
  if (canJoinRows(loop)) {
    Value any = Number(b, first) < end;
    Value last = Number(b, end) - 1;
    values = emitRowIf(loop, any, last, values);
  } else if (lowering.options.vectorBits && asksForCuts(loop)) {
    values = emitPeeled(loop, first, end, values);
  } else {
    values = emitRows(loop, first, end, values);
  }
  values.truncate(values.size() - loop.rows.size());
  return values;
}
