//===- Buffers.h - Reads and writes of the arrays of levels ---------------===//

#ifndef NACHO_LEVELS_BUFFERS_H
#define NACHO_LEVELS_BUFFERS_H

#include "nacho/IR/Condition.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Loads an index from a buffer of positions or coordinates. Stored integers
/// are extended as unsigned numbers.
mlir::Value loadIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Value at);

/// Notes that a value, which was loaded from an array of indices, is a
/// coordinate or a position: no larger than an extent or the length of an
/// array.
void markPlace(mlir::Value loaded);

/// The attribute of loads of sums of a part that nobody reads afterwards.
inline constexpr llvm::StringLiteral kLastReadAttrName = "nacho.last_read";

/// Stores an index into a buffer of positions or coordinates of any width.
void storeIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                mlir::Value buffer, mlir::Value at);

/// Prefetches an element of a buffer that is likely to be read soon.
void prefetchElement(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     mlir::Value at);

/// The mask that selects the first min(end - start, lanes) lanes.
mlir::Value emitMask(mlir::ImplicitLocOpBuilder &b, mlir::Value start,
                     mlir::Value end, int64_t lanes);

/// Loads the elements of a buffer from index `at` on. The buffer may have a
/// static stride. Only the lanes that are `valid`, which is a mask, are read;
/// the others are 0.
mlir::Value loadVector(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                       mlir::Value at, Condition valid, unsigned lanes);

} // namespace nacho

#endif // NACHO_LEVELS_BUFFERS_H
