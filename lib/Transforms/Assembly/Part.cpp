//===- Part.cpp - The state of a part -------------------------------------===//

#include "Part.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Keys.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

Values Carried::flatten() const {
  Values all;
  for (const Values &level : levels)
    llvm::append_range(all, level);
  all.push_back(entries);
  llvm::append_range(all, tables);
  llvm::append_range(all, sums);
  return all;
}

Carried Carried::as(ValueRange values) const {
  auto take = [&](size_t count) {
    Values taken(values.take_front(count));
    values = values.drop_front(count);
    return taken;
  };
  Carried carried;
  for (const Values &level : levels)
    carried.levels.push_back(take(level.size()));
  carried.entries = take(1).front();
  carried.tables = take(tables.size());
  carried.sums = take(sums.size());
  return carried;
}

Part::Part(PhaseFunctions &function, Value number, Value parts, PartTask task)
    : b(function.b), layout(function.layout), args(function.args),
      mapping(function.mapping), places(b, layout, mapping), number(number),
      parts(parts), task(task) {
  Type cut = function.cutType();
  Value next = Number(b, number) + 1;
  lower = loadCut(b, "lo", cut, args.bounds, number);
  if (isCounting() && args.earlier)
    next = emitGuard(next);
  upper = loadCut(b, "hi", cut, args.bounds, next);
  coordinates.assign(layout.type.getRank(), Value());
}

/// Leaves out the part if its operands may be wrong, or if its counts would not
/// be used: earlier == 0 ? part + 1 : part
Value Part::emitGuard(Value next) {
  Value earlier = memref::LoadOp::create(b, args.earlier);
  Number isRight = Number(b, earlier) == kSuccess;
  return select(isRight, next, number);
}

std::optional<Value> Part::isCutInside(unsigned m, Value cut) const {
  if (m + 1 >= layout.numCut)
    return std::nullopt;
  return OnCutOp::create(b, b.getI1Type(), cut);
}

/// The positions between which a list has the entries of a row.
static SmallVector<Value> emitPositions(ImplicitLocOpBuilder &b, Value row) {
  return {PositionOp::create(b, row, /*end=*/false),
          PositionOp::create(b, row, /*end=*/true)};
}

/// The cost of the entries of a list before a position or, without a position,
/// of all entries.
static Value emitListCost(ImplicitLocOpBuilder &b, Value list,
                          Value position = {}) {
  return CostOp::create(b, b.getIndexType(), CostKind::scan, list, position,
                        /*below=*/0);
}

/// The start and the end of the row at the current coordinates in its list. If
/// a cut lies inside of the row, the loop has only some of the row's entries,
/// so the row is sought.
SmallVector<Value> Part::emitWholeRow(Value row) const {
  auto loop = cast<CoiterateOp>(b.getBlock()->getParentOp());
  unsigned numOuter = cast<FiberType>(row.getType()).getLevel();
  std::optional<Value> onLower =
      isCutInside(numOuter - 1, loop.getInnerLower());
  if (!onLower)
    return emitPositions(b, mapping.lookup(row));
  std::optional<Value> onUpper =
      isCutInside(numOuter - 1, loop.getInnerUpper());
  Value isClipped = Number(b, *onLower) | *onUpper;
  Type index = b.getIndexType();
  auto ifClipped = scf::IfOp::create(b, TypeRange{index, index}, isClipped,
                                     /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifClipped.thenBlock());
  Value whole = mapping.lookup(rootOf(row).getFiber());
  for (CoiterateOp outer : ArrayRef(layout.loops).take_front(numOuter)) {
    auto child = cast<FiberType>(whole.getType()).getChild();
    whole =
        SeekOp::create(b, child, mapping.lookup(outer.getCoordinate()), whole);
  }
  scf::YieldOp::create(b, emitPositions(b, whole));
  b.setInsertionPointToStart(ifClipped.elseBlock());
  scf::YieldOp::create(b, emitPositions(b, mapping.lookup(row)));
  return ifClipped.getResults();
}

ArrayRef<Value> Part::wholeRow(Value row) {
  SmallVector<Value> &positions = wholeRows[row];
  if (positions.empty())
    positions = emitWholeRow(row);
  return positions;
}

Part::RowCost Part::emitRowCost(Value fiber) {
  ArrayRef<Value> row = wholeRow(fiber);
  Value list = mapping.lookup(rootOf(fiber).getFiber());
  Number end(b, emitListCost(b, list, row[1]));
  Number cost = end - emitListCost(b, list, row[0]);
  Value quarters = Number(b, parts) * 4;
  Value quarter = Number(b, emitListCost(b, list)) / quarters;
  setName(quarter, "quarter");
  Value isHeavy = cost > quarter;
  return {cost, quarter, isHeavy};
}

Value Part::emitIsHeavy(HeavyOp op) {
  return emitRowCost(op.getFiber()).isHeavy;
}

/// Emits a shift for which each piece of a heavy row costs an eighth of a share
/// at most if elements are spread evenly: some may cost several times as much.
///
///   width = bits(extent - 1), where bits(n) is the number of bits of n
///   heavy ? max(0, width - bits(2 * cost / quarter)) : width
Value Part::emitPieceShift(PieceShiftOp op) {
  auto [cost, quarter, isHeavy] = emitRowCost(op.getFiber());
  Value extent = mapping.lookupOrDefault(op.getExtent());
  Number width(b, emitCoordinateBits(b, extent));
  Value divisor = max(Number(b, quarter), 1);
  Value pieces = Number(b, cost) * 2 / divisor;
  Value narrow = maxSigned(width - emitBits(b, pieces), 0);
  // A shift of 64 bits would be undefined.
  Value whole = min(width, 63);
  return select(Number(b, isHeavy), narrow, whole);
}

Value Part::emitRowPosition(RowPositionOp op) {
  return wholeRow(op.getFiber())[op.getEnd() ? 1 : 0];
}

Condition Part::emitHolds(CoiterateOp loop) const {
  auto present =
      llvm::map_to_vector(loop.getGuards(), [&](Value guard) -> Condition {
        return PresentOp::create(b, b.getI1Type(), mapping.lookup(guard));
      });
  return emitMerge(b, loop.getMerge(), present);
}

std::optional<Value> Part::blockPosition(const Carried &values) const {
  if (layout.numStructural == 0)
    return std::nullopt;
  return values.levels[layout.numStructural - 1].front();
}

void Part::countEntries(Value number, Condition condition,
                        Carried &values) const {
  if (!condition.isAlways())
    number = emitSelect(b, condition, number, 0);
  values.entries = Number(b, values.entries) + number;
}

void Part::setStatus(Value bit) const {
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, bit, args.status,
                              ValueRange());
}
