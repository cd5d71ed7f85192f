//===- KernelTypes.cpp - Tensors of a program as its kernels have them ----===//

#include "KernelTypes.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;
using namespace nacho;
using sparse_tensor::LevelPropNonDefault;
using sparse_tensor::LevelType;
using Encoding = sparse_tensor::SparseTensorEncodingAttr;

static LevelType ordered(LevelType level, bool isUnique) {
  if (isOrderedLT(level) && isUniqueLT(level) == isUnique)
    return level;
  std::vector<LevelPropNonDefault> properties;
  if (!isUnique)
    properties.push_back(LevelPropNonDefault::Nonunique);
  if (level.isa<LevelPropNonDefault::SoA>())
    properties.push_back(LevelPropNonDefault::SoA);
  return *sparse_tensor::buildLevelType(level.getLvlFmt(), properties);
}

/// The level types of a tensor with the same entries in the order of their
/// coordinates, none of which is there twice.
static SmallVector<LevelType> canonicalLevels(Encoding encoding) {
  SmallVector<LevelType> levels;
  ArrayRef<LevelType> given = encoding.getLvlTypes();
  for (LevelType level : given.drop_back())
    levels.push_back(ordered(level, isUniqueLT(level)));
  levels.push_back(ordered(given.back(), /*isUnique=*/true));
  return levels;
}

/// The type with other levels, and without an explicit value.
static RankedTensorType withLevels(RankedTensorType type,
                                   ArrayRef<LevelType> levels) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  auto changed = Encoding::get(
      type.getContext(), levels, encoding.getDimToLvl(), encoding.getLvlToDim(),
      encoding.getPosWidth(), encoding.getCrdWidth(),
      /*explicitVal=*/Attribute(), encoding.getImplicitVal());
  return type.cloneWithEncoding(changed);
}

bool nacho::isCanonical(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  return !encoding ||
         ArrayRef(canonicalLevels(encoding)) == encoding.getLvlTypes();
}

unsigned nacho::numBatchLevels(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding ? encoding.getBatchLvlRank() : 0;
}

Attribute nacho::explicitValueOf(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding ? encoding.getExplicitVal() : Attribute();
}

/// Whether the entries of a tensor can be sorted: the arrays of batches, and
/// those without positions, cannot. Where entries are neither in order nor
/// unique, MLIR reads the first of neighbours with the same coordinates only.
static bool canBeSorted(Encoding encoding) {
  ArrayRef<LevelType> levels = encoding.getLvlTypes();
  bool isOrdered = llvm::all_of(levels, sparse_tensor::isOrderedLT);
  return (isOrdered || isUniqueLT(levels.back())) &&
         llvm::none_of(levels, [](LevelType level) {
           return isBatchLT(level) || isNOutOfMLT(level);
         });
}

RankedTensorType nacho::kernelOperandType(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || encoding.isSlice())
    return type;
  SmallVector<LevelType> levels(encoding.getLvlTypes());
  if (canBeSorted(encoding))
    levels = canonicalLevels(encoding);
  return withLevels(type, levels);
}

RankedTensorType nacho::kernelResultType(RankedTensorType type) {
  Encoding encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || encoding.isSlice())
    return type;
  SmallVector<LevelType> levels = canonicalLevels(encoding);
  for (LevelType &level : levels)
    if (isBatchLT(level))
      level = LevelType(sparse_tensor::LevelFormat::Dense);
  return withLevels(type, levels);
}
