//===- LoopCost.cpp - What an order of loops is expected to cost ----------===//
//
// Before any operand is known, every index has kExtent coordinates, and a row
// of a sparse operand kRow entries.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopCost.h"

#include "nacho/Levels/Level.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace nacho;

static constexpr double kExtent = 1e5, kRow = 10;
/// What an entry costs, in steps of a loop, that is sorted, as those of
/// transposed operands are; and one that is added up in a workspace.
static constexpr double kSorted = 10, kCollected = 4;

LoopCost::LoopCost(AssignOp op, const Term &term, BinaryKind reduction,
                   ArrayRef<Attribute> result)
    : isSum(reduction == BinaryKind::add),
      isDenseResult(isDense(op.getType())) {
  llvm::SetVector<Attribute> sparse, all;
  for (unsigned n : term.inputs) {
    auto type = cast<RankedTensorType>(op.getInputs()[n].getType());
    all.insert_range(op.getAccess(n));
    if (isDense(type))
      continue;
    Operand operand{n, storageOrder(type, op.getAccess(n)), {}};
    for (unsigned level = 0; level < operand.indices.size(); ++level)
      operand.isFull.push_back(isFullLevel(type, level));
    sparse.insert_range(operand.indices);
    operands.push_back(operand);
  }
  // Sparse filters come outermost.
  indices.assign(sparse.begin(), sparse.end());
  for (Attribute index : all)
    if (!sparse.contains(index))
      indices.push_back(index);
  for (Attribute index : result)
    if (all.contains(index))
      this->result.push_back(index);
}

double LoopCost::Operand::positions(unsigned levels, bool isTransposed) const {
  // As many entries, in whatever order.
  if (levels == indices.size())
    isTransposed = false;
  double positions = 1;
  for (unsigned level = 0; level < levels; ++level) {
    if (isFull[level] && !isTransposed)
      positions *= kExtent;
    else if (level == 0)
      positions *= indices.size() == 1 ? kExtent / kRow : kExtent;
    else
      positions *= kRow;
  }
  return positions;
}

/// The steps of a loop, inside of `live` iterations of those outside; and the
/// iterations that are left.
double LoopCost::stepOver(Attribute index, ArrayRef<Attribute> outer,
                          ArrayRef<unsigned> transposed, double &live) const {
  double steps = 0, survivors = kExtent;
  for (const Operand &operand : operands) {
    auto level = llvm::find(operand.indices, index) - operand.indices.begin();
    if (level == static_cast<long>(operand.indices.size()))
      continue;
    bool isTransposed = llvm::is_contained(transposed, operand.input);
    if (isTransposed)
      level = llvm::count_if(outer, [&](Attribute name) {
        return llvm::is_contained(operand.indices, name);
      });
    double children = operand.positions(level + 1, isTransposed) /
                      operand.positions(level, isTransposed);
    survivors *= children / kExtent;
    // What has all coordinates is located.
    bool isFull = isTransposed ? level == 0 && operand.isLocated()
                               : operand.isFull[level];
    if (!isFull)
      steps += children;
  }
  if (steps == 0)
    steps = kExtent;
  steps *= live;
  live *= survivors;
  return steps;
}

TermOrder LoopCost::evaluate(ArrayRef<Attribute> loops) const {
  TermOrder order;
  order.loops.assign(loops.begin(), loops.end());
  auto place = [&](Attribute index) {
    return llvm::find(loops, index) - loops.begin();
  };
  auto follows = [&](Attribute one, Attribute other) {
    return place(one) < place(other);
  };
  for (const Operand &operand : operands) {
    llvm::SmallDenseSet<Attribute> seen;
    bool isDiagonal = llvm::any_of(
        operand.indices, [&](Attribute i) { return !seen.insert(i).second; });
    if (isDiagonal || !llvm::is_sorted(operand.indices, follows)) {
      order.transposed.push_back(operand.input);
      order.cost += kSorted * operand.positions(operand.indices.size(), false);
    }
  }
  double live = 1;
  for (auto [m, index] : llvm::enumerate(loops))
    order.cost += stepOver(index, loops.take_front(m), order.transposed, live);
  // The loops over the result have to come first, in its order.
  order.scatters = ArrayRef(result) != loops.take_front(result.size());
  if (order.scatters) {
    auto isResult = [&](Attribute index) {
      return llvm::is_contained(result, index);
    };
    auto reduced = llvm::find_if_not(loops, isResult);
    order.collects =
        isSum && std::count_if(reduced, loops.end(), isResult) == 1;
    IndexNames appended;
    llvm::copy_if(loops, std::back_inserter(appended), isResult);
    bool isSorted = order.collects && (isDenseResult || appended == result);
    order.cost +=
        ((order.collects ? kCollected : 0) + (isSorted ? 0 : kSorted)) * live;
  }
  return order;
}

TermOrder LoopCost::choose(bool canScatter) const {
  auto isAllowed = [&](const TermOrder &order) {
    return canScatter || !order.scatters;
  };
  TermOrder best = evaluate(indices);
  // Without a scatter anything goes, if enough is transposed.
  IndexNames plain = result;
  for (Attribute index : indices)
    if (!llvm::is_contained(plain, index))
      plain.push_back(index);
  for (bool isPlain : {false, true}) {
    TermOrder start = evaluate(isPlain ? plain : indices);
    if (!isAllowed(best) || (isAllowed(start) && start.cost < best.cost))
      best = start;
    // Push each index inwards while that pays.
    for (unsigned from = 0; from < indices.size(); ++from) {
      IndexNames loops = start.loops;
      for (unsigned at = from; at + 1 < loops.size(); ++at) {
        std::swap(loops[at], loops[at + 1]);
        TermOrder pushed = evaluate(loops);
        if (isAllowed(pushed) && pushed.cost < best.cost)
          best = pushed;
      }
    }
  }
  return best;
}
