//===- BlockTypes.h - Types whose dimensions are split in blocks ----------===//

#ifndef NACHO_LIB_TRANSFORMS_BLOCKTYPES_H
#define NACHO_LIB_TRANSFORMS_BLOCKTYPES_H

#include "nacho/Levels/LevelParts.h"

namespace nacho {

/// The size of the blocks of each dimension, 1 where it has none.
using Blocks = llvm::SmallVector<int64_t>;

/// The blocks that the levels of a tensor have.
Blocks blocksOf(llvm::ArrayRef<LevelPart> parts);

/// Whether a dimension is in blocks.
bool isSplit(const Blocks &blocks);

/// The parts that become dimensions, in their order. Those of a tensor in
/// blocks are its levels; each dimension of another one is split where it is.
llvm::SmallVector<LevelPart> dimensionsInBlocks(mlir::RankedTensorType type,
                                                const Blocks &blocks);

/// The type of a tensor with these dimensions.
mlir::RankedTensorType typeInBlocks(mlir::RankedTensorType type,
                                    const Blocks &blocks);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_BLOCKTYPES_H
