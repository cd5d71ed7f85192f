//===- PartLevels.cpp - The levels of a result that a part fills ----------===//

#include "PartLevels.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// The coordinate of a cut in the loop of a level. For a full level, the
/// position of the cut's coordinates; but if their parent has no entries so
/// far, the first position of the next parent that will be appended.
Value PartLevels::cutCoordinate(Value cut, unsigned level,
                                ValueRange row) const {
  const ResultPlaces &places = part.places;
  if (!isFullLevel(layout.type, level))
    return places.coordinateOfCut(cut, level);
  unsigned first = layout.firstFull(level);
  if (first == 0)
    return places.numberOfCut(cut, level);
  Value parent = layout.positionsOf(b, first - 1, row);
  Value isOpen =
      layout.levels[first - 1]->isOpen(b, layout.columnsOf(first - 1, row));
  auto at = [&](unsigned m) -> Value {
    Value coordinate = places.coordinateOfCut(cut, m);
    return select(Number(b, isOpen), coordinate, 0);
  };
  return places.numberOf(level, parent, at);
}

AppendContext PartLevels::contextOf(unsigned level) const {
  AppendContext context;
  context.part = part.number;
  context.lower = cutCoordinate(part.lower, level, part.first);
  context.upper = cutCoordinate(part.upper, level, part.last);
  context.first = Values(layout.columnsOf(level, part.first));
  context.last = Values(layout.columnsOf(level, part.last));
  if (level + 1 < layout.numStructural)
    context.positions = part.args.positions[level + 1];
  if (isFullLevel(layout.type, level))
    return context;
  for (unsigned from = layout.firstSharing(level); from <= level; ++from)
    context.coordinates.push_back(part.args.coordinates[from]);
  return context;
}

void PartLevels::start(Carried &carried) {
  if (!part.isCounting())
    for (unsigned level = 0; level < layout.levels.size(); ++level)
      contexts.push_back(contextOf(level));
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    Values &values = carried.levels.emplace_back();
    if (part.isCounting())
      level->initCount(b, values);
    else
      level->initAppend(b, contexts[m], values);
  }
}

/// The next level that counts positions of its own carries its position as its
/// first value. If there is no such level, the position is the offset of the
/// next entry.
Value PartLevels::next(unsigned level, const Carried &values) const {
  for (unsigned next = level + 1; next < layout.levels.size(); ++next)
    if (layout.levels[next]->isCounted())
      return values.levels[next].front();
  return values.entries;
}

/// The position above a run of full levels that ends with `level`; none if they
/// are the first levels.
std::optional<Value> PartLevels::parentPosition(unsigned level,
                                                const Carried &values) const {
  unsigned first = layout.firstFull(level);
  if (first == 0)
    return std::nullopt;
  return values.levels[first - 1].front();
}

/// Whether the loop of the outermost level comes to every coordinate in turn.
bool PartLevels::visitsAll(unsigned level) const {
  CoiterateOp loop = layout.loopOfLevel[level];
  return level == 0 && loop && loop == CoiterateOp(layout.loops.front()) &&
         nacho::visitsAll(loop) && loop.getGuards().empty() &&
         loop.getNonempty().empty() && !loop.getExtent();
}

void PartLevels::leave(unsigned level, const Arrival &arrival,
                       Carried &values) {
  const ResultLevel &kind = *layout.levels[level];
  Value any = Number(b, values.entries) != arrival.entries;
  if (part.isCounting())
    return kind.leaveCount(b, any, arrival.onLower, arrival.onUpper,
                           values.levels[level]);
  AppendedCoordinate at;
  unsigned from = level + 1 - contexts[level].coordinates.size();
  at.coordinates.assign(part.coordinates.begin() + from,
                        part.coordinates.begin() + level + 1);
  at.any = any;
  at.finished = emitFlag(b, part.completes);
  at.before = arrival.next;
  at.next = next(level, values);
  at.visitsAll = visitsAll(level);
  if (isFullLevel(layout.type, level))
    at.number = part.places.numberOf(
        level, parentPosition(level, values),
        [&](unsigned outer) { return part.coordinates[outer]; });
  kind.leaveAppend(b, contexts[level], at, values.levels[level]);
  if (layout.hasFullFibers(level))
    leaveFiber(level, values);
}

/// Tells the full levels below `level` up to which position `level` is filled.
void PartLevels::leaveFiber(unsigned level, Carried &values) {
  Value end = values.levels[level].front();
  unsigned last = level;
  for (; isFullLevel(layout.type, last + 1); ++last)
    end = Number(b, end) * part.places.extent(last + 1);
  layout.levels[last]->leaveFiber(b, contexts[last], end, next(last, values),
                                  values.levels[last]);
}

void PartLevels::addColumns(const Carried &counted, Values &row) {
  // Whether the part's cuts differ in the coordinate of the level, or of a
  // level above it.
  Number spans = Number::flag(b, false);
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    if (m < layout.numCut) {
      Type index = b.getIndexType();
      Value from = CutCoordinateOp::create(b, index, part.lower, m);
      Value to = CutCoordinateOp::create(b, index, part.upper, m);
      Number differ = Number(b, from) != to;
      spans = m ? spans | differ : differ;
    }
    level->columns(b, spans, counted.levels[m], row);
  }
}

Condition PartLevels::finish(const Carried &appended, Condition complete) {
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    Values values = appended.levels[m];
    Condition isComplete =
        level->finishAppend(b, contexts[m], next(m, appended), values);
    complete = emitBoth(b, complete, isComplete);
  }
  return complete;
}
