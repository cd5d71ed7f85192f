//===- LoopRows.cpp - Loops over all coordinates, such as those of rows ---===//
//
// Where one row ends, the next one begins. So a loop over the rows of a part
// begins at the position of the lower cut, and hands on the end of each row:
//
//   for row = first to end carrying begin:
//     next = min(pos[row + 1], position of the upper cut)
//     body(row, entries from begin to next)
//     begin = next, or where a union of rows has left this one: that is next
//
// The cuts may divide the first and the last row. Where the body asks whether
// they do, both rows share a copy of the body, and in the loop over the others
// the answer is known. Where it matters to no entry in which row it is, one
// loop over the entries of all rows does the same.
//
//===----------------------------------------------------------------------===//

#include "LoopShape.h"
#include "MergeSteps.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

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

namespace {
/// An operand whose rows follow one another.
struct Row {
  unsigned operand;
  unsigned number;  ///< Of the row among the operands of the loops inside.
  ChildRange range; ///< Of the row whose body is emitted.
  Value most;       ///< The most that rows may end at.
};

/// Emits a loop over all coordinates.
class RowLoop {
public:
  explicit RowLoop(Coiteration &loop) : loop(loop), op(loop.op), b(loop.b) {}

  Values emit();

private:
  Value firstCoordinate();
  Value endCoordinate();
  bool isCutInRows();
  bool asksForCuts();
  bool canJoinRows();
  void findRows();
  std::optional<Row> rowOf(unsigned n);
  Value enterRow(Row &row, Value coordinate, Value begin, FiberValue &child);
  Value nextBegin(const Row &row, Value begin);
  Values emitRow(Value coordinate, ValueRange values);
  Values emitRows(Value from, Value end, ValueRange values);
  Values emitRowIf(Value exists, Value coordinate, ValueRange values);
  Values emitPeeled(Value first, Value end, const Values &values);

  Coiteration &loop;
  CoiterateOp op;
  ImplicitLocOpBuilder &b;
  SmallVector<Row> rows;
};
} // namespace

/// The first coordinate of a loop that visits all coordinates between the cuts.
Value RowLoop::firstCoordinate() {
  if (!loop.lower)
    return Number(b, 0);
  return emitSelect(b, loop.lower->on, loop.lower->loops.front().coordinate, 0);
}

Value RowLoop::endCoordinate() {
  Value extent = op.getExtent();
  if (!extent)
    extent = loop.ranges.front().level->extent(b);
  if (!loop.upper)
    return extent;
  Number end(b, loop.upper->loops.front().coordinate);
  if (cutsInside(op))
    end = end + 1;
  return emitSelect(b, loop.upper->on, min(end, extent), extent);
}

//===----------------------------------------------------------------------===//
// Rows that follow one another
//===----------------------------------------------------------------------===//

/// The rows of operand `n`, if each of them ends where the next one begins.
std::optional<Row> RowLoop::rowOf(unsigned n) {
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
  Value first = at(*loop.lower);
  return Row{n, *number, {std::move(level), first, first, {}}, at(*loop.upper)};
}

/// Whether the loop begins and ends in rows that its cuts may divide.
bool RowLoop::isCutInRows() {
  return cutsInside(op) && loop.lower->on.isAlways() &&
         loop.upper->on.isAlways();
}

/// Finds the operands whose rows follow one another.
void RowLoop::findRows() {
  if (!isCutInRows() || op.getExtent() || !op.getNonempty().empty())
    return;
  for (unsigned n = 0; n < loop.fibers.size(); ++n)
    if (std::optional<Row> row = rowOf(n))
      rows.push_back(std::move(*row));
}

/// Emits the end of a row that begins at `begin`. Returns where the next row
/// begins, which is the end unless a cut inside of a row decides on it.
Value RowLoop::enterRow(Row &row, Value coordinate, Value begin,
                        FiberValue &child) {
  Number position = Number(b, loop.ranges[row.operand].first) + coordinate;
  Number next(b, row.range.level->begin(b, position + 1));
  Value end = next;
  if (!cutsInsideRows(op)) {
    end = next = min(next, row.most);
  } else {
    CutValue upper = loop.upper->enter(b, coordinate);
    row.range.first = row.range.begin = begin;
    row.range.end = next;
    Value clipped =
        clippedEnd(b, row.range, {row.number}, upper, LastCoordinate::included);
    end = emitSelect(b, upper.on, clipped, next);
  }
  child.children = {begin, end};
  return next;
}

