//===- Fibers.h - Sources of the fibers of a nest -------------------------===//

#ifndef NACHO_IR_FIBERS_H
#define NACHO_IR_FIBERS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The op that made a fiber: the op that has the fiber as a result, or as an
/// argument of its region. Null if that op makes no fibers: a function, for
/// example, whose caller hands it the fiber.
FiberMakerOpInterface makerOf(mlir::Value fiber);

/// The root of the tensor that a fiber belongs to. Null if the fiber, or a
/// fiber that it is made of, has no maker.
RootOp rootOf(mlir::Value fiber);

/// The tensor of which another one is a slice; the tensor itself if it is none.
mlir::Value wholeTensorOf(mlir::Value tensor);

/// The `nacho.flatten` that makes the tensor that a fiber belongs to; null if
/// there is no such op.
FlattenOp flattenedBy(mlir::Value fiber);

/// The argument of the function whose entries a fiber has, by its number: the
/// tensor that the fiber is a part of, or of which that is a slice, or that is
/// flattened to it. Nothing if the tensor is made inside the function.
std::optional<unsigned> argumentOf(mlir::Value fiber);

/// Emits an error unless every fiber that a nest reads has a root, and every
/// `nacho.fiber_at` takes its position from a `nacho.recall`. Otherwise the
/// cost of the nest's parts and its operands' positions at a cut are unknown.
mlir::LogicalResult verifyHasRoots(NestOp nest);

} // namespace nacho

#endif // NACHO_IR_FIBERS_H
