//===- BlockMatches.h - Which coordinates two blocks share ----------------===//
//
// Intersections in steps of as many coordinates as a vector register holds: all
// of one block are compared with all of the other, and the block that ends
// first is left behind.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_BLOCKMATCHES_H
#define NACHO_LIB_CONVERSION_BLOCKMATCHES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Where an operand stands in an array of coordinates.
struct CoordinateBlock {
  mlir::Value coordinates, position, end;
};

/// As many bits as there are lanes, one for each coordinate of `block` that
/// `other` has too: as an i64.
mlir::Value emitMatches(mlir::ImplicitLocOpBuilder &b,
                        const CoordinateBlock &block,
                        const CoordinateBlock &other, unsigned lanes);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_BLOCKMATCHES_H
