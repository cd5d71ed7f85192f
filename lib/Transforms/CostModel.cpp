//===- CostModel.cpp - What the parts of a nest cost ----------------------===//
//
// Charges of a nest, where T is an operand:
//
//   entries T   every entry of T, each time that it is iterated
//   steps       every iteration of a loop that nothing limits
//   unit m      every iteration of an outer loop m; of a sparse one, for every
//               operand that stores the coordinate
//
// An operand that a loop lacks is repeated for every coordinate of the loop:
// how many there are before a coordinate is either a product of extents or the
// number of positions of the operands that drive the loop. A charge for which
// neither is known is left out at all depths, so that what is left stays
// consistent. What belongs to an outer coordinate as such is charged at the
// first coordinate inside it.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Level.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops and operands
//===----------------------------------------------------------------------===//

CostModel::CostModel(NestOp nest, bool countLoops) : loops(nest.getLoops()) {
  findOperands(nest);
  loops.truncate(findDepth(nest));
  // Loops that nothing is charged in cannot be cut.
  while (true) {
    charges.clear();
    addCharges(countLoops);
    unsigned last = loops.size() - 1;
    if (last == 0 || llvm::any_of(charges, [&](const Charge &charge) {
          return charge.kind != Charge::unit && reaches(charge, last);
        }))
      break;
    loops.pop_back();
  }
  // That of the outermost loop is always known.
  if (charges.empty())
    charges.push_back({Charge::steps, 0, 0, Value()});
  operandsOf.truncate(loops.size());
}

void CostModel::findOperands(NestOp nest) {
  DenseMap<Value, unsigned> numbers;
  for (auto [m, loop] : llvm::enumerate(loops)) {
    operandsOf.emplace_back();
    for (auto [fiber, child] : llvm::zip(CoiterateOp(loop).getFibers(),
                                         CoiterateOp(loop).getChildren())) {
      // Two accesses may start from one root, which is then two operands.
      auto known = numbers.find(fiber);
      unsigned number =
          known == numbers.end() ? operands.size() : known->second;
      if (known == numbers.end())
        operands.push_back({fiber, {}});
      operands[number].loops.push_back(m);
      operandsOf.back().push_back(number);
      numbers[child] = number;
    }
  }
}

/// Loops over all coordinates that have no operands are not cut inside of those
/// that have, unless they are the result's.
unsigned CostModel::findDepth(NestOp nest) const {
  llvm::SmallDenseSet<Value> appended;
  nest.walk(
      [&](AppendOp append) { appended.insert_range(append.getCoordinates()); });
  auto isResult = [&](CoiterateOp loop) {
    return appended.contains(loop.getCoordinate());
  };
  unsigned depth = 0;
  bool isReduced = false, isSparse = !operands.empty();
  for (auto [m, loop] : llvm::enumerate(loops))
    if (!operandsOf[m].empty())
      depth = m + 1;
  for (unsigned m = 0; m < loops.size(); ++m) {
    bool isInner = isReduced && isResult(loops[m]);
    isReduced |= !isResult(loops[m]);
    if (m < depth)
      continue;
    if (isInner || (isReduced && isSparse))
      break;
    depth = m + 1;
  }
  return std::max(1u, depth);
}

bool CostModel::visitsAll(unsigned m) const {
  return nacho::visitsAll(loops[m]);
}

bool CostModel::takesPart(unsigned operand, unsigned m) const {
  return llvm::is_contained(operands[operand].loops, m);
}

unsigned CostModel::levelAt(unsigned operand, unsigned m) const {
  return llvm::find(operands[operand].loops, m) -
         operands[operand].loops.begin();
}

static RankedTensorType typeOf(const NestOperand &operand) {
  return cast<FiberType>(operand.root.getType()).getTensor();
}

//===----------------------------------------------------------------------===//
// Charges
//===----------------------------------------------------------------------===//

void CostModel::addCharges(bool countLoops) {
  unsigned depth = loops.size();
  isComplete = true;
  auto add = [&](Charge::Kind kind, unsigned operand, unsigned last) {
    Charge charge{kind, operand, last, Value()};
    if (canCharge(charge))
      charges.push_back(charge);
    else
      isComplete &= kind == Charge::unit;
  };
  for (auto [n, operand] : llvm::enumerate(operands))
    if (operand.loops.front() < depth)
      add(Charge::entries, n, 0);
  if (visitsAll(depth - 1))
    add(Charge::steps, 0, depth - 1);
  if (countLoops)
    for (unsigned m = 0; m + 1 < depth; ++m)
      add(Charge::unit, 0, m);
}

/// The last loop in which the charge's operand has a level, or whose steps are
/// charged.
static unsigned lastLoop(ArrayRef<unsigned> loops, unsigned depth) {
  unsigned last = 0;
  for (unsigned loop : loops)
    if (loop < depth)
      last = loop;
  return last;
}

bool CostModel::reaches(const Charge &charge, unsigned m) const {
  return charge.kind == Charge::entries
             ? m <= lastLoop(operands[charge.operand].loops, loops.size())
             : m <= charge.last;
}

unsigned CostModel::nextLoop(const Charge &charge, unsigned m) const {
  if (charge.kind != Charge::entries)
    return charge.last + 1;
  for (unsigned loop : operands[charge.operand].loops)
    if (loop >= m && loop < loops.size())
      return loop;
  return loops.size();
}

