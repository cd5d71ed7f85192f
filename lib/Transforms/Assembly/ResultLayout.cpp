//===- ResultLayout.cpp - The layout of the result of a nest --------------===//

#include "ResultLayout.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Elements of blocks
//===----------------------------------------------------------------------===//

/// Whether a loop runs its body at every coordinate, whatever the operands
/// store.
static bool runsEverywhere(CoiterateOp loop) {
  return isAlways(iterationDomain(loop.getMerge(), [&](unsigned operand) {
    if (operand >= loop.getFibers().size())
      return false;
    auto fiber = cast<FiberType>(loop.getFibers()[operand].getType());
    return llvm::all_of(llvm::seq(fiber.getLevel() + 1), [&](unsigned level) {
      return isFullLevel(fiber.getTensor(), level);
    });
  }));
}

bool ResultLayout::needsFill() const {
  unsigned rank = type.getRank();
  if (numStructural == rank && rank > 0)
    return false;
  // A block is written as a whole when its position is appended.
  if (numStructural > 0 && numStructural == numOuter)
    return false;
  // A reduction does not write elements of a block to which nothing is reduced.
  if (numStructural > 0 && reduction)
    return true;
  bool isConditional = false;
  if (!reduction)
    NestOp(nest).walk([&](AppendOp append) {
      isConditional |= static_cast<bool>(append.getCondition());
    });
  return isConditional ||
         !llvm::all_of(ArrayRef(loops).take_front(numOuter), runsEverywhere);
}

bool ResultLayout::sumsAreResult() const {
  return addsToAll() && reduction->getMonoid().isSum() &&
         NestOp(nest).getFinish().empty();
}

bool ResultLayout::scatters() const {
  return addsToAll() || llvm::any_of(innerLevels, [&](unsigned level) {
           return !CoiterateOp(loopOfLevel[level]).getFibers().empty();
         });
}

bool ResultLayout::hasUnequalParts() const {
  Value cuts = NestOp(nest).getCuts();
  return static_cast<int64_t>(cuts.getDefiningOp<PartitionOp>().getDelta()) < 0;
}

unsigned ResultLayout::firstFull(unsigned level) const {
  while (level > 0 && isFullLevel(type, level - 1))
    --level;
  return level;
}

unsigned ResultLayout::firstSharing(unsigned level) const {
  return nacho::firstSharing(type, level);
}

bool ResultLayout::hasFullFibers(unsigned level) const {
  return level + 1 < numStructural && !isFullLevel(type, level) &&
         isFullLevel(type, level + 1);
}

bool ResultLayout::appendsKeys() const {
  if (fieldOfLevel.empty() || !fieldOfLevel.front() || !isList(type))
    return false;
  CoiterateOp loop = loopOfLevel.front();
  Value tensor = UnflattenOp(fieldOfLevel.front()).getTensor();
  FlattenOp flatten = loop ? flattenOf(loop) : FlattenOp();
  if (!flatten || flatten.getTensor() != tensor)
    return false;
  for (unsigned level = 0; level < fieldOfLevel.size(); ++level) {
    UnflattenOp field = fieldOfLevel[level];
    if (!field || field.getLevel() != level || field.getTensor() != tensor ||
        loopOfLevel[level] != loop)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

SmallVector<StringRef> ResultLayout::columnNames() const {
  SmallVector<StringRef> names;
  for (const auto &level : levels)
    llvm::append_range(names, level->columnNames());
  llvm::append_range(names, columnsToCollect);
  if (makesEntries())
    names.push_back("entries");
  return names;
}

ValueRange ResultLayout::columnsOf(unsigned level, ValueRange row) const {
  unsigned begin = 0;
  for (unsigned outer = 0; outer < level; ++outer)
    begin += levels[outer]->numColumns();
  return row.slice(begin, levels[level]->numColumns());
}

Value ResultLayout::positionsOf(ImplicitLocOpBuilder &b, unsigned level,
                                ValueRange row) const {
  // A level that counts nothing shares the positions of the next one that does.
  while (level < levels.size() && !levels[level]->isCounted())
    ++level;
  return level < levels.size()
             ? levels[level]->position(b, columnsOf(level, row))
             : row.back();
}
