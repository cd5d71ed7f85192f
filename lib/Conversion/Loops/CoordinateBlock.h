//===- CoordinateBlock.h - Coordinates in a vector register -----*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_COORDINATEBLOCK_H
#define NACHO_LIB_CONVERSION_COORDINATEBLOCK_H

#include "Coiteration.h"

namespace nacho {

/// The next coordinates of an operand: those at [position, end), of which as
/// many are used as a vector register has lanes.
struct CoordinateBlock {
  const Level *level;
  mlir::Value position, end;
};

/// The number of coordinates of an operand that a register holds; 0 if blocks
/// of them cannot be compared, as coordinates of type `index`, whose width is
/// not fixed.
unsigned lanesOf(const Coiteration &loop, unsigned operand);
/// The number of coordinates per block; 0 if the loop cannot take blocks.
unsigned lanesOf(const Coiteration &loop);

/// The intersection of all operands that store coordinates.
MergeAttr intersectStored(const Coiteration &loop);

/// An i64 in which bit n is set if `other` has the n-th coordinate of `block`,
/// for n < lanes.
mlir::Value emitMatches(mlir::ImplicitLocOpBuilder &b,
                        const CoordinateBlock &block,
                        const CoordinateBlock &other, unsigned lanes);
/// Adds the number of set bits of `matches` to a count.
mlir::Value addMatches(mlir::ImplicitLocOpBuilder &b, mlir::Value matches,
                       mlir::Value count);
/// The number of coordinates at the start of a block that are `coordinate`.
mlir::Value countEqual(mlir::ImplicitLocOpBuilder &b,
                       const CoordinateBlock &block, mlir::Value coordinate,
                       unsigned lanes);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_COORDINATEBLOCK_H
