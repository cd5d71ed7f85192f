//===- ResultLevel.cpp - Code that fills a level of a result --------------===//

#include "nacho/Levels/ResultLevel.h"
#include "LevelKind.h"

using namespace mlir;
using namespace nacho;

/// Among levels that share positions, the last one stores the coordinates of
/// all of them. Among full levels in a row, the last one fills the positions of
/// the next level on behalf of all of them.
static bool isFilledWithNext(RankedTensorType type, unsigned level) {
  if (level + 1 == type.getRank())
    return false;
  return isFullLevel(type, level) ? isFullLevel(type, level + 1)
                                  : sharesPositions(type, level + 1);
}

std::unique_ptr<ResultLevel> ResultLevel::get(RankedTensorType type,
                                              unsigned level) {
  if (isFilledWithNext(type, level))
    return std::make_unique<ResultLevel>();
  return findKind(type, level)->result();
}
