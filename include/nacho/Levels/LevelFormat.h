//===- LevelFormat.h - What a tensor type says about its levels -----------===//
//
// Questions about types only, which analyses and passes ask; Level.h emits the
// code that reads and writes a level.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_LEVELFORMAT_H
#define NACHO_LEVELS_LEVELFORMAT_H

#include "nacho/IR/Nacho.h"

namespace nacho {

// What one level of a type is, and the arrays that it has.
bool isFullLevel(mlir::RankedTensorType type, unsigned level);
bool isUniqueLevel(mlir::RankedTensorType type, unsigned level);
bool hasPositions(mlir::RankedTensorType type, unsigned level);
bool hasCoordinates(mlir::RankedTensorType type, unsigned level);

/// Whether a tensor has nothing but full levels, or is not encoded at all.
bool isDense(mlir::RankedTensorType type);

/// The dimension that a level stores.
unsigned dimensionOf(mlir::RankedTensorType type, unsigned level);

/// The levels of a type can be read in this order; and they can store any
/// tensor.
bool hasReadableLevels(mlir::RankedTensorType type);
bool hasSupportedLevels(mlir::RankedTensorType type);

/// The type of a list of entries: coo, sorted in the order of its dimensions.
/// The first `unique` of them tell entries apart; others only go along.
mlir::RankedTensorType listTensorType(unsigned rank, unsigned unique,
                                      mlir::Type element,
                                      unsigned coordinateWidth);

} // namespace nacho

#endif // NACHO_LEVELS_LEVELFORMAT_H
