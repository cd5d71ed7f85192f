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

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops and operands
//===----------------------------------------------------------------------===//

CostModel::CostModel(NestOp nest, bool countLoops)
    : loops(nest.getLoops()), countLoops(countLoops) {
  findOperands(nest);
  findList(nest);
  loops.truncate(std::max(first, findDepth(nest)));
  // Loops that nothing is charged in cannot be cut.
  while (true) {
    charges.clear();
    addCharges();
    unsigned last = loops.size() - 1;
    if (last == 0 || last < first ||
        llvm::any_of(
            charges,
            [&](const Charge &charge) {
              return charge.kind != Charge::unit && reaches(charge, last);
            }))
      break;
    loops.pop_back();
  }
  // That of the outermost loop is always known.
  if (charges.empty() && first == 0)
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

/// What an entry of a list keeps is recalled inside of its last loop.
void CostModel::findList(NestOp nest) {
  for (auto [m, loop] : llvm::enumerate(loops))
    for (Value child : CoiterateOp(loop).getChildren())
      if (llvm::any_of(child.getUsers(), llvm::IsaPred<RecallOp>))
        first = m + 1;
  chargesEntries = countLoops;
  nest.walk([&](FiberAtOp at) {
    chargesEntries |= cast<FiberType>(at.getFiber().getType()).isElement();
  });
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
  return operands[operand].firstLevel() +
         (llvm::find(operands[operand].loops, m) -
          operands[operand].loops.begin());
}

//===----------------------------------------------------------------------===//
// Charges
//===----------------------------------------------------------------------===//

void CostModel::addCharges() {
  unsigned depth = loops.size();
  isComplete = true;
  auto add = [&](Charge::Kind kind, unsigned operand, unsigned last) {
    Charge charge{kind, operand, last, Value()};
    bool isCharged = canCharge(charge);
    if (isCharged)
      charges.push_back(charge);
    // Nobody knows how long a run is.
    isComplete &= isCharged ? !endsInRuns(charge) : kind == Charge::unit;
  };
  for (auto [n, operand] : llvm::enumerate(operands))
    if (operand.loops.front() < depth && operand.loops.front() >= first &&
        !isLocated(n))
      add(Charge::entries, n, 0);
  if (depth > first && visitsAll(depth - 1))
    add(Charge::steps, 0, depth - 1);
  if (countLoops)
    for (unsigned m = first; m + 1 < depth; ++m)
      add(Charge::unit, 0, m);
}

/// Whether only what is looked for in a full level is read of an operand, which
/// takes no steps.
bool CostModel::isLocated(unsigned operand) const {
  unsigned last = lastLoop(operands[operand]);
  return isFullLevel(operands[operand].getType(), levelAt(operand, last)) &&
         !visitsAll(last);
}

unsigned CostModel::lastLoop(const NestOperand &operand) const {
  unsigned last = 0;
  for (unsigned loop : operand.loops)
    if (loop < loops.size())
      last = loop;
  return last;
}

bool CostModel::reaches(const Charge &charge, unsigned m) const {
  return charge.kind == Charge::entries
             ? m <= lastLoop(operands[charge.operand])
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
    return !isUniqueLevel(operands[operand].getType(), levelAt(operand, m));
  };
  if (charge.kind != Charge::unit) {
    for (unsigned leaf : cover(iterationDomain(loops[m])))
      driving.push_back(operandsOf[m][leaf]);
    return driving;
  }
  // A step for each operand that is merged. The steps of runs are not known
  // without a scan, and are no more than their entries.
  for (unsigned operand : operandsOf[m])
    if (!isFullLevel(operands[operand].getType(), levelAt(operand, m)) &&
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

/// Whether the innermost loop that an operand takes part in has a run of
/// entries for each coordinate.
bool CostModel::endsInRuns(const Charge &charge) const {
  return charge.kind == Charge::entries &&
         !isUniqueLevel(
             operands[charge.operand].getType(),
             levelAt(charge.operand, lastLoop(operands[charge.operand])));
}

bool CostModel::canCharge(const Charge &charge) const {
  unsigned begin = nextLoop(charge, first);
  if (begin > first && !canVisit(first, begin - 1, charge))
    return false;
  if (charge.kind != Charge::entries)
    return true;
  unsigned last = lastLoop(operands[charge.operand]);
  // What a run costs belongs to its coordinate, which no loop inside shares.
  if (endsInRuns(charge) && last + 1 < loops.size())
    return false;
  for (unsigned m = begin; m < last; m = nextLoop(charge, m + 1))
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
  unsigned begin = nextLoop(charge, first);
  return llvm::none_of(drivers(*driven, charge), [&](unsigned operand) {
    return llvm::any_of(operands[operand].loops, [&](unsigned loop) {
      return loop >= begin && loop <= m;
    });
  });
}

int64_t CostModel::delta() const {
  int64_t delta = 0;
  if (!isComplete)
    return -1;
  // The step to an entry of a list, which is all of it if nothing is inside.
  if (first > 0 && (chargesEntries || charges.empty()))
    ++delta;
  for (const Charge &charge : charges) {
    unsigned begin = nextLoop(charge, first);
    std::optional<unsigned> driven;
    if (begin > first)
      driven = lastDriven(first, begin - 1);
    if (!driven) {
      ++delta;
      continue;
    }
    for (unsigned operand : drivers(*driven, charge)) {
      if (!isUniqueLevel(operands[operand].getType(),
                         levelAt(operand, *driven)))
        return -1;
      ++delta;
    }
  }
  return delta;
}
