//===- LaneElements.h - An element of vectors for each lane -----*- C++ -*-===//
//
// A vector becomes numbers of each lane: with m lanes, lane l has the elements
// l, l + m, l + 2m and so on. A vector of n elements, fewer than there are
// lanes, is a number of the n first lanes, and what the others have does not
// matter.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_LANEELEMENTS_H
#define NACHO_LIB_OPTIMIZATIONS_LANEELEMENTS_H

#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"

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

/// Replaces operations of a part, which are all of those with vectors, by
/// operations on the elements of each lane.
void takeElements(llvm::ArrayRef<mlir::Operation *> ops, Lanes lanes);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_LANEELEMENTS_H
