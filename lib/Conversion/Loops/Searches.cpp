//===- Searches.cpp - Nested binary searches ------------------------------===//
//
// Lowers the searches and cuts of the partition function. The result is Alg. 1
// of the paper, with cost functions inlined, and with the algorithm's loop over
// the loops of the nest unrolled.
//
//===----------------------------------------------------------------------===//

#include "FiberLowering.h"
#include "Selection.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// The coordinates [lower, upper] of the cuts, where these are on. Both are
/// included, since the result may lie inside either. The intervals of positions
/// are those between the cuts.
static SearchInterval firstInterval(ImplicitLocOpBuilder &b, SearchOp op,
                                    ArrayRef<ChildRange> ranges,
                                    const CutValue &lower,
                                    const CutValue &upper) {
  SearchInterval interval;
  Value extent =
      op.getExtent() ? op.getExtent() : Value(ranges.front().level->extent(b));
  // It is 0 where there are none: -1 is above any number without a sign.
  Value last = max(Number(b, extent), 1) - 1;
  interval.low = emitSelect(b, lower.on, lower.loops.front().coordinate, 0);
  Value high = minSigned(Number(b, upper.loops.front().coordinate), last);
  interval.high = emitSelect(b, upper.on, high, last);
  for (const ChildRange &range : ranges) {
    if (range.level->isFull())
      continue;
    interval.lows.push_back(range.begin);
    interval.highs.push_back(range.end);
  }
  return interval;
}

/// One position per operand. `stored` has the positions of the operands with
/// stored coordinates; the others follow from `coordinate`.
static SmallVector<Value> allPositions(FiberLowering &lowering, SearchOp op,
                                       ArrayRef<ChildRange> ranges,
                                       Value coordinate, ValueRange stored) {
  ImplicitLocOpBuilder &b = lowering.b;
  SmallVector<Value> positions;
  size_t next = 0;
  for (const ChildRange &range : ranges) {
    if (!range.level->isFull()) {
      positions.push_back(stored[next++]);
      continue;
    }
    // The extent of the loop may be larger than that of the fiber.
    Value inside = coordinate;
    if (op.getExtent())
      inside = min(Number(b, coordinate), range.level->extent(b));
    // All children of an absent fiber get the position of the first child of
    // the next fiber.
    Condition present =
        lowering.fiber(op.getFibers()[positions.size()]).present;
    if (!present.isAlways())
      inside = emitSelect(b, present, inside, 0);
    positions.push_back(
        range.level->lowerBound(b, inside, range.first, {}, {}));
  }
  return positions;
}

/// Copies the region that computes the cost, for one coordinate, and lowers it.
static Value emitCost(FiberLowering &lowering, SearchOp op, Value coordinate,
                      ArrayRef<Value> positions) {
  ImplicitLocOpBuilder &b = lowering.b;
  Block *body = op.getBodyBlock();
  IRMapping mapping;
  mapping.map(body->getArgument(0), coordinate);
  for (auto [arg, position] :
       llvm::zip(body->getArguments().drop_front(), positions))
    mapping.map(arg, position);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Operation *> copies;
  for (Operation &nested : body->without_terminator()) {
    copies.push_back(b.clone(nested, mapping));
    if (Value before = lowering.costsBefore.lookup(&nested))
      lowering.costsBefore[copies.back()] = before;
  }
  // Lowering a copy replaces its results. This temporary use of the cost keeps
  // track of the value that replaces it.
  auto use = YieldOp::create(
      b, mapping.lookupOrDefault(body->getTerminator()->getOperand(0)));
  for (Operation *copy : copies)
    lowering.lowerOp(*copy);
  Value cost = use.getOperand(0);
  use.erase();
  return cost;
}

/// Emits what is the same in the costs of all coordinates.
static void emitCostsBefore(FiberLowering &lowering, SearchOp op) {
  for (auto cost : op.getBodyBlock()->getOps<CostOp>())
    if (cost.getPosition())
      lowering.costsBefore[cost] = costBeforeFiber(lowering, cost);
}

