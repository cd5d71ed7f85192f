//===- CostModel.cpp - Costs of the parts of a nest -----------------------===//
//
// The kinds of charges (`#nacho.cost_model`) of a nest, where T is an operand:
//
//   entries T   every entry of T, each time that it is iterated
//   steps       every iteration of the innermost loop, if the loop visits all
//               coordinates
//   units m     every iteration of an outer loop m; if the loop is sparse, once
//               for every operand that stores the coordinate
//   products    every iteration of the innermost loop or, if that merges, every
//               entry of the drivers, the operands that lead to its coordinates
//
// A loop over an index that an operand lacks repeats the operand's entries for
// each of its coordinates. How many coordinates the loop has visited is either
// a product of extents or the number of positions of the loop's drivers. A
// charge for which neither is known is left out in all loops, so that the other
// charges stay consistent. A unit is charged at the first coordinate inside of
// the coordinate that it belongs to.
//
// To add a kind of charge, add a case to `ChargeKind`, and a case to
// `addCharges` below that lists the charges of this kind in a nest.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Collect.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops and operands
//===----------------------------------------------------------------------===//

/// Whether a part may fill a table for a row of which it has but some entries:
/// each entry has a share of the cost of the table.
static bool mayShareTables(NestOp nest) {
  WalkResult shared = nest.walk([](FindOp find) {
    return find.getFiber().getDefiningOp<FiberAtOp>() ? WalkResult::interrupt()
                                                      : WalkResult::advance();
  });
  return shared.wasInterrupted() && !collectTraitsOf(nest).leavesRowsWhole;
}

NestCost::NestCost(NestOp nest, CostModelAttr model) : loops(nest.getLoops()) {
  // The entries of the list have the costs of the loops inside.
  hasWholeEntries = collectTraitsOf(nest).listsPieces();
  if (hasWholeEntries)
    loops.truncate(nest.getMaxCutLoops());
  findOperands();
  findList(nest, model);
  sharesTables = mayShareTables(nest);
  loops.truncate(std::max(first, findDepth(nest)));
  addCharges(model);
  // A loop without charges cannot be cut.
  while (!reachesInnermost()) {
    loops.pop_back();
    addCharges(model);
  }
  // Without any other charge, charge the iterations of the outermost loop. The
  // step to an entry of a list without loops inside computes a product.
  if (charges.empty() && first == 0)
    charges.push_back({/*weight=*/1, std::nullopt, /*last=*/0});
  if (charges.empty())
    entryWeight += model.getWeight(ChargeKind::products);
  operandsOf.truncate(loops.size());
}

void NestCost::findOperands() {
  DenseMap<Value, unsigned> numbers;
  sought.resize(loops.size());
  sought.back() = fibersToSeek(loops.back());
  for (auto [m, loop] : llvm::enumerate(loops)) {
    operandsOf.emplace_back();
    for (auto [fiber, child] : llvm::zip(CoiterateOp(loop).getFibers(),
                                         CoiterateOp(loop).getChildren())) {
      // If two accesses start from the same root, they are two operands.
      auto known = numbers.find(fiber);
      unsigned number =
          known == numbers.end() ? operands.size() : known->second;
      if (known == numbers.end())
        operands.push_back({fiber, {}, false});
      operands[number].loops.push_back(m);
      unsigned leaf = operandsOf.back().size();
      operands[number].isSought =
          leaf < sought[m].size() && sought[m].test(leaf);
      operandsOf.back().push_back(number);
      numbers[child] = number;
    }
  }
}

/// Finds the loops over a list, if the nest has one: the last of them has the
/// ops that recall what an entry keeps. The step to an entry of the list costs
/// one unit. If the model has no units but the list keeps elements of operands,
/// the step costs as much as an entry instead. A nest that copies entries of
/// the list to another list does nothing that their costs are for: to it, the
/// list is an operand like others.
void NestCost::findList(NestOp nest, CostModelAttr model) {
  for (auto [m, loop] : llvm::enumerate(loops))
    for (Value fiber : CoiterateOp(loop).getFibers())
      if (cast<FiberType>(fiber.getType()).isOfScannedList())
        first = m + 1;
  if (first == loops.size() && !hasWholeEntries &&
      collectTraitsOf(nest).scansCosts)
    first = 0;
  entryWeight = model.getWeight(ChargeKind::units);
  if (entryWeight > 0)
    return;
  nest.walk([&](FiberAtOp at) {
    if (cast<FiberType>(at.getFiber().getType()).isElement())
      entryWeight = model.getWeight(ChargeKind::entries);
  });
}

