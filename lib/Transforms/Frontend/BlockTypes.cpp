//===- BlockTypes.cpp - Types whose dimensions are split in blocks --------===//

#include "BlockTypes.h"

#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

Blocks nacho::blocksOf(ArrayRef<LevelPart> parts) {
  Blocks sizes;
  for (const LevelPart &part : parts) {
    sizes.resize(std::max<size_t>(sizes.size(), part.dimension + 1), 1);
    sizes[part.dimension] = part.size;
  }
  return sizes;
}

bool nacho::isSplit(const Blocks &blocks) {
  return llvm::any_of(blocks, [](int64_t size) { return size != 1; });
}

/// The extent of a part of a dimension.
static int64_t extentOf(const LevelPart &part, int64_t extent) {
  if (part.kind == LevelPart::inside)
    return part.size;
  return ShapedType::isDynamic(extent) ? extent : extent / part.size;
}

SmallVector<LevelPart> nacho::dimensionsInBlocks(RankedTensorType type,
                                                 const Blocks &blocks) {
  if (hasBlocks(type))
    return levelParts(type);
  SmallVector<LevelPart> parts;
  for (auto [dimension, size] : llvm::enumerate(blocks)) {
    auto number = static_cast<unsigned>(dimension);
    if (size == 1) {
      parts.push_back({LevelPart::whole, number});
      continue;
    }
    parts.push_back({LevelPart::block, number, size});
    parts.push_back({LevelPart::inside, number, size});
  }
  return parts;
}

/// The encoding of a tensor with these new dimensions; null if it has none.
static Attribute newEncoding(RankedTensorType type,
                             ArrayRef<LevelPart> dimensions) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding)
    return {};
  MLIRContext *context = type.getContext();
  SmallVector<sparse_tensor::LevelType> levels(encoding.getLvlTypes());
  AffineMap map = AffineMap::getMultiDimIdentityMap(dimensions.size(), context);
  if (!hasBlocks(type)) {
    // A dense tensor: each level becomes those of the parts of its dimension.
    SmallVector<unsigned> order;
    for (unsigned level = 0; level < type.getRank(); ++level)
      for (auto [n, part] : llvm::enumerate(dimensions))
        if (part.dimension == dimensionOf(type, level))
          order.push_back(n);
    levels.assign(order.size(), levels.front());
    map = AffineMap::getPermutationMap(order, context);
  }
  return sparse_tensor::SparseTensorEncodingAttr::get(
      context, levels, map, inversePermutation(map), encoding.getPosWidth(),
      encoding.getCrdWidth());
}

RankedTensorType nacho::typeInBlocks(RankedTensorType type,
                                     const Blocks &blocks) {
  SmallVector<LevelPart> dimensions = dimensionsInBlocks(type, blocks);
  SmallVector<int64_t> shape;
  for (const LevelPart &part : dimensions)
    shape.push_back(extentOf(part, type.getDimSize(part.dimension)));
  return RankedTensorType::get(shape, type.getElementType(),
                               newEncoding(type, dimensions));
}
