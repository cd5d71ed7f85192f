//===- CostQueries.cpp - Costs of parts of a nest as code -----------------===//
//
// Emits what the charges of a nest cost: up to a coordinate of a loop, in the
// whole nest, and for an entry of a list. The cost of a charge is the product
// of
//
//   the number of entries of its operand, or of positions of its loop's
//     drivers, before the coordinate
//   the number of coordinates of the loops that repeat it
//   its weight
//
//===----------------------------------------------------------------------===//

#include "CostQueries.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Runtime/Abi.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Arithmetic, in which null stands for a neutral operand
//===----------------------------------------------------------------------===//

/// A -> costA: the name of a cost of a fiber of A.
static std::string queryName(StringRef what, Value fiber) {
  return (what + StringRef(getName(fiber)).rtrim("0123456789")).str();
}

Value CostQueries::emitCost(CostKind kind, Value fiber, Value position,
                            int64_t below) {
  NameScope name(b, queryName(kind == CostKind::nnz ? "cost" : "loops", fiber));
  return CostOp::create(b, b.getIndexType(), kind, fiber, position, below);
}

/// x + y, where null stands for 0.
Value CostQueries::emitSum(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  NameScope name(b, getName(y) == "unit" ? "unit" : "cost");
  return Number(b, x) + y;
}

/// x * y, where null stands for 1.
Value CostQueries::emitProduct(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return isBounded ? emitBoundedProduct(x, y) : Number(b, x) * y;
}

/// x * y if that is at most `kMostCost`, else any larger number such that few
/// of them can be added up in 64 bits. Neither factor may be negative.
Value CostQueries::emitBoundedProduct(Value x, Value y) {
  Value product = Number(b, x) * y;
  Number one(b, 1);
  Number most(b, kMostCost + 1);
  Value divisor = max(Number(b, y), one);
  Number fits = Number(b, x) <= most / divisor;
  return select(fits, product, most);
}

Value CostQueries::emitWeighted(Value x, int64_t weight) {
  if (weight == 1)
    return x;
  Number factor(b, weight);
  // What is stored in memory is few enough for any weight.
  if (x.getDefiningOp<CostOp>())
    return Number(b, x) * factor;
  return emitProduct(x, factor);
}

/// The number of coordinates of loop `m`.
Value CostQueries::emitExtent(unsigned m) {
  if (Value extent = nest.getLoop(m).getExtent())
    return extent;
  unsigned operand = nest.getOperandsOf(m).front();
  Value tensor = nest.getOperands()[operand].getWhole().getTensor();
  Number level(b, nest.getLevelAt(operand, m));
  return sparse_tensor::LvlOp::create(b, tensor, level);
}

//===----------------------------------------------------------------------===//
// The cost of one charge
//===----------------------------------------------------------------------===//

/// `cost` times the extents of the loops from `from` up to, but not including,
/// `to`.
Value CostQueries::scaled(Value cost, unsigned from, unsigned to) {
  for (unsigned m = from; m < to; ++m)
    cost = emitProduct(cost, emitExtent(m));
  return cost;
}

Value CostQueries::positionAt(unsigned operand, unsigned m,
                              const SearchState &state) const {
  if (state.positions.empty())
    return {};
  ArrayRef<unsigned> operands = nest.getOperandsOf(m);
  return state.positions[llvm::find(operands, operand) - operands.begin()];
}

/// The number of coordinates that loop `last` visits, in all iterations of the
/// loops around it, until loop `m` comes to the coordinate of the state.
Value CostQueries::visits(unsigned m, unsigned last, const Charge &charge,
                          const SearchState &state) {
  std::optional<unsigned> driven = nest.findLastDriven(m, last);
  if (!driven)
    return scaled(state.coordinate, m + 1, last + 1);
  Value steps;
  for (unsigned operand : nest.getDrivers(*driven, charge))
    steps =
        emitSum(steps, emitCost(CostKind::loops, state.fibers[operand],
                                positionAt(operand, m, state), *driven - m));
  return scaled(steps, *driven + 1, last + 1);
}

