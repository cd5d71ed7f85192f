//===- Fibers.h - Where the fibers of a nest come from --------------------===//

#ifndef NACHO_IR_FIBERS_H
#define NACHO_IR_FIBERS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The op that made a fiber: the one that it is a result of, or the one whose
/// region has it as an argument. Null if that op makes no fibers: the fiber is
/// handed in from elsewhere, as an argument of a function is.
FiberMakerOpInterface makerOf(mlir::Value fiber);

/// The root of the tensor that a fiber is a part of. Null if the fiber, or one
/// that it is made of, is handed in from elsewhere.
RootOp rootOf(mlir::Value fiber);

/// The `nacho.flatten` that makes the tensor that a fiber is a part of; null if
/// none does.
FlattenOp flattenedBy(mlir::Value fiber);

/// The argument of the function whose entries a fiber has, by its number: the
/// tensor that the fiber is a part of, or that is flattened to it. Nothing if
/// the tensor is made inside the function.
std::optional<unsigned> argumentOf(mlir::Value fiber);

/// Emits an error unless every fiber that a nest reads has a root, and every
/// fiber at a kept position has that from a list. Only then is it known what
/// the parts of the nest cost, and where its operands stand at a cut.
mlir::LogicalResult verifyHasRoots(NestOp nest);

} // namespace nacho

#endif // NACHO_IR_FIBERS_H
