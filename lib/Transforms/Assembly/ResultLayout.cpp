//===- ResultLayout.cpp - The layout of the result of a nest --------------===//

#include "ResultLayout.h"

#include "Collector.h"
#include "Filling.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"

using namespace mlir;
using namespace nacho;

ResultLayout::ResultLayout() = default;
ResultLayout::ResultLayout(ResultLayout &&) = default;
ResultLayout::~ResultLayout() = default;

//===----------------------------------------------------------------------===//
// From a nest
//===----------------------------------------------------------------------===//

/// The loop whose coordinate a value is; null if it is none.
static CoiterateOp loopOver(Value coordinate) {
  auto arg = dyn_cast<BlockArgument>(coordinate);
  if (!arg)
    return {};
  auto loop = dyn_cast<CoiterateOp>(arg.getOwner()->getParentOp());
  return loop && loop.getCoordinate() == coordinate ? loop : CoiterateOp();
}

/// Notes for each coordinate of an append which loop it comes from and, if that
/// is a loop over keys, from which field of the key.
static LogicalResult readAppend(ResultLayout &layout, AppendOp append) {
  for (auto [level, appended] : llvm::enumerate(append.getCoordinates())) {
    auto field = appended.getDefiningOp<UnflattenOp>();
    if (layout.loopOfLevel[level] && layout.fieldOfLevel[level] != field)
      return append.emitOpError("appends at other parts of keys than before");
    layout.fieldOfLevel[level] = field;
    layout.derivedOfLevel[level] = appended.getDefiningOp<DeriveOp>();
    Value coordinate = field ? field.getKey() : appended;
    CoiterateOp loop = loopOver(coordinate);
    if (!loop && !layout.collector->takes(layout, coordinate, level))
      return append.emitOpError("appends at coordinates that are no loop's");
    layout.loopOfLevel[level] = loop;
  }
  return success();
}

static LogicalResult readAppends(ResultLayout &layout) {
  layout.loopOfLevel.assign(layout.type.getRank(), CoiterateOp());
  layout.fieldOfLevel.assign(layout.type.getRank(), UnflattenOp());
  layout.derivedOfLevel.assign(layout.type.getRank(), DeriveOp());
  WalkResult result = layout.nest.walk(
      [&](AppendOp append) { return WalkResult(readAppend(layout, append)); });
  return failure(result.wasInterrupted());
}

static unsigned numStructuralLevels(RankedTensorType type) {
  unsigned levels = isDense(type) ? 0 : type.getRank();
  while (levels > 0 && isFullLevel(type, levels - 1))
    --levels;
  return levels;
}

FailureOr<ResultLayout> ResultLayout::get(NestOp nest, bool drafts,
                                          bool draftUnions) {
  ResultLayout layout;
  layout.nest = nest;
  layout.collector = Collector::get(nest.getCollect());
  layout.loops = nest.getLoops();
  layout.numCut = nest.getCutLoops().size();
  nest.walk([&](FindOp find) { layout.finds.push_back(find); });
  RankedTensorType type = layout.type = cast<RankedTensorType>(nest.getType());
  layout.numStructural = numStructuralLevels(type);
  if (failed(readAppends(layout)) ||
      failed(layout.collector->classifyLoops(layout)))
    return failure();

  unsigned rank = type.getRank();
  bool makesEntries =
      layout.numStructural == rank && rank > 0 && !layout.reduction;
  unsigned appended =
      layout.collector->appendsToLevels() ? layout.numStructural : 0;
  for (unsigned level = 0; level < appended; ++level)
    if (!makesEntries || level + 1 < layout.numStructural)
      layout.levels.push_back(ResultLevel::get(type, level));
  bool isDraft = (drafts && layout.collector->prefersDraft(layout)) ||
                 (draftUnions && layout.collector->draftsUnion(layout));
  layout.filling = isDraft ? Filling::draft() : Filling::counted();
  if (isDraft)
    layout.collector = Collector::getForDraft(nest.getCollect());
  return layout;
}

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

FlattenOp nacho::flattenOf(CoiterateOp loop) {
  return loop.getFibers().empty() ? FlattenOp()
                                  : flattenedBy(loop.getFibers().front());
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
  llvm::append_range(names, collector->columnNames());
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
