//===- TiledParts.h - Blocks that do the parts of a tile -------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILEDPARTS_H
#define NACHO_LIB_CONVERSION_GPU_TILEDPARTS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The tile of workers; null if they have none.
TileOp tileOf(ParallelOp workers);

/// Lets a block do the parts of each tile of workers, whose threads share at
/// most so many bytes. A warp has so many lanes.
llvm::LogicalResult lowerTiled(ParallelOp op, TileOp tile, int64_t sharedBytes,
                               int64_t lanes);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILEDPARTS_H