static void lowerSearch(FiberLowering &lowering, SearchOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  CutValue lower = lowering.cut(op.getLower()),
           upper = lowering.cut(op.getUpper());
  SmallVector<FiberValue> parents;
  SmallVector<ChildRange> ranges;
  for (auto [n, value] : llvm::enumerate(op.getFibers())) {
    parents.push_back(lowering.fiber(value));
    ranges.push_back(childRange(b, parents.back(), {static_cast<unsigned>(n)},
                                &lower, &upper));
  }
  emitCostsBefore(lowering, op);
  auto costAt = [&](Value coordinate, ArrayRef<Value> stored) {
    return emitCost(lowering, op, coordinate,
                    allPositions(lowering, op, ranges, coordinate, stored));
  };
  SearchInterval all = firstInterval(b, op, ranges, lower, upper);
  auto weights = findEntryWeights(op, ranges);
  // A thread that searches between cuts finds what it loads near.
  std::optional<Value> total;
  if (lowering.options.together && op.getLower().getDefiningOp<OriginOp>())
    total = upper.cost;
  SearchInterval found = weights
                             ? emitSelection(b, op, ranges, *weights, all,
                                             costAt, total.has_value())
                             : emitBisection(b, op, ranges, all, costAt, total);
  Value coordinate = found.low;
  SmallVector<Value> positions =
      allPositions(lowering, op, ranges, coordinate, found.lows);
  Value cost = emitCost(lowering, op, coordinate, positions);
  op.getCoordinate().replaceAllUsesWith(coordinate);
  op.getResidual().replaceAllUsesWith(Number(b, op.getQuery()) - cost);
  CutValue innerUpper = upper.enter(b, coordinate);
  for (unsigned n = 0; n < ranges.size(); ++n) {
    Condition present = parents[n].present;
    std::optional<Value> end;
    if (!ranges[n].level->isFull()) {
      // Take the whole fiber, for the given range ends at the upper cut.
      Value clipped = ranges[n].end;
      ranges[n] = childRange(b, parents[n]);
      present = Number(b, coordinateOrInfinity(b, ranges[n], positions[n])) ==
                coordinate;
      // Only a run that the upper cut is in goes on behind it.
      if (!ranges[n].level->isUnique())
        end = endOfRun(b, *ranges[n].level, coordinate, positions[n],
                       emitSelect(b, innerUpper.on, ranges[n].end, clipped));
    } else if (op.getExtent()) {
      // The extent of the loop may be larger than that of the fiber.
      present = emitBoth(b, present,
                         Number(b, coordinate) < ranges[n].level->extent(b));
    }
    lowering.setFiber(
        op.getChildren()[n],
        {parents[n].tensor, parents[n].level + 1, positions[n], present, end});
  }
  lowering.setCut(op.getInnerLower(), lower.enter(b, coordinate));
  lowering.setCut(op.getInnerUpper(), innerUpper);
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

static void lowerCut(FiberLowering &lowering, CutOp op) {
  CutValue value;
  value.cost = op.getCost();
  auto fibers = op.getFibers().begin();
  for (auto [coordinate, width] :
       llvm::zip(op.getCoordinates(),
                 cast<CutType>(op.getCut().getType()).getWidths())) {
    CutValue::Loop loop{coordinate, {}};
    for (int64_t n = 0; n < width; ++n)
      loop.positions.push_back(lowering.fiber(*fibers++).position);
    value.loops.push_back(loop);
  }
  lowering.setCut(op.getCut(), value);
}

static void lowerOrigin(FiberLowering &lowering, OriginOp op) {
  CutValue value;
  Number zero(lowering.b, 0);
  value.cost = zero;
  for (int64_t width : cast<CutType>(op.getCut().getType()).getWidths())
    value.loops.push_back({zero, SmallVector<Value>(width, zero)});
  lowering.setCut(op.getCut(), value);
}

/// The cut at the end of the nest: coordinates (N_0, 0, ..., 0), and every
/// operand at the end of each of its levels.
static void lowerLimit(FiberLowering &lowering, LimitOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  CutValue value;
  value.cost = op.getCost();
  SmallVector<FiberValue> ends;
  for (Value root : op.getRoots())
    ends.push_back(lowering.fiber(root));
  for (Attribute operands : op.getLoops()) {
    CutValue::Loop loop{Number(b, 0), {}};
    if (value.loops.empty() && op.getExtent())
      loop.coordinate = op.getExtent();
    for (Attribute number : cast<ArrayAttr>(operands)) {
      FiberValue &end = ends[cast<IntegerAttr>(number).getInt()];
      auto level = Level::get(end.tensor, end.level);
      if (value.loops.empty() && loop.positions.empty() && !op.getExtent())
        loop.coordinate = level->extent(b);
      // The positions of a slice are those of the whole tensor, and end there.
      Value whole = wholeTensorOf(end.tensor);
      if (value.loops.empty() && !op.getExtent() && level->isFull() &&
          whole == end.tensor) {
        // The position of a row of the whole tensor is its coordinate.
        end.position = loop.coordinate;
      } else {
        // One past the last position of the level above.
        Value above = end.level == 0 ? Number(b, 1) : end.position;
        end.position = Level::get(whole, end.level)->begin(b, above);
      }
      ++end.level;
      loop.positions.push_back(end.position);
    }
    value.loops.push_back(loop);
  }
  lowering.setCut(op.getCut(), value);
}

static void lowerStoreCut(FiberLowering &lowering, StoreCutOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  CutValue value = lowering.cut(op.getCut());
  int64_t column = 0;
  auto store = [&](Value stored) {
    Number at(b, column++);
    memref::StoreOp::create(b, stored, op.getBounds(),
                            ValueRange{op.getRow(), at});
  };
  store(value.cost);
  for (const CutValue::Loop &loop : value.loops)
    store(loop.coordinate);
  for (const CutValue::Loop &loop : value.loops)
    llvm::for_each(loop.positions, store);
}

/// Goes to where all of some values are known: before the loops and branches
/// around an op in which none of them is computed.
static void goBefore(ImplicitLocOpBuilder &b, Operation *op, ValueRange known) {
  auto areKnownBefore = [&](Operation *around) {
    return llvm::none_of(known, [&](Value value) {
      return around->isAncestor(value.getParentRegion()->getParentOp());
    });
  };
  while (!isa<FunctionOpInterface>(op->getParentOp()) &&
         areKnownBefore(op->getParentOp()))
    op = op->getParentOp();
  b.setInsertionPoint(op);
}

/// Divides by n, given floor((2^64 - 1) / n), which is 2^64 / n, or at most one
/// less. So a product with it has a quotient, or one less, in its upper half:
///
///   quotient = upper half of number * inverse
///   rest = number - quotient * n
///   if rest >= n: quotient, rest = quotient + 1, rest - n
static std::pair<Number, Number> divide(ImplicitLocOpBuilder &b, Number number,
                                        Value n, Value inverse) {
  auto product = arith::MulUIExtendedOp::create(b, number, inverse);
  Number quotient(b, product.getHigh());
  Value taken = quotient * n;
  Number rest = number - taken;
  Number isLess = rest >= n;
  return {select(isLess, quotient + 1, quotient),
          select(isLess, rest - n, rest)};
}

/// With part p of n parts and d = upper - lower, the query is
///   lower + floor(p * d / n) = lower + p * (d / n) + p * (d % n) / n
/// The right-hand side does not overflow 64 bits as long as n < 2^31. What is
/// the same for all parts is computed before them, and no part divides.
static void lowerQuery(FiberLowering &lowering, QueryOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  OpBuilder::InsertionGuard guard(b);
  Value parts = op.getParts();
  goBefore(b, op, parts);
  Value inverse = Number(b, -1) / max(Number(b, parts), 1);
  goBefore(b, op, {parts, op.getLower(), op.getUpper()});
  Number span = Number(b, op.getUpper()) - op.getLower();
  auto [share, rest] = divide(b, span, parts, inverse);
  b.setInsertionPoint(op);
  Value whole = Number(b, op.getPart()) * share;
  Number shared = Number(b, op.getPart()) * rest;
  Number query = Number(b, op.getLower()) + whole;
  query = query + divide(b, shared, parts, inverse).first;
  // No part is above the last one, and so no query, which a GPU makes use of.
  op.replaceAllUsesWith(min(query, op.getUpper()));
}

void nacho::addSearches(FiberLowering &lowering) {
  lowering.add(lowerSearch, lowerCut, lowerOrigin, lowerLimit, lowerStoreCut,
               lowerQuery);
}
