//===- CostModel.cpp - What the parts of a nest cost ----------------------===//
//
// The kinds of charges (`#nacho.cost_model`) of a nest, where T is an operand:
//
//   entries T   every entry of T, each time that it is iterated
//   steps       every iteration of a loop that nothing limits
//   units m     every iteration of an outer loop m; of a sparse one, for every
//               operand that stores the coordinate
//
// An operand that a loop lacks is repeated for every coordinate of the loop:
// how many there are before a coordinate is either a product of extents or the
// number of positions of the operands that drive the loop. A charge for which
// neither is known is left out at all depths, so that what is left stays
// consistent. What belongs to an outer coordinate as such is charged at the
// first coordinate inside it.
//
// Another kind of charge is a case of `ChargeKind`, and one of `addCharges`
// below that lists what it charges in a nest.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops and operands
//===----------------------------------------------------------------------===//

NestCost::NestCost(NestOp nest, CostModelAttr model) : loops(nest.getLoops()) {
  findOperands();
  findList(nest, model);
  loops.truncate(std::max(first, findDepth(nest)));
  addCharges(model);
  // Loops that nothing is charged in cannot be cut.
  while (!reachesInnermost()) {
    loops.pop_back();
    addCharges(model);
  }
  // That of the outermost loop is always known.
  if (charges.empty() && first == 0)
    charges.push_back({/*weight=*/1, std::nullopt, /*last=*/0});
  operandsOf.truncate(loops.size());
}

