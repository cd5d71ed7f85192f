//===- LevelFormat.h - Level formats of tensor types ----------------------===//
//
// The functions of this file look at types only; they emit no code. Level.h
// emits the code that reads a level of an operand, and ResultLevel.h the code
// that fills a level of a result.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_LEVELFORMAT_H
#define NACHO_LEVELS_LEVELFORMAT_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Whether every parent has a child at every coordinate of the level.
bool isFullLevel(mlir::RankedTensorType type, unsigned level);
/// Whether a fiber of the level has each coordinate at most once.
bool isUniqueLevel(mlir::RankedTensorType type, unsigned level);
/// Whether every position of the level above has exactly one child in this
/// level, which has the same position.
bool sharesPositions(mlir::RankedTensorType type, unsigned level);

/// Whether there may be positions of the level that belong to no fiber.
bool hasGaps(mlir::RankedTensorType type, unsigned level);

/// Whether there may be large gaps, of positions that belong to no fiber,
/// between what lies below a coordinate of the level and what lies below the
/// next one.
bool separatesChildren(mlir::RankedTensorType type, unsigned level);

/// The outermost level that has the same positions as `level`.
unsigned firstSharing(mlir::RankedTensorType type, unsigned level);

/// Whether a tensor has only full levels, or no sparse encoding at all.
bool isDense(mlir::RankedTensorType type);

/// The dimension that a level stores.
unsigned dimensionOf(mlir::RankedTensorType type, unsigned level);

/// Whether all levels of this type, and the order in which they follow one
/// another, are known. Lists need no more.
bool hasReadableLevels(mlir::RankedTensorType type);
/// Whether tensors of this type are supported: every level, the order in which
/// the levels follow one another, and that they can store any tensor.
bool hasSupportedLevels(mlir::RankedTensorType type);
/// Whether results may have this type; those without an encoding are dense.
bool canBeResult(mlir::RankedTensorType type);
/// Whether fibers of this type can be read. The levels of a scanned list need
/// not be able to store any tensor.
bool isReadable(FiberType fiber);

/// The bytes that an element takes in an array.
int64_t bytesOf(mlir::Type element);

/// An array that a level stores. With p positions in the level above and n in
/// the level itself, the array has
///   perParent * p + perEntry * n + extra
/// elements. If the tensor is in batches, `extra` of them belong to each batch,
/// and more of them to none. If there is a `wordSize`, p is the number of words
/// of that many coordinates that all fibers of the level have together.
struct LevelArray {
  llvm::StringRef name; ///< Unique among the arrays of the level.
  mlir::Type element;
  int64_t perParent = 0, perEntry = 0, extra = 0;
  int64_t wordSize = 0;
};

/// The names of the arrays that hold positions and coordinates.
inline constexpr llvm::StringLiteral kPositionsName = "pos";
inline constexpr llvm::StringLiteral kCoordinatesName = "crd";

/// The arrays of a level, in the order in which kernels take them.
llvm::SmallVector<LevelArray> levelArrays(mlir::RankedTensorType type,
                                          unsigned level);

/// The place of the coordinates of a level. The coordinate of position p is the
/// element
///   offset + stride * p
/// of the array of coordinates that `level` owns.
struct CoordinatePlace {
  unsigned level;
  int64_t offset = 0, stride = 1;
};

/// The place of the coordinates of a level; none if the level does not store a
/// coordinate for each position.
std::optional<CoordinatePlace> coordinatePlace(mlir::RankedTensorType type,
                                               unsigned level);

/// The type of a list of entries: COO, sorted in the order of its dimensions.
/// No two entries agree in their first `unique` coordinates; the other
/// coordinates are further data of the entry.
mlir::RankedTensorType listTensorType(unsigned rank, unsigned unique,
                                      mlir::Type element,
                                      unsigned coordinateWidth);

} // namespace nacho

#endif // NACHO_LEVELS_LEVELFORMAT_H
