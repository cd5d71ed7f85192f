//===- Level.cpp - The kinds of level there are ---------------------------===//

#include "LevelKinds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

namespace {
struct LevelKind {
  bool (*matches)(sparse_tensor::LevelType);
  bool isFull, hasPositions;
  std::unique_ptr<Level> (*make)(Value, unsigned);
};
} // namespace

/// Only ordered levels: each kind below is searched by bisection.
static const LevelKind *findKind(RankedTensorType type, unsigned level) {
  static const LevelKind kinds[] = {
      {[](sparse_tensor::LevelType type) { return isDenseLT(type); },
       /*isFull=*/true, /*hasPositions=*/false, makeDenseLevel},
      {[](sparse_tensor::LevelType type) { return isCompressedLT(type); },
       /*isFull=*/false, /*hasPositions=*/true, makeCompressedLevel},
      // Not those whose coordinates are interleaved with another level's.
      {[](sparse_tensor::LevelType type) {
         return isSingletonLT(type) &&
                type.isa<sparse_tensor::LevelPropNonDefault::SoA>();
       },
       /*isFull=*/false, /*hasPositions=*/false, makeSingletonLevel},
  };
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  // Views of other tensors, and other zeros or ones, are somebody else's.
  if (!encoding || encoding.isSlice() || encoding.getExplicitVal() ||
      encoding.getImplicitVal())
    return nullptr;
  sparse_tensor::LevelType levelType = encoding.getLvlType(level);
  if (!isOrderedLT(levelType))
    return nullptr;
  for (const LevelKind &kind : kinds)
    if (kind.matches(levelType))
      return &kind;
  return nullptr;
}

std::unique_ptr<Level> Level::get(Value tensor, unsigned level) {
  if (auto flatten = tensor.getDefiningOp<FlattenOp>())
    return makeFlatLevel(tensor, flatten.getTensor());
  const LevelKind *kind =
      findKind(cast<RankedTensorType>(tensor.getType()), level);
  return kind ? kind->make(tensor, level) : nullptr;
}

bool nacho::isFullLevel(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->isFull;
}

bool nacho::isUniqueLevel(RankedTensorType type, unsigned level) {
  return isUniqueLT(
      sparse_tensor::getSparseTensorEncoding(type).getLvlType(level));
}

bool nacho::hasPositions(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->hasPositions;
}

bool nacho::hasCoordinates(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && !kind->isFull;
}

bool nacho::isDense(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding)
    return true;
  return encoding.isPermutation() &&
         llvm::all_of(llvm::seq<unsigned>(type.getRank()),
                      [&](unsigned level) { return isFullLevel(type, level); });
}

unsigned nacho::dimensionOf(RankedTensorType type, unsigned level) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding ? sparse_tensor::toDim(encoding, level) : level;
}

namespace {
/// Stored by the level after it: a coordinate with each one of the singleton
/// that follows, a dense level by the last of several.
class PassiveResultLevel : public ResultLevel {};
} // namespace

std::unique_ptr<ResultLevel> ResultLevel::get(RankedTensorType type,
                                              unsigned level) {
  bool isFull = isFullLevel(type, level), isLast = level + 1 == type.getRank();
  if (!isLast &&
      (isFull ? isFullLevel(type, level + 1)
              : isSingletonLT(sparse_tensor::getSparseTensorEncoding(type)
                                  .getLvlType(level + 1))))
    return std::make_unique<PassiveResultLevel>();
  return isFull ? makeDenseResultLevel() : makeCompressedResultLevel();
}

/// Runs of equal coordinates are taken apart by the singletons below.
bool nacho::hasReadableLevels(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || !encoding.isPermutation())
    return false;
  for (unsigned level = 0, rank = type.getRank(); level < rank; ++level) {
    if (!findKind(type, level))
      return false;
    bool isSingleton = isSingletonLT(encoding.getLvlType(level));
    bool hasParents = level > 0 && hasCoordinates(type, level - 1);
    bool hasRuns = level > 0 && !isUniqueLevel(type, level - 1);
    if (isSingleton ? !hasParents : hasRuns)
      return false;
  }
  return type.getRank() == 0 || isUniqueLevel(type, type.getRank() - 1);
}

