//===- LevelKinds.h - The constructors of each kind of level --------------===//

#ifndef NACHO_LIB_LEVELS_LEVELKINDS_H
#define NACHO_LIB_LEVELS_LEVELKINDS_H

#include "nacho/Levels/Level.h"

namespace nacho {

std::unique_ptr<Level> makeDenseLevel(mlir::Value tensor, unsigned level);
std::unique_ptr<Level> makeCompressedLevel(mlir::Value tensor, unsigned level);

std::unique_ptr<ResultLevel> makeDenseResultLevel();
std::unique_ptr<ResultLevel> makeCompressedResultLevel();

} // namespace nacho

#endif // NACHO_LIB_LEVELS_LEVELKINDS_H
