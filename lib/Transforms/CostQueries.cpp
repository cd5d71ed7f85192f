//===- CostQueries.cpp - Costs of parts of a nest -------------------------===//
//
// The charges of the cost model as code: up to a coordinate of a loop, of the
// whole nest, and of what an entry of a list stands for.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

/// A -> costA: the name of a query on a fiber of A.
static std::string queryName(StringRef what, Value fiber) {
  return (what + StringRef(getName(fiber)).rtrim("0123456789")).str();
}

static Value emitCost(ImplicitLocOpBuilder &b, CostKind kind, Value fiber,
                      Value position = {}, int64_t below = 0) {
  NameScope name(b, queryName(kind == CostKind::nnz ? "cost" : "loops", fiber));
  return CostOp::create(b, b.getIndexType(), kind, fiber, position, below);
}

static Value sum(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  NameScope name(b, getName(y) == "unit" ? "unit" : "cost");
  return arith::AddIOp::create(b, x, y);
}

/// x * y, where null stands for 1.
static Value times(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::MulIOp::create(b, x, y);
}

/// The number of coordinates of loop `m`.
Value CostModel::extent(ImplicitLocOpBuilder &b, unsigned m) {
  CoiterateOp loop = loops[m];
  if (loop.getExtent())
    return loop.getExtent();
  unsigned operand = operandsOf[m].front();
  auto root = operands[operand].getWhole().getDefiningOp<RootOp>();
  Value level = arith::ConstantIndexOp::create(b, levelAt(operand, m));
  return sparse_tensor::LvlOp::create(b, root.getTensor(), level);
}

/// What a coordinate costs, for all coordinates of the loops from `from` to
/// `to` that the operand is not in.
Value CostModel::scaled(ImplicitLocOpBuilder &b, Value cost, unsigned from,
                        unsigned to) {
  for (unsigned m = from; m < to; ++m)
    cost = times(b, cost, extent(b, m));
  return cost;
}

Value CostModel::positionAt(unsigned operand, unsigned m,
                            const SearchState &state) const {
  if (state.positions.empty())
    return {};
  return state
      .positions[llvm::find(operandsOf[m], operand) - operandsOf[m].begin()];
}

/// The coordinates of the loops from `m` to `last` that are visited while loop
/// m comes up to a coordinate.
Value CostModel::visits(ImplicitLocOpBuilder &b, unsigned m, unsigned last,
                        const Charge &charge, const SearchState &state) {
  std::optional<unsigned> driven = lastDriven(m, last);
  if (!driven)
    return scaled(b, state.coordinate, m + 1, last + 1);
  Value steps;
  for (unsigned operand : drivers(*driven, charge))
    steps = sum(b, steps,
                emitCost(b, CostKind::loops, state.fibers[operand],
                         positionAt(operand, m, state), *driven - m));
  return scaled(b, steps, *driven + 1, last + 1);
}

/// The entries of an operand, down to its last level that is cut.
Value CostModel::entries(ImplicitLocOpBuilder &b, unsigned m,
                         const Charge &charge, const SearchState &state) {
  const NestOperand &operand = operands[charge.operand];
  unsigned next = nextLoop(charge, m);
  unsigned last = lastLoop(operand);
  Value fiber = state.fibers[charge.operand];
  Value position = next == m ? positionAt(charge.operand, m, state) : Value();
  bool isWhole =
      last == operand.loops.back() &&
      levelAt(charge.operand, last) + 1 == operand.getType().getRank();
  Value cost = isWhole ? emitCost(b, CostKind::nnz, fiber, position)
                       : emitCost(b, CostKind::loops, fiber, position,
                                  levelAt(charge.operand, last) -
                                      levelAt(charge.operand, next));
  // Inside, every group of loops that lack the operand repeats the entries.
  for (unsigned loop = next; loop < last;) {
    unsigned following = nextLoop(charge, loop + 1);
    if (following > loop + 1)
      cost = times(b, cost,
                   visitsOfAll(b, loop + 1, following - 1, charge, state));
    loop = following;
  }
  return cost;
}

/// The coordinates of the loops from `m` to `last`, which begin at loop m.
Value CostModel::visitsOfAll(ImplicitLocOpBuilder &b, unsigned m, unsigned last,
                             const Charge &charge, const SearchState &state) {
  SearchState whole = state;
  whole.positions.clear();
  whole.coordinate = extent(b, m);
  return visits(b, m, last, charge, whole);
}

Value CostModel::cost(ImplicitLocOpBuilder &b, unsigned m, const Charge &charge,
                      const SearchState &state) {
  unsigned next = nextLoop(charge, m);
  Value cost;
  if (charge.kind == Charge::entries)
    cost = entries(b, m, charge, state);
  if (next > m)
    cost = times(b, cost, visits(b, m, next - 1, charge, state));
  return times(b, cost, charge.weight);
}