/// A coordinate that is unique has any number of children.
bool nacho::hasSupportedLevels(RankedTensorType type) {
  if (!hasReadableLevels(type))
    return false;
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return llvm::all_of(llvm::seq<unsigned>(1, type.getRank()), [&](unsigned n) {
    return !isSingletonLT(encoding.getLvlType(n)) ||
           !isUniqueLevel(type, n - 1);
  });
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

Value nacho::levelExtent(ImplicitLocOpBuilder &b, Value tensor,
                         unsigned level) {
  Value number = arith::ConstantIndexOp::create(b, level);
  return sparse_tensor::LvlOp::create(b, tensor, number);
}

Value nacho::loopExtent(ImplicitLocOpBuilder &b, CoiterateOp loop) {
  if (loop.getExtent())
    return loop.getExtent();
  return ExtentOp::create(b, b.getIndexType(), loop.getFibers().front());
}

Value Level::extent(ImplicitLocOpBuilder &b) const {
  return levelExtent(b, tensor, level);
}

Value Level::coordinateVector(ImplicitLocOpBuilder &b, Value position,
                              Value valid, unsigned lanes) const {
  return loadVector(b, coordinates(b), position, valid, lanes);
}

void Level::fill(ImplicitLocOpBuilder &b, Value array, Value begin, Value end,
                 Value, unsigned vectorBits) const {
  unsigned lanes = vectorBits / 32;
  auto store = [&](Value position, Value valid) {
    Value at = arith::SubIOp::create(b, position, begin);
    vector::StoreOp::create(b, coordinateVector(b, position, valid, lanes),
                            array, at);
  };
  Value step = arith::ConstantIndexOp::create(b, lanes);
  Value rest =
      arith::RemUIOp::create(b, arith::SubIOp::create(b, end, begin), step);
  Value whole = arith::SubIOp::create(b, end, rest);
  auto forOp = scf::ForOp::create(b, begin, whole, step);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    store(forOp.getInductionVar(), Value());
  }
  Value isLeft =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, whole, end);
  auto ifLeft = scf::IfOp::create(b, isLeft, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifLeft.thenBlock());
  store(whole, emitMask(b, whole, end, lanes));
}

Value Level::last(ImplicitLocOpBuilder &b) const {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value size = memref::DimOp::create(b, coordinates(b), zero);
  return arith::SubIOp::create(b, size, one);
}

Value nacho::positionsBefore(ImplicitLocOpBuilder &b, Value tensor,
                             unsigned level, Value position, unsigned below) {
  while (level < below)
    position = Level::get(tensor, ++level)->begin(b, position);
  return position;
}

/// LLVM counts the lanes with 32 bits: more than there are are none the more.
Value nacho::emitMask(ImplicitLocOpBuilder &b, Value start, Value end,
                      int64_t lanes) {
  Value rest = arith::MinSIOp::create(b, arith::SubIOp::create(b, end, start),
                                      arith::ConstantIndexOp::create(b, lanes));
  return vector::CreateMaskOp::create(b, VectorType::get(lanes, b.getI1Type()),
                                      rest);
}

Value nacho::loadVector(ImplicitLocOpBuilder &b, Value buffer, Value at,
                        Value valid, unsigned lanes) {
  auto element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get(lanes, element);
  if (!valid)
    return vector::LoadOp::create(b, type, buffer, at);
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, buffer, at, valid, none);
}

void nacho::prefetchElement(ImplicitLocOpBuilder &b, Value buffer, Value at) {
  memref::PrefetchOp::create(b, buffer, at, /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

void nacho::storeIndex(ImplicitLocOpBuilder &b, Value value, Value buffer,
                       Value at) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  if (!isa<IndexType>(type))
    value = arith::IndexCastUIOp::create(b, type, value);
  memref::StoreOp::create(b, value, buffer, at);
}

Value nacho::loadIndex(ImplicitLocOpBuilder &b, Value buffer, Value at) {
  Value value = memref::LoadOp::create(b, buffer, at);
  if (isa<IndexType>(value.getType()))
    return value;
  return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
}
