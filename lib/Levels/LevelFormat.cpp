//===- LevelFormat.cpp - Level formats of tensor types --------------------===//

#include "nacho/Levels/LevelFormat.h"
#include "LevelKind.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static ArrayRef<const LevelKind *> levelKinds() {
  static const LevelKind *const kinds[] = {
#define NACHO_LEVEL_KIND(name) &name##Kind(),
#include "Kinds.def"
  };
  return kinds;
}

const LevelKind *nacho::findKind(RankedTensorType type, unsigned level) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  // Nacho supports neither encodings with an implicit value other than 0 nor
  // those with an explicit value. A slice has the encoding of the whole tensor,
  // and is known by the op that makes it.
  if (!encoding || encoding.isSlice() || encoding.getExplicitVal() ||
      encoding.getImplicitVal())
    return nullptr;
  if (!isOrderedLT(encoding.getLvlType(level)))
    return nullptr;
  bool isInBatches = encoding.getBatchLvlRank() > 0;
  for (const LevelKind *kind : levelKinds())
    if ((!isInBatches || kind->worksInBatches()) &&
        kind->matches(encoding, level))
      return kind;
  return nullptr;
}

int64_t nacho::bytesOf(Type element) {
  if (auto vector = dyn_cast<VectorType>(element))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  if (element.isIndex())
    return 8;
  return int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

LevelArray nacho::positionsArray(Encoding encoding) {
  LevelArray array{kPositionsName, encoding.getPosElemType()};
  array.perParent = array.extra = 1;
  return array;
}

LevelArray nacho::positionPairsArray(Encoding encoding) {
  LevelArray array{kPositionsName, encoding.getPosElemType()};
  array.perParent = 2;
  return array;
}

LevelArray nacho::coordinatesArray(Encoding encoding, int64_t perEntry) {
  LevelArray array{kCoordinatesName, encoding.getCrdElemType()};
  array.perEntry = perEntry;
  return array;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

bool nacho::isFullLevel(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->isFull();
}

bool nacho::isUniqueLevel(RankedTensorType type, unsigned level) {
  return isUniqueLT(
      sparse_tensor::getSparseTensorEncoding(type).getLvlType(level));
}

bool nacho::sharesPositions(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->sharesPositions(
                     sparse_tensor::getSparseTensorEncoding(type), level);
}

bool nacho::hasGaps(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->hasGaps();
}

bool nacho::separatesChildren(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->separatesChildren(
                     sparse_tensor::getSparseTensorEncoding(type), level);
}

unsigned nacho::firstSharing(RankedTensorType type, unsigned level) {
  while (sharesPositions(type, level))
    --level;
  return level;
}

SmallVector<LevelArray> nacho::levelArrays(RankedTensorType type,
                                           unsigned level) {
  const LevelKind *kind = findKind(type, level);
  if (!kind)
    return {};
  return kind->arrays(sparse_tensor::getSparseTensorEncoding(type), level);
}

std::optional<CoordinatePlace> nacho::coordinatePlace(RankedTensorType type,
                                                      unsigned level) {
  const LevelKind *kind = findKind(type, level);
  if (!kind)
    return std::nullopt;
  return kind->coordinatePlace(sparse_tensor::getSparseTensorEncoding(type),
                               level);
}

unsigned nacho::dimensionOf(RankedTensorType type, unsigned level) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding ? sparse_tensor::toDim(encoding, level) : level;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool nacho::isDense(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding)
    return true;
  return encoding.isPermutation() &&
         llvm::all_of(llvm::seq<unsigned>(type.getRank()),
                      [&](unsigned level) { return isFullLevel(type, level); });
}

/// A level that shares positions must be under a level that is not full. Runs
/// of equal coordinates must have such a level below them, for only loops over
/// such a level take runs apart.
bool nacho::hasReadableLevels(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || !encoding.isPermutation())
    return false;
  for (unsigned level = 0, rank = type.getRank(); level < rank; ++level) {
    if (!findKind(type, level))
      return false;
    bool hasParents = level > 0 && !isFullLevel(type, level - 1);
    bool hasRuns = level > 0 && !isUniqueLevel(type, level - 1);
    if (sharesPositions(type, level) ? !hasParents : hasRuns)
      return false;
  }
  return type.getRank() == 0 || isUniqueLevel(type, type.getRank() - 1);
}

/// A level that shares positions has one child per position. To store several
/// children of a coordinate, the level above must be able to repeat it.
bool nacho::hasSupportedLevels(RankedTensorType type) {
  return hasReadableLevels(type) &&
         llvm::all_of(llvm::seq<unsigned>(1, type.getRank()),
                      [&](unsigned level) {
                        return !sharesPositions(type, level) ||
                               !isUniqueLevel(type, level - 1);
                      });
}

bool nacho::canBeResult(RankedTensorType type) {
  return isDense(type) ||
         (hasSupportedLevels(type) &&
          llvm::all_of(llvm::seq<unsigned>(0, type.getRank()),
                       [&](unsigned level) {
                         return findKind(type, level)->result() != nullptr;
                       }));
}

bool nacho::isReadable(FiberType fiber) {
  return fiber.isOfScannedList() ? hasReadableLevels(fiber.getTensor())
                                 : hasSupportedLevels(fiber.getTensor());
}

RankedTensorType nacho::listTensorType(unsigned rank, unsigned unique,
                                       Type element, unsigned coordinateWidth) {
  using sparse_tensor::LevelFormat;
  using sparse_tensor::LevelPropNonDefault;
  SmallVector<sparse_tensor::LevelType> levels;
  for (unsigned level = 0; level < rank; ++level) {
    std::vector<LevelPropNonDefault> properties;
    if (level > 0)
      properties.push_back(LevelPropNonDefault::SoA);
    if (level + 1 < unique)
      properties.push_back(LevelPropNonDefault::Nonunique);
    levels.push_back(*sparse_tensor::buildLevelType(
        level > 0 ? LevelFormat::Singleton : LevelFormat::Compressed,
        properties));
  }
  MLIRContext *context = element.getContext();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  auto encoding = sparse_tensor::SparseTensorEncodingAttr::get(
      context, levels, identity, identity, /*posWidth=*/64, coordinateWidth);
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  return RankedTensorType::get(shape, element, encoding);
}
