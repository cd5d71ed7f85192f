//===- Batches.h - Results whose batches have arrays of their own ---------===//

#ifndef NACHO_LIB_RUNTIMELIBRARY_BATCHES_H
#define NACHO_LIB_RUNTIMELIBRARY_BATCHES_H

#include "nacho/Execution/Layout.h"

namespace nacho {

/// Gives each array of a result a row for each batch: a coordinate of the first
/// `numLevels` levels, which are full. All rows of an array are as long as that
/// of the batch that needs the longest one; what others have too much is 0, or
/// the position of the end of the batch. Positions count from the beginning of
/// the batch. The arrays were allocated by malloc(), and are replaced by others
/// that are.
void separateBatches(const TensorLayout &layout, size_t numLevels,
                     Argument *result);

} // namespace nacho

#endif // NACHO_LIB_RUNTIMELIBRARY_BATCHES_H