/// The smallest set of operands of which one has every coordinate that the
/// merge expression can hold at.
static SmallVector<unsigned> cover(MergeAttr merge) {
  if (merge.isLeaf())
    return {merge.getOperand()};
  SmallVector<unsigned> covering;
  for (auto [n, child] : llvm::enumerate(merge.children())) {
    SmallVector<unsigned> part = cover(child);
    if (merge.getKind() == MergeKind::unite) {
      for (unsigned operand : part)
        if (!llvm::is_contained(covering, operand))
          covering.push_back(operand);
    } else if (n == 0 || part.size() < covering.size()) {
      covering = part;
    }
  }
  return covering;
}

/// The operands whose positions stand for the steps of a loop that does not
/// visit all coordinates.
SmallVector<unsigned> CostModel::drivers(unsigned m,
                                         const Charge &charge) const {
  SmallVector<unsigned> driving;
  auto isRun = [&](unsigned operand) {
    return !isUniqueLevel(typeOf(operands[operand]), levelAt(operand, m));
  };
  if (charge.kind != Charge::unit) {
    for (unsigned leaf : cover(iterationDomain(loops[m])))
      driving.push_back(operandsOf[m][leaf]);
    return driving;
  }
  // A step for each operand that is merged. The steps of runs are not known
  // without a scan, and are no more than their entries.
  for (unsigned operand : operandsOf[m])
    if (!isFullLevel(typeOf(operands[operand]), levelAt(operand, m)) &&
        !isRun(operand))
      driving.push_back(operand);
  return driving;
}

/// The innermost of the loops from `m` to `last` that does not visit all its
/// coordinates.
std::optional<unsigned> CostModel::lastDriven(unsigned m, unsigned last) const {
  for (unsigned loop = last + 1; loop-- > m;)
    if (!visitsAll(loop))
      return loop;
  return std::nullopt;
}

bool CostModel::canVisit(unsigned m, unsigned last,
                         const Charge &charge) const {
  std::optional<unsigned> driven = lastDriven(m, last);
  if (!driven)
    return true;
  SmallVector<unsigned> driving = drivers(*driven, charge);
  return !driving.empty() && llvm::all_of(driving, [&](unsigned operand) {
    return llvm::all_of(llvm::seq(m, *driven + 1), [&](unsigned loop) {
      return takesPart(operand, loop);
    });
  });
}

bool CostModel::canCharge(const Charge &charge) const {
  unsigned first = nextLoop(charge, 0);
  if (first > 0 && !canVisit(0, first - 1, charge))
    return false;
  if (charge.kind != Charge::entries)
    return true;
  unsigned last = lastLoop(operands[charge.operand].loops, loops.size());
  // A run has as many entries as the loops that are not cut find in it.
  if (!isUniqueLevel(typeOf(operands[charge.operand]),
                     levelAt(charge.operand, last)))
    return false;
  for (unsigned m = first; m < last; m = nextLoop(charge, m + 1))
    if (!canRepeat(m, nextLoop(charge, m + 1), charge))
      return false;
  return true;
}

/// Whether it is known at loop `m` how often the loops from there to `next`,
/// which lack the operand of the charge, repeat it: as often at all
/// coordinates.
bool CostModel::canRepeat(unsigned m, unsigned next,
                          const Charge &charge) const {
  if (m + 1 == next)
    return true;
  std::optional<unsigned> driven = lastDriven(m + 1, next - 1);
  if (!driven)
    return true;
  if (!canVisit(m + 1, next - 1, charge))
    return false;
  unsigned first = nextLoop(charge, 0);
  return llvm::none_of(drivers(*driven, charge), [&](unsigned operand) {
    return llvm::any_of(operands[operand].loops, [&](unsigned loop) {
      return loop >= first && loop <= m;
    });
  });
}

int64_t CostModel::delta() const {
  int64_t delta = 0;
  if (!isComplete)
    return -1;
  for (const Charge &charge : charges) {
    unsigned first = nextLoop(charge, 0);
    std::optional<unsigned> driven;
    if (first > 0)
      driven = lastDriven(0, first - 1);
    if (!driven) {
      ++delta;
      continue;
    }
    for (unsigned operand : drivers(*driven, charge)) {
      if (!isUniqueLevel(typeOf(operands[operand]), levelAt(operand, *driven)))
        return -1;
      ++delta;
    }
  }
  return delta;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

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
  auto root = operands[operand].root.getDefiningOp<RootOp>();
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
  unsigned last = lastLoop(operand.loops, loops.size());
  Value fiber = state.fibers[charge.operand];
  Value position = next == m ? positionAt(charge.operand, m, state) : Value();
  bool isWhole =
      last == operand.loops.back() &&
      static_cast<int64_t>(operand.loops.size()) == typeOf(operand).getRank();
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
  Value unit;
  auto count = [&](unsigned operand) {
    return countChild(
        b, state.fibers[operand],
        isUniqueLevel(typeOf(operands[operand]), levelAt(operand, m)));
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
  whole.coordinate = extent(b, 0);
  Value cost = upTo(b, 0, whole);
  Value zero = arith::ConstantIndexOp::create(b, 0), empty;
  // Without inner coordinates there is none at which to charge a unit.
  for (unsigned m = 0; m < loops.size(); ++m) {
    Value none =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, extent(b, m), zero);
    empty = empty ? Value(arith::OrIOp::create(b, empty, none)) : none;
  }
  NameScope name(b, "total");
  return arith::SelectOp::create(b, empty, zero, cost);
}
