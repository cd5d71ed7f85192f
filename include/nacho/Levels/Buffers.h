//===- Buffers.h - Reads and writes of the arrays of levels ---------------===//

#ifndef NACHO_LEVELS_BUFFERS_H
#define NACHO_LEVELS_BUFFERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Loads from a buffer of positions or coordinates, which are unsigned.
mlir::Value loadIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Value at);

/// Stores an index into a buffer of positions or coordinates of any width.
void storeIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                mlir::Value buffer, mlir::Value at);

/// Asks for the memory of an element of a buffer, which may be read soon.
void prefetchElement(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     mlir::Value at);

/// The mask that selects the first `end - start` lanes, or all if there are
/// fewer.
mlir::Value emitMask(mlir::ImplicitLocOpBuilder &b, mlir::Value start,
                     mlir::Value end, int64_t lanes);

/// The elements of a buffer from `at` on, which may have a static stride. Only
/// lanes that are `valid` are read; a null value stands for all of them.
mlir::Value loadVector(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                       mlir::Value at, mlir::Value valid, unsigned lanes);

} // namespace nacho

#endif // NACHO_LEVELS_BUFFERS_H
