//===- Fibers.h - Where the fibers of a nest come from --------------------===//

#ifndef NACHO_IR_FIBERS_H
#define NACHO_IR_FIBERS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The root of the operand that a fiber of a nest is of.
mlir::Value rootOf(mlir::Value fiber);

/// What makes the operand that a fiber of a nest is of from another tensor;
/// null if nothing does.
FlattenOp flattenedBy(mlir::Value fiber);

} // namespace nacho

#endif // NACHO_IR_FIBERS_H
