//===- Launches.h - Launches, and the lanes of their warps -----*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_GPU_LAUNCHES_H
#define NACHO_LIB_CONVERSION_GPU_LAUNCHES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Creates a launch of so many blocks with so many threads each, and leaves the
/// builder in its body.
mlir::gpu::LaunchOp createLaunch(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value blocks, mlir::Value threads);

/// The lanes of a warp that do a part together.
struct LaneGroup {
  mlir::Value lane;  ///< The number of a thread among them.
  mlir::Value first; ///< The number of the first of them in its warp.
  mlir::Value mask;  ///< The bits of all of them in a word.
  int64_t numLanes, numInWarp;

  /// Whether a warp has other groups, which may be elsewhere.
  bool isPartOfWarp() const { return numLanes < numInWarp; }
  /// Emits a shuffle of 32 bits, from the lane with a number.
  mlir::Value ask(mlir::ImplicitLocOpBuilder &b, ParallelOp workers,
                  mlir::Value bits, mlir::Value number) const;
};

/// Lets the lanes of a group do the code of a region, for workers.
void lowerLanes(mlir::Region &code, ParallelOp workers, LaneOp lanes,
                const LaneGroup &group);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_LAUNCHES_H