Value CostModel::upTo(ImplicitLocOpBuilder &b, unsigned m,
                      const SearchState &state) {
  Value all;
  if (m < first) {
    unsigned list = operandsOf[m].front();
    return emitCost(b, CostKind::scan, state.fibers[list],
                    positionAt(list, m, state));
  }
  for (const Charge &charge : charges)
    if (reaches(charge, m))
      all = sum(b, all, cost(b, m, charge, state));
  if (m > 0 && pendingUnit) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value charged = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                          state.coordinate, zero);
    all = sum(b, all, arith::SelectOp::create(b, charged, pendingUnit, zero));
  }
  return all;
}

/// Positions of an operand at a coordinate: 0 or 1, or the length of a run.
static Value countChild(ImplicitLocOpBuilder &b, Value child, bool isUnique) {
  if (!isUnique)
    return emitCost(b, CostKind::loops, child);
  Value present = PresentOp::create(b, b.getI1Type(), child);
  return arith::IndexCastUIOp::create(b, b.getIndexType(), present);
}

void CostModel::enter(ImplicitLocOpBuilder &b, unsigned m,
                      const SearchState &state) {
  NameScope name(b, "unit");
  if (m < first) {
    // The step to an entry of the list.
    if (m + 1 == first && chargesEntries)
      pendingUnit = countChild(b, state.fibers[operandsOf[m].front()], true);
    return;
  }
  Value unit;
  auto count = [&](unsigned operand) {
    return countChild(
        b, state.fibers[operand],
        isUniqueLevel(operands[operand].getType(), levelAt(operand, m)));
  };
  bool isInnermost = m + 1 == loops.size();
  for (Charge &charge : charges) {
    if (isInnermost || !reaches(charge, m))
      continue;
    unsigned next = nextLoop(charge, m);
    if (next == m) {
      // The operand is done: its entry belongs to the coordinate as such.
      if (!reaches(charge, m + 1))
        unit = sum(b, unit, times(b, count(charge.operand), charge.weight));
      continue;
    }
    if (lastDriven(m, next - 1) == m) {
      Value here;
      for (unsigned operand : drivers(m, charge))
        here = sum(b, here, count(operand));
      charge.weight = times(b, charge.weight, here);
    }
    if (charge.kind == Charge::unit && charge.last == m)
      unit = sum(b, unit,
                 charge.weight ? charge.weight
                               : Value(arith::ConstantIndexOp::create(b, 1)));
  }
  if (m > 0 && pendingUnit) {
    // The first coordinate of all is the first one of this loop too.
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        state.coordinate, zero);
    unit = sum(b, unit, arith::SelectOp::create(b, first, pendingUnit, zero));
  }
  pendingUnit = unit;
}

Value CostModel::total(ImplicitLocOpBuilder &b) {
  SearchState whole;
  for (const NestOperand &operand : operands)
    whole.fibers.push_back(operand.root);
  if (first > 0) {
    NameScope name(b, "total");
    return upTo(b, 0, whole);
  }
  whole.coordinate = extent(b, 0);
  return unlessEmpty(b, upTo(b, 0, whole), "total");
}

/// Without inner coordinates there is none at which to charge anything.
Value CostModel::unlessEmpty(ImplicitLocOpBuilder &b, Value cost,
                             StringRef name) {
  Value zero = arith::ConstantIndexOp::create(b, 0), empty;
  for (unsigned m = first; m < loops.size(); ++m) {
    Value none =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, extent(b, m), zero);
    empty = empty ? Value(arith::OrIOp::create(b, empty, none)) : none;
  }
  NameScope scope(b, name);
  return arith::SelectOp::create(b, empty, zero, cost);
}

Value CostModel::entryTotal(ImplicitLocOpBuilder &b, ArrayRef<Value> fibers,
                            Value condition) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  if (first == loops.size())
    return one;
  SearchState whole;
  whole.fibers.assign(fibers.begin(), fibers.end());
  whole.coordinate = extent(b, first);
  Value cost = upTo(b, first, whole);
  if (!cost)
    cost = zero;
  else if (condition)
    cost = arith::SelectOp::create(b, condition, cost, zero);
  if (chargesEntries)
    cost = arith::AddIOp::create(b, cost, one);
  return unlessEmpty(b, cost, "cost");
}

void CostModel::recall(ImplicitLocOpBuilder &b, unsigned m,
                       SearchState &state) const {
  if (m + 1 != first)
    return;
  Value entry = state.fibers[operandsOf[m].front()];
  for (auto [n, operand] : llvm::enumerate(operands)) {
    auto kept = operand.root.getDefiningOp<FiberAtOp>();
    if (!kept)
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
    // The search may have come to a coordinate that the list has not.
    state.fibers[n] = FiberAtOp::create(b, operand.root.getType(),
                                        kept.getRoot(), position, end, false);
  }
}
