//===- LaneElements.h - An element of vectors for each lane -----*- C++ -*-===//
//
// A vector becomes numbers of each lane. With m lanes, lane l has the elements
// l, l + m, l + 2m and so on; or, of each 4m if there are as many, those from
// 4l to 4l + 3, which are loaded together where they lie so. A vector of n
// elements, fewer than there are lanes, is a number of the n first lanes, and
// what the others have does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_LANEELEMENTS_H
#define NACHO_LIB_OPTIMIZATIONS_LANEELEMENTS_H

#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <optional>

namespace nacho {

/// What an operation on vectors reads or writes, from these indices on.
struct VectorAccess {
  mlir::Value array;
  mlir::OperandRange indices;
  int64_t size; ///< The number of elements.
  bool writes;

  /// Returns nothing if the operation accesses no memory.
  static std::optional<VectorAccess> of(mlir::Operation *op);
};

/// Returns whether an operation has vectors as operands or results.
bool hasVectors(mlir::Operation *op);

/// Returns whether so many lanes can do, each for its elements, what an
/// operation of a part does with vectors. Loops and branches only carry them.
bool isForLanes(ParallelOp workers, mlir::Operation *op, int64_t numLanes);

/// Returns whether lanes have fours of neighbours of a vector with so many
/// elements.
inline bool isOfQuads(int64_t size, int64_t numLanes) {
  return size % (4 * numLanes) == 0;
}

/// Returns which neighbours a shuffle takes, as of placesOfQuads, if lanes have
/// them; else nothing.
std::optional<int64_t> neighboursOf(mlir::vector::ShuffleOp shuffle,
                                    int64_t numLanes);

/// Returns whether all lanes have the same sum, or several have each of some
/// sums, since they have added up halves: each lane its own number and that of
/// the lane which is half of them away.
///
///   x = of n lanes;  y = x[0 to n / 2] + x[n / 2 to n]
bool isInAllLanes(mlir::Value sums, int64_t numLanes);

/// Replaces operations of a part, which are all of those with vectors, by
/// operations on the elements of each lane.
void takeElements(llvm::ArrayRef<mlir::Operation *> ops, Lanes lanes);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_LANEELEMENTS_H