void NestCost::findOperands() {
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

/// What an entry of a list keeps is recalled inside of its last loop. The step
/// to the entry is charged as iterations of other loops are, or else as an
/// entry of the operands that end in the list.
void NestCost::findList(NestOp nest, CostModelAttr model) {
  for (auto [m, loop] : llvm::enumerate(loops))
    for (Value fiber : CoiterateOp(loop).getFibers())
      if (cast<FiberType>(fiber.getType()).isOfScannedList())
        first = m + 1;
  entryWeight = model.getWeight(ChargeKind::units);
  if (entryWeight > 0)
    return;
  nest.walk([&](FiberAtOp at) {
    if (cast<FiberType>(at.getFiber().getType()).isElement())
      entryWeight = model.getWeight(ChargeKind::entries);
  });
}

/// Loops over all coordinates that have no operands are not cut inside of those
/// that have, unless they are the result's.
unsigned NestCost::findDepth(NestOp nest) const {
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

bool NestCost::takesPart(unsigned operand, unsigned m) const {
  return llvm::is_contained(operands[operand].loops, m);
}

unsigned NestCost::getLevelAt(unsigned operand, unsigned m) const {
  return operands[operand].firstLevel() +
         (llvm::find(operands[operand].loops, m) -
          operands[operand].loops.begin());
}

unsigned NestCost::getLastLoop(unsigned operand) const {
  unsigned last = 0;
  for (unsigned loop : operands[operand].loops)
    if (loop < loops.size())
      last = loop;
  return last;
}

//===----------------------------------------------------------------------===//
// Charges
//===----------------------------------------------------------------------===//

/// What the model charges in the loops that are left.
void NestCost::addCharges(CostModelAttr model) {
  charges.clear();
  isComplete = true;
  for (auto [kind, weight] : llvm::zip(model.getKinds(), model.getWeights())) {
    switch (kind) {
    case ChargeKind::entries:
      chargeEntries(weight);
      break;
    case ChargeKind::steps:
      chargeSteps(weight);
      break;
    case ChargeKind::units:
      chargeUnits(weight);
      break;
    }
  }
}

/// Adds a charge if its costs are known at every coordinate; says whether they
/// are.
bool NestCost::addIfKnown(const Charge &charge) {
  if (!isKnown(charge))
    return false;
  charges.push_back(charge);
  return true;
}

void NestCost::chargeEntries(int64_t weight) {
  for (auto [n, operand] : llvm::enumerate(operands)) {
    unsigned outermost = operand.loops.front();
    if (outermost < first || outermost >= loops.size() || isLocated(n))
      continue;
    Charge charge{weight, n, getLastLoop(n)};
    // Nobody knows how long a run is.
    if (!addIfKnown(charge) || endsInRuns(charge))
      isComplete = false;
  }
}

/// Steps of outer loops are no more than what is inside of them.
void NestCost::chargeSteps(int64_t weight) {
  unsigned innermost = loops.size() - 1;
  if (loops.size() <= first || !visitsAll(loops[innermost]))
    return;
  if (!addIfKnown({weight, std::nullopt, innermost}))
    isComplete = false;
}

/// A cut is not in want of any unit: those that are not known are left out.
void NestCost::chargeUnits(int64_t weight) {
  for (unsigned m = first; m + 1 < loops.size(); ++m)
    addIfKnown({weight, std::nullopt, m, /*isPerOperand=*/true});
}

/// Whether the innermost loop has charges of its own. The outermost loop, and
/// those of a list, always do.
bool NestCost::reachesInnermost() const {
  unsigned innermost = loops.size() - 1;
  return innermost == 0 || innermost < first ||
         llvm::any_of(
             charges,
             [&](const Charge &charge) {
               return !charge.isPerOperand && reaches(charge, innermost);
             });
}

/// Whether only what is looked for in a full level is read of an operand, which
/// takes no steps.
bool NestCost::isLocated(unsigned operand) const {
  unsigned last = getLastLoop(operand);
  return isFullLevel(operands[operand].getType(), getLevelAt(operand, last)) &&
         !visitsAll(loops[last]);
}

unsigned NestCost::getNextLoop(const Charge &charge, unsigned m) const {
  if (!charge.operand)
    return charge.last + 1;
  for (unsigned loop : operands[*charge.operand].loops)
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

SmallVector<unsigned> NestCost::getDrivers(unsigned m,
                                           const Charge &charge) const {
  SmallVector<unsigned> driving;
  if (!charge.isPerOperand) {
    for (unsigned leaf : cover(iterationDomain(loops[m])))
      driving.push_back(operandsOf[m][leaf]);
    return driving;
  }
  // A step for each operand that is merged. The steps of runs are not known
  // without a scan, and are no more than their entries.
  for (unsigned operand : operandsOf[m]) {
    RankedTensorType type = operands[operand].getType();
    unsigned level = getLevelAt(operand, m);
    if (!isFullLevel(type, level) && isUniqueLevel(type, level))
      driving.push_back(operand);
  }
  return driving;
}

std::optional<unsigned> NestCost::findLastDriven(unsigned m,
                                                 unsigned last) const {
  for (unsigned loop = last + 1; loop-- > m;)
    if (!visitsAll(loops[loop]))
      return loop;
  return std::nullopt;
}

/// Whether it is known, at every coordinate of loop `m`, how many coordinates
/// of the loops from `m` to `last` have been visited.
bool NestCost::knowsVisits(unsigned m, unsigned last,
                           const Charge &charge) const {
  std::optional<unsigned> driven = findLastDriven(m, last);
  if (!driven)
    return true;
  SmallVector<unsigned> driving = getDrivers(*driven, charge);
  return !driving.empty() && llvm::all_of(driving, [&](unsigned operand) {
    return llvm::all_of(llvm::seq(m, *driven + 1), [&](unsigned loop) {
      return takesPart(operand, loop);
    });
  });
}

/// Whether the innermost loop that an operand takes part in has a run of
/// entries for each coordinate.
bool NestCost::endsInRuns(const Charge &charge) const {
  return charge.operand &&
         !isUniqueLevel(operands[*charge.operand].getType(),
                        getLevelAt(*charge.operand, charge.last));
}

/// Whether the cost of a charge is known at every coordinate of every loop.
bool NestCost::isKnown(const Charge &charge) const {
  unsigned begin = getNextLoop(charge, first);
  if (begin > first && !knowsVisits(first, begin - 1, charge))
    return false;
  if (!charge.operand)
    return true;
  // What a run costs belongs to its coordinate, which no loop inside shares.
  if (endsInRuns(charge) && charge.last + 1 < loops.size())
    return false;
  for (unsigned m = begin; m < charge.last; m = getNextLoop(charge, m + 1))
    if (!knowsRepeats(m, getNextLoop(charge, m + 1), charge))
      return false;
  return true;
}

/// Whether it is known at loop `m` how often the loops from there to `next`,
/// which lack the operand of the charge, repeat it: as often at all
/// coordinates.
bool NestCost::knowsRepeats(unsigned m, unsigned next,
                            const Charge &charge) const {
  if (m + 1 == next)
    return true;
  std::optional<unsigned> driven = findLastDriven(m + 1, next - 1);
  if (!driven)
    return true;
  if (!knowsVisits(m + 1, next - 1, charge))
    return false;
  unsigned begin = getNextLoop(charge, first);
  return llvm::none_of(getDrivers(*driven, charge), [&](unsigned operand) {
    return llvm::any_of(operands[operand].loops, [&](unsigned loop) {
      return loop >= begin && loop <= m;
    });
  });
}

int64_t NestCost::getDelta() const {
  int64_t delta = 0;
  if (!isComplete)
    return -1;
  // The step to an entry of a list, which is all of it if nothing is inside.
  if (first > 0)
    delta += charges.empty() ? std::max<int64_t>(entryWeight, 1) : entryWeight;
  for (const Charge &charge : charges) {
    unsigned begin = getNextLoop(charge, first);
    std::optional<unsigned> driven;
    if (begin > first)
      driven = findLastDriven(first, begin - 1);
    if (!driven) {
      delta += charge.weight;
      continue;
    }
    for (unsigned operand : getDrivers(*driven, charge)) {
      if (!isUniqueLevel(operands[operand].getType(),
                         getLevelAt(operand, *driven)))
        return -1;
      delta += charge.weight;
    }
  }
  return delta;
}