/// The number of loops to cut: all loops with operands, and of the loops inside
/// of them those over indices of the result, up to the first loop that is
/// reduced or inside of a reduced loop. In a nest without operands, reduced
/// loops are cut, too, but not the result's loops inside of them.
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

/// Finds all charges of the model in the loops that are to be cut.
void NestCost::addCharges(CostModelAttr model) {
  charges.clear();
  isComplete = !sharesTables && !hasWholeEntries;
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
    case ChargeKind::products:
      chargeProducts(weight);
      break;
    }
  }
}

/// Adds a charge if its cost is known at every coordinate, and returns whether
/// it is.
bool NestCost::addIfKnown(const Charge &charge) {
  if (!isKnown(charge))
    return false;
  charges.push_back(charge);
  return true;
}

void NestCost::chargeEntries(int64_t weight) {
  for (auto [n, operand] : llvm::enumerate(operands)) {
    unsigned outermost = operand.loops.front();
    if (outermost < first || outermost >= loops.size() || operand.isSought ||
        isLocated(n))
      continue;
    Charge charge{weight, n, getLastLoop(n)};
    // The length of a run has no bound, so neither has the cost of a
    // coordinate.
    if (!addIfKnown(charge) || endsInRuns(charge))
      isComplete = false;
  }
}

/// Charges only the innermost loop's steps: an outer loop has no more steps
/// than the loops inside of it.
void NestCost::chargeSteps(int64_t weight) {
  unsigned innermost = loops.size() - 1;
  if (loops.size() <= first || !visitsAll(loops[innermost]))
    return;
  if (!addIfKnown({weight, std::nullopt, innermost}))
    isComplete = false;
}

/// Units whose number is not known are left out. `getDelta` holds without them.
void NestCost::chargeUnits(int64_t weight) {
  for (unsigned m = first; m + 1 < loops.size(); ++m)
    addIfKnown({weight, std::nullopt, m, /*isPerOperand=*/true});
}

/// Charges products or, if unknown, entries, which are at least as many.
void NestCost::chargeProducts(int64_t weight) {
  unsigned innermost = loops.size() - 1;
  if (loops.size() > first && !addIfKnown({weight, std::nullopt, innermost}))
    chargeEntries(weight);
}

/// Whether the innermost loop can be cut: because it has charges of its own,
/// because it is the only loop, or because it runs through a list.
bool NestCost::reachesInnermost() const {
  unsigned innermost = loops.size() - 1;
  return innermost == 0 || innermost < first ||
         llvm::any_of(
             charges,
             [&](const Charge &charge) {
               return !charge.isPerOperand && reaches(charge, innermost);
             });
}

/// Whether the loop over an operand's last level visits only some coordinates
/// of that level, although the level is full: then the loop finds elements of
/// the operand by their coordinates, without stepping through the operand.
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

/// The smallest set of operands such that every coordinate at which the merge
/// expression can hold is a coordinate of one of these operands.
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
    for (unsigned leaf : cover(iterationDomain(loops[m], sought[m])))
      driving.push_back(operandsOf[m][leaf]);
    return driving;
  }
  // A unit for each merged operand. The number of runs is not known without a
  // scan, so operands with runs have no units; each run has an entry anyway.
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

/// Whether a charge is for entries of an operand that stores a run of entries
/// for each coordinate of its innermost loop.
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
  // The cost of a run belongs to the run's coordinate. A loop inside cannot
  // divide it among its own coordinates.
  if (endsInRuns(charge) && charge.last + 1 < loops.size())
    return false;
  for (unsigned m = begin; m < charge.last; m = getNextLoop(charge, m + 1))
    if (!knowsRepeats(m, getNextLoop(charge, m + 1), charge))
      return false;
  return true;
}

/// The loops between `m` and `next` lack the operand of the charge, and so
/// repeat its entries. Whether loop `m` knows how often they do: as often at
/// each of its coordinates.
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
  // The step to an entry of a list. It is the whole cost of the entry if the
  // loops inside cost nothing.
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
