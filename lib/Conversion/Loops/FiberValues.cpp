//===- FiberValues.cpp - Fibers and cuts as SSA values --------------------===//

#include "FiberValues.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

CutValue CutValue::enter(ImplicitLocOpBuilder &b, Value coordinate) const {
  CutValue inner;
  inner.on = emitBoth(b, on, Number(b, coordinate) == loops.front().coordinate);
  if (isReached)
    inner.on = *isReached ? on : Condition(Number::flag(b, false));
  inner.cost = cost;
  inner.loops.assign(loops.begin() + 1, loops.end());
  return inner;
}

Value nacho::endOfRun(ImplicitLocOpBuilder &b, const Level &level,
                      Value coordinate, Value low, Value high) {
  Value next = Number(b, coordinate) + 1;
  return level.lowerBound(b, next, low, low, high);
}

Value nacho::coordinateOrInfinity(ImplicitLocOpBuilder &b,
                                  const ChildRange &range, Value position) {
  Number alive = Number(b, position) < range.end;
  Value safe = select(alive, position, kReadablePosition);
  Value stored = range.level->coordinate(b, safe);
  Number infinity(b, kInfinity);
  return select(alive, stored, infinity);
}

/// The end of the children of a fiber at a cut. If that is included, it is
/// behind what the operand stores at the cut's coordinate: if inner loops take
/// runs apart, only the entry in which the cut is, otherwise the whole run.
Value nacho::clippedEnd(ImplicitLocOpBuilder &b, const ChildRange &range,
                        const ClipPath &path, const CutValue &upper,
                        LastCoordinate last) {
  Value end = upper.positionAt(path);
  Value coordinate = upper.loops.front().coordinate;
  bool isIncluded = last == LastCoordinate::included;
  if (isIncluded && !range.level->isUnique() && path.size() == 1) {
    end = endOfRun(b, *range.level, coordinate, end, range.end);
  } else if (isIncluded) {
    Number last(b, coordinateOrInfinity(b, range, end));
    Number isStored = last == coordinate;
    end = Number(b, end) + isStored.asIndex();
  }
  // The last cut of all is at the end of the level.
  if (range.level->isCropped())
    end = min(Number(b, end), range.end);
  return end;
}

/// The position after the last parent of a fiber.
static Value positionAfter(ImplicitLocOpBuilder &b, const FiberValue &fiber) {
  if (fiber.end)
    return *fiber.end;
  Value step = fiber.present.isAlways()
                   ? Number(b, 1)
                   : Number(b, fiber.present.flag()).asIndex();
  return Number(b, fiber.position) + step;
}

/// Moves `begin` one position back if the entry there has the coordinate of the
/// cut, too: the part that finishes a coordinate has to visit it even if all of
/// its entries are in earlier parts.
static Value visitCut(ImplicitLocOpBuilder &b, const ChildRange &range,
                      Value begin, Value coordinate) {
  Number inside = Number(b, begin) > range.first;
  Value before = Number(b, begin) - 1;
  Value safe = select(inside, before, 0);
  Number stored(b, range.level->coordinate(b, safe));
  Value same = stored == coordinate;
  return emitSelect(b, emitBoth(b, inside, same), before, begin);
}

/// The whole fiber has the children from begin(p) up to the end of those of the
/// parents before p + present: none if the fiber is absent. A cut clips only
/// where it is on, and only an operand whose fiber is present: for an absent
/// fiber, the cut has positions of the next fiber. A run is clipped by the
/// position that the cut has in the innermost loop that takes the run apart, so
/// that no part steps through entries of another part.
ChildRange nacho::childRange(ImplicitLocOpBuilder &b, const FiberValue &fiber,
                             const ClipPath &path, const CutValue *lower,
                             const CutValue *upper, LastCoordinate last) {
  ChildRange range;
  range.level = fiber.childLevel();
  if (fiber.children) {
    range.first = range.begin = fiber.children->begin;
    range.end = fiber.children->end;
    return range;
  }
  range.first = range.level->begin(b, fiber.position);
  range.begin = range.end = range.first;
  if (range.level->isFull())
    return range;
  range.end = range.level->end(b, range.first, positionAfter(b, fiber));
  auto cropped = range.level->crop(b, {range.first, range.end});
  range.first = range.begin = cropped.begin;
  range.end = cropped.end;
  if (lower) {
    Value begin = lower->positionAt(path);
    if (path.size() > 1)
      begin = visitCut(b, range, begin, lower->loops.front().coordinate);
    // The first cut of all is at position 0, which may be in a gap, or before
    // the slice that the fiber belongs to.
    auto type = cast<RankedTensorType>(fiber.tensor.getType());
    if (hasGaps(type, fiber.level) || fiber.tensor.getDefiningOp<SliceOp>())
      begin = max(Number(b, begin), range.first);
    range.begin = emitSelect(b, emitBoth(b, lower->on, fiber.present), begin,
                             range.first);
  }
  if (upper) {
    Condition clips = emitBoth(b, upper->on, fiber.present);
    range.end = emitSelect(b, clips, clippedEnd(b, range, path, *upper, last),
                           range.end);
  }
  return range;
}