/// The number of entries in the fiber of the charge's operand: up to the
/// coordinate of the state if loop `m` steps through the fiber, else all. If
/// only some of the operand's levels are cut, the positions of the last of
/// these count as entries.
Value CostQueries::entries(unsigned m, const Charge &charge,
                           const SearchState &state) {
  unsigned number = *charge.operand, last = charge.last;
  const NestOperand &operand = nest.getOperands()[number];
  unsigned next = nest.getNextLoop(charge, m);
  Value fiber = state.fibers[number];
  Value position = next == m ? positionAt(number, m, state) : Value();
  bool isWhole =
      last == operand.loops.back() &&
      nest.getLevelAt(number, last) + 1 == operand.getType().getRank();
  Value cost = isWhole ? emitCost(CostKind::nnz, fiber, position)
                       : emitCost(CostKind::loops, fiber, position,
                                  nest.getLevelAt(number, last) -
                                      nest.getLevelAt(number, next));
  // Between loops over the operand's levels, there may be loops that lack the
  // operand. They repeat its entries.
  for (unsigned loop = next; loop < last;) {
    unsigned following = nest.getNextLoop(charge, loop + 1);
    if (following > loop + 1)
      cost = emitProduct(cost,
                         visitsOfAll(loop + 1, following - 1, charge, state));
    loop = following;
  }
  return cost;
}

/// The number of coordinates that `last` visits in a whole run of loop `m`.
Value CostQueries::visitsOfAll(unsigned m, unsigned last, const Charge &charge,
                               const SearchState &state) {
  SearchState whole = state;
  whole.positions.clear();
  whole.coordinate = emitExtent(m);
  return visits(m, last, charge, whole);
}

Value CostQueries::cost(unsigned m, const Charge &charge,
                        const SearchState &state) {
  unsigned next = nest.getNextLoop(charge, m);
  Value cost;
  if (charge.operand)
    cost = entries(m, charge, state);
  if (next > m)
    cost = emitProduct(cost, visits(m, next - 1, charge, state));
  return emitWeighted(cost, charge.weight);
}

//===----------------------------------------------------------------------===//
// The cost of all charges
//===----------------------------------------------------------------------===//

Value CostQueries::upTo(unsigned m, const SearchState &state) {
  if (m < nest.getFirstCharged()) {
    unsigned list = nest.getOperandsOf(m).front();
    return emitCost(CostKind::scan, state.fibers[list],
                    positionAt(list, m, state));
  }
  Value all;
  for (auto [charge, times] : llvm::zip(nest.getCharges(), repeats))
    if (nest.reaches(charge, m))
      all = emitSum(all, emitProduct(cost(m, charge, state), times));
  if (m > 0 && pendingUnit) {
    Number zero(b, 0);
    Number charged = Number(b, state.coordinate) != zero;
    all = emitSum(all, select(charged, pendingUnit, zero));
  }
  return all;
}

/// The number of positions of an operand at the coordinate that was found in
/// loop `m`: 0 or 1, or the length of a run.
Value CostQueries::emitCount(unsigned operand, unsigned m,
                             const SearchState &state) {
  Value child = state.fibers[operand];
  if (!isUniqueLevel(nest.getOperands()[operand].getType(),
                     nest.getLevelAt(operand, m)))
    return emitCost(CostKind::loops, child);
  Value present = PresentOp::create(b, b.getI1Type(), child);
  return Number(b, present).asIndex();
}

/// The cost of the coordinate that was found in loop `m`, apart from the loops
/// inside of it.
Value CostQueries::emitUnit(unsigned m, const SearchState &state) {
  Value unit;
  bool isInnermost = m + 1 == nest.getLoops().size();
  for (auto [charge, times] : llvm::zip(nest.getCharges(), repeats)) {
    if (isInnermost || !nest.reaches(charge, m))
      continue;
    unsigned next = nest.getNextLoop(charge, m);
    if (next == m) {
      // No loop inside has a level of the operand: the entry at the coordinate
      // is not charged by any of them.
      if (!nest.reaches(charge, m + 1))
        unit = emitSum(
            unit, emitWeighted(
                      emitProduct(emitCount(*charge.operand, m, state), times),
                      charge.weight));
      continue;
    }
    if (nest.findLastDriven(m, next - 1) == m) {
      Value here;
      for (unsigned operand : nest.getDrivers(m, charge))
        here = emitSum(here, emitCount(operand, m, state));
      times = emitProduct(times, here);
    }
    if (charge.isPerOperand && charge.last == m)
      unit = emitSum(unit, times ? emitWeighted(times, charge.weight)
                                 : Number(b, charge.weight));
  }
  return unit;
}

