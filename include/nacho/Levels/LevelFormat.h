//===- LevelFormat.h - What a tensor type says about its levels -----------===//
//
// Questions about types only, which analyses and passes ask. Level.h emits the
// code that reads a level of an operand, and ResultLevel.h the code that fills
// a level of a result.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_LEVELFORMAT_H
#define NACHO_LEVELS_LEVELFORMAT_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Whether the level has every coordinate under each of its parents.
bool isFullLevel(mlir::RankedTensorType type, unsigned level);
/// Whether a fiber of the level has each coordinate at most once.
bool isUniqueLevel(mlir::RankedTensorType type, unsigned level);
/// Whether every position of the level above has exactly one child in this
/// level, which has the same position.
bool sharesPositions(mlir::RankedTensorType type, unsigned level);

/// The first of the levels that have the positions of `level`.
unsigned firstSharing(mlir::RankedTensorType type, unsigned level);

/// Whether a tensor has nothing but full levels, or is not encoded at all.
bool isDense(mlir::RankedTensorType type);

/// The dimension that a level stores.
unsigned dimensionOf(mlir::RankedTensorType type, unsigned level);

/// Whether the levels of a type can be read in this order.
bool hasReadableLevels(mlir::RankedTensorType type);
/// Whether they can also store any tensor.
bool hasSupportedLevels(mlir::RankedTensorType type);

/// An array that a level stores. With p positions in the level above and n in
/// the level itself, the array has
///   perParent * p + perEntry * n + extra
/// elements.
struct LevelArray {
  llvm::StringRef name; ///< The level has no other array of this name.
  mlir::Type element;
  int64_t perParent = 0, perEntry = 0, extra = 0;
};

/// The names of the arrays that hold positions and coordinates.
inline constexpr llvm::StringLiteral kPositionsName = "pos";
inline constexpr llvm::StringLiteral kCoordinatesName = "crd";

/// The arrays of a level, in the order in which kernels take them.
llvm::SmallVector<LevelArray> levelArrays(mlir::RankedTensorType type,
                                          unsigned level);

/// Where the coordinates of a level are. That of position p is the element
///   offset + stride * p
/// of the array of coordinates of `level`.
struct CoordinatePlace {
  unsigned level;
  int64_t offset = 0, stride = 1;
};

/// The place of the coordinates of a level that is not full.
CoordinatePlace coordinatePlace(mlir::RankedTensorType type, unsigned level);

/// The type of a list of entries: coo, sorted in the order of its dimensions.
/// The first `unique` coordinates tell entries apart. Further coordinates only
/// go along with them.
mlir::RankedTensorType listTensorType(unsigned rank, unsigned unique,
                                      mlir::Type element,
                                      unsigned coordinateWidth);

} // namespace nacho

#endif // NACHO_LEVELS_LEVELFORMAT_H
