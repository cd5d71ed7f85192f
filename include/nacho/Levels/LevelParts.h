//===- LevelParts.h - Blocks in the levels of a tensor type ---------------===//

#ifndef NACHO_LEVELS_LEVELPARTS_H
#define NACHO_LEVELS_LEVELPARTS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The numbers that a level stores: a dimension, the number of the block in it,
/// or the place in that block.
struct LevelPart {
  enum Kind { whole, block, inside };
  Kind kind;
  unsigned dimension;
  int64_t size = 1; ///< The extent of a block.
};

/// The numbers that each level of a sparse tensor stores. MLIR allows no other
/// maps than those in which each dimension is whole or has a number of a block
/// and, in another level, a place inside of it.
llvm::SmallVector<LevelPart> levelParts(mlir::RankedTensorType type);

/// Whether a tensor is stored in blocks.
bool hasBlocks(mlir::Type type);

} // namespace nacho

#endif // NACHO_LEVELS_LEVELPARTS_H