/// Whether the body asks at each coordinate whether the cuts are there.
bool RowLoop::asksForCuts() {
  if (!isCutInRows())
    return false;
  auto isOfRow = [&](Value fiber) {
    return llvm::any_of(rows, [&](const Row &row) {
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

/// Whether one loop can step through the entries of all rows.
bool RowLoop::canJoinRows() {
  CoiterateOp entries = op.getInnerLoop();
  if (!loop.lowering.options.vectorBits || !entries ||
      op.getFibers().size() != 1 || rows.size() != 1 || cutsInsideRows(op) ||
      !op.getGuards().empty() || entries.getFibers().size() != 1 ||
      !entries.getGuards().empty() || entries.getExtent())
    return false;
  auto type = cast<FiberType>(entries.getFibers().front().getType());
  return isUniqueLevel(type.getTensor(), type.getLevel()) &&
         entries.getMerge().isLeaf() && !addsInLanes(entries) &&
         onlyStepsThroughEntries(op, entries) && areAlikeInAllRows(op, entries);
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Where the next row begins: where a merge has left the row whose body was
/// emitted, if it steps through all rows to their ends. Then no more than the
/// position has to be carried from step to step.
Value RowLoop::nextBegin(const Row &row, Value begin) {
  Value left = loop.lowering.left.lookup(op.getChildren()[row.operand]);
  bool isHere = left && left.getParentBlock() == b.getInsertionBlock();
  return isHere && !cutsInsideRows(op) ? left : begin;
}

/// Emits the step at a coordinate. Returns the values for the next one.
Values RowLoop::emitRow(Value coordinate, ValueRange values) {
  SmallVector<FiberValue> children = loop.children();
  Values begins;
  for (auto [row, begin] : llvm::zip(rows, values.take_back(rows.size())))
    begins.push_back(enterRow(row, coordinate, begin, children[row.operand]));
  loop.lowering.visited.insert(coordinate);
  auto now = MergeState::unflatten(loop, values.drop_back(rows.size()));
  Values next =
      emitStep(loop, coordinate, now, std::move(children), Operands::mayEnd)
          .flatten();
  for (auto [row, begin] : llvm::zip(rows, begins))
    next.push_back(nextBegin(row, begin));
  return next;
}

/// for coordinate = from to end: body(coordinate)
Values RowLoop::emitRows(Value from, Value end, ValueRange values) {
  return emitFor(loop, from, end, values,
                 /*firstCarried=*/2 * loop.stored.size(),
                 [&](Value row, ValueRange now) { return emitRow(row, now); });
}

/// if exists: body(coordinate)
Values RowLoop::emitRowIf(Value exists, Value coordinate, ValueRange values) {
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, values.getTypes(), exists,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, values);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, emitRow(coordinate, values));
  return Values(branch.getResults());
}

/// for turn = 0 to 2:
///   row = turn == 0 ? first : last
///   if row < end: body(row)
///   if turn == 0:
///     for row = first + 1 to min(last, end): body(row), which no cut divides
///
/// In the second turn, the last row is at `end` if it is the first row, too.
Values RowLoop::emitPeeled(Value first, Value end, const Values &values) {
  Number second = Number(b, first) + 1;
  Value from = min(second, end);
  Value last = loop.upper->loops.front().coordinate;
  last = max(min(Number(b, last), end), from);
  Number begin(b, 0), step(b, 1), turns(b, 2);
  auto forOp = scf::ForOp::create(b, begin, turns, step, values);
  OpBuilder::InsertionGuard guard(b);
  if (!forOp.getBody()->empty())
    forOp.getBody()->back().erase();
  b.setInsertionPointToEnd(forOp.getBody());
  Value isFirst = Number(b, forOp.getInductionVar()) == begin;
  Value row = emitSelect(b, isFirst, first, last);
  Value until = emitSelect(b, isFirst, last, from);
  Value exists = Number(b, row) < end;
  Values next = loop.emitCopy(
      [&] { return emitRowIf(exists, row, forOp.getRegionIterArgs()); });
  loop.lower->isReached = loop.upper->isReached = false;
  scf::YieldOp::create(b, emitRows(from, until, next));
  return Values(forOp.getResults());
}

/// The entries of all rows follow those of the last row but its begin.
Values RowLoop::emit() {
  Value first = firstCoordinate(), end = endCoordinate();
  findRows();
  Values values = MergeState::load(loop, loop.inits()).flatten();
  for (const Row &row : rows)
    values.push_back(row.range.first);
  if (canJoinRows()) {
    Value any = Number(b, first) < end;
    Value last = Number(b, end) - 1;
    values = emitRowIf(any, last, values);
  } else if (loop.lowering.options.vectorBits && asksForCuts()) {
    values = emitPeeled(first, end, values);
  } else {
    values = emitRows(first, end, values);
  }
  return Values(ArrayRef(values).drop_back(rows.size()));
}

static bool visitsAll(const Coiteration &loop) { return isAlways(loop.domain); }

const LoopShape nacho::kAllCoordinates = {
    visitsAll, [](Coiteration &loop) { return RowLoop(loop).emit(); }};
