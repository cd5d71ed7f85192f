//===- FlatOps.cpp - Entries by one key -----------------------------------===//

#include "nacho/IR/Nacho.h"

using namespace mlir;
using namespace nacho;

bool nacho::storesChildren(sparse_tensor::LevelType level) {
  return isCompressedLT(level);
}

/// All levels are one of MLIR's runs of COO levels, which have two levels or
/// more.
bool nacho::isList(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || type.getRank() == 0)
    return false;
  if (type.getRank() == 1)
    return storesChildren(encoding.getLvlType(0));
  auto lists = encoding.getCOOSegments();
  return llvm::any_of(lists, [&](const sparse_tensor::COOSegment &list) {
    return list.lvlRange ==
           std::pair<sparse_tensor::Level, sparse_tensor::Level>(
               0, type.getRank());
  });
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getTensor().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding)
    return emitOptionalError(loc, "needs a list or a tree of entries, got ",
                             type);
  auto level =
      sparse_tensor::buildLevelType(sparse_tensor::LevelFormat::Compressed, {});
  AffineMap identity = AffineMap::getMultiDimIdentityMap(1, context);
  auto flat = sparse_tensor::SparseTensorEncodingAttr::get(
      context, *level, identity, identity, encoding.getPosWidth(),
      /*crdWidth=*/64);
  types.push_back(RankedTensorType::get({ShapedType::kDynamic},
                                        type.getElementType(), flat));
  return success();
}

/// Whether every level stores each child of a parent once: entries with equal
/// leading coordinates share them (CSF).
static bool isTree(sparse_tensor::SparseTensorEncodingAttr encoding) {
  return llvm::all_of(encoding.getLvlTypes(),
                      [](sparse_tensor::LevelType type) {
                        return storesChildren(type) && isUniqueLT(type);
                      });
}

bool nacho::isFlattenable(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || !encoding.isPermutation() || type.getRank() == 0)
    return false;
  ArrayRef<sparse_tensor::LevelType> levels = encoding.getLvlTypes();
  bool isUniqueList =
      isList(type) && isUniqueLT(levels.back()) &&
      llvm::none_of(levels.drop_back(), sparse_tensor::isUniqueLT);
  return (isUniqueList || isTree(encoding)) &&
         llvm::all_of(levels, sparse_tensor::isOrderedLT);
}

LogicalResult FlattenOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  if (!isFlattenable(type))
    return emitOpError()
           << "needs a list or a tree of unique entries in order, got " << type;
  return success();
}

LogicalResult UnflattenOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  if (!isFlattenable(type))
    return emitOpError()
           << "needs a list or a tree of unique entries in order, got " << type;
  if (static_cast<int64_t>(getLevel()) < 0 ||
      static_cast<int64_t>(getLevel()) >= type.getRank())
    return emitOpError() << "wants level " << static_cast<int64_t>(getLevel())
                         << " of " << type;
  return success();
}
