//===- LevelParts.cpp - Blocks in the levels of a tensor type -------------===//

#include "nacho/Levels/LevelParts.h"

using namespace mlir;
using namespace nacho;

SmallVector<LevelPart> nacho::levelParts(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  SmallVector<LevelPart> parts;
  for (AffineExpr level : encoding.getDimToLvl().getResults()) {
    if (auto dimension = dyn_cast<AffineDimExpr>(level)) {
      parts.push_back({LevelPart::whole, dimension.getPosition()});
      continue;
    }
    auto binary = cast<AffineBinaryOpExpr>(level);
    parts.push_back({level.getKind() == AffineExprKind::FloorDiv
                         ? LevelPart::block
                         : LevelPart::inside,
                     cast<AffineDimExpr>(binary.getLHS()).getPosition(),
                     cast<AffineConstantExpr>(binary.getRHS()).getValue()});
  }
  return parts;
}

bool nacho::hasBlocks(Type type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding && !encoding.isPermutation();
}