void CostQueries::enter(unsigned m, const SearchState &state) {
  NameScope name(b, "unit");
  unsigned first = nest.getFirstCharged();
  if (m < first) {
    // The step to an entry of the list.
    if (m + 1 == first && nest.getEntryWeight() > 0)
      pendingUnit =
          emitWeighted(emitCount(nest.getOperandsOf(m).front(), m, state),
                       nest.getEntryWeight());
    return;
  }
  Value unit = emitUnit(m, state);
  if (m > 0 && pendingUnit) {
    // At its first coordinate, this loop has not yet charged the unit of the
    // loop outside, so the next loop has to charge that, too.
    Number zero(b, 0);
    Number isFirst = Number(b, state.coordinate) == zero;
    unit = emitSum(unit, select(isFirst, pendingUnit, zero));
  }
  pendingUnit = unit;
}

Value CostQueries::total() {
  llvm::SaveAndRestore bounded(isBounded, true);
  SearchState whole;
  for (const NestOperand &operand : nest.getOperands())
    whole.fibers.push_back(operand.root);
  if (nest.getFirstCharged() > 0) {
    NameScope name(b, "total");
    return upTo(0, whole);
  }
  whole.coordinate = emitExtent(0);
  return unlessEmpty(upTo(0, whole), "total");
}

/// `cost`, or 0 if any loop has an extent of 0: then there is no coordinate of
/// that loop at which anything could be charged.
Value CostQueries::unlessEmpty(Value cost, StringRef name) {
  Number zero(b, 0);
  Value empty;
  for (unsigned m = nest.getFirstCharged(); m < nest.getLoops().size(); ++m) {
    Value none = Number(b, emitExtent(m)) == zero;
    empty = empty ? Number(b, empty) | none : none;
  }
  NameScope scope(b, name);
  return select(Number(b, empty), zero, cost);
}

Value CostQueries::entryTotal(ArrayRef<Value> fibers, Condition condition) {
  Number zero(b, 0);
  Number step(b, std::max<int64_t>(nest.getEntryWeight(), 1));
  unsigned first = nest.getFirstCharged();
  if (first == nest.getLoops().size())
    return step;
  SearchState whole;
  whole.fibers.assign(fibers.begin(), fibers.end());
  whole.coordinate = emitExtent(first);
  Value cost = upTo(first, whole);
  if (!cost)
    cost = zero;
  else
    cost = emitSelect(b, condition, cost, zero);
  if (nest.getEntryWeight() > 0)
    cost = Number(b, cost) + step;
  return unlessEmpty(cost, "cost");
}

void CostQueries::recall(unsigned m, SearchState &state) {
  if (m >= nest.getFirstCharged())
    return;
  Value entry = state.fibers[nest.getOperandsOf(m).front()];
  Value recalled = nest.getLoop(m).getChildren().front();
  for (auto [n, operand] : llvm::enumerate(nest.getOperands())) {
    auto kept = operand.root.getDefiningOp<FiberAtOp>();
    if (!kept ||
        kept.getPosition().getDefiningOp<RecallOp>().getFiber() != recalled)
      continue;
    auto again = [&](Value position) -> Value {
      auto recall = position.getDefiningOp<RecallOp>();
      NameScope name(b, getName(position));
      return RecallOp::create(b, entry, recall.getBelow());
    };
    Value position = again(kept.getPosition()), end;
    if (kept.getEnd())
      end = again(kept.getEnd());
    NameScope name(b, getName(operand.root));
    // The fiber is not `certain`: the search may have found a coordinate that
    // the list does not store.
    state.fibers[n] = FiberAtOp::create(b, operand.root.getType(),
                                        kept.getRoot(), position, end, false);
  }
}
