//===- Level.cpp - The kinds of level there are ---------------------------===//

#include "LevelKinds.h"

#include "nacho/Analysis/MergeLattice.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;
using namespace nacho;

namespace {
struct LevelKind {
  bool (*matches)(sparse_tensor::LevelType);
  bool isFull;
  std::unique_ptr<Level> (*make)(Value, unsigned);
  std::unique_ptr<ResultLevel> (*makeResult)();
};
} // namespace

/// Only unique, ordered levels: each kind below is searched by bisection.
static const LevelKind *findKind(RankedTensorType type, unsigned level) {
  static const LevelKind kinds[] = {
      {[](sparse_tensor::LevelType type) { return isDenseLT(type); },
       /*isFull=*/true, makeDenseLevel, makeDenseResultLevel},
      {[](sparse_tensor::LevelType type) { return isCompressedLT(type); },
       /*isFull=*/false, makeCompressedLevel, makeCompressedResultLevel},
  };
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  // Views of other tensors, and other zeros or ones, are somebody else's.
  if (!encoding || encoding.isSlice() || encoding.getExplicitVal() ||
      encoding.getImplicitVal())
    return nullptr;
  sparse_tensor::LevelType levelType = encoding.getLvlType(level);
  if (!isUniqueLT(levelType) || !isOrderedLT(levelType))
    return nullptr;
  for (const LevelKind &kind : kinds)
    if (kind.matches(levelType))
      return &kind;
  return nullptr;
}

std::unique_ptr<Level> Level::get(Value tensor, unsigned level) {
  const LevelKind *kind =
      findKind(cast<RankedTensorType>(tensor.getType()), level);
  return kind ? kind->make(tensor, level) : nullptr;
}

bool Level::isFull(RankedTensorType type, unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind && kind->isFull;
}

std::unique_ptr<ResultLevel> ResultLevel::get(RankedTensorType type,
                                              unsigned level) {
  const LevelKind *kind = findKind(type, level);
  return kind ? kind->makeResult() : nullptr;
}

MergeAttr nacho::iterationDomain(CoiterateOp loop) {
  return iterationDomain(loop.getMerge(), [&](unsigned operand) {
    auto fiber = cast<FiberType>(loop.getFibers()[operand].getType());
    return Level::isFull(fiber.getTensor(), fiber.getLevel());
  });
}

bool nacho::visitsAll(CoiterateOp loop) {
  return isAlways(iterationDomain(loop));
}

bool nacho::hasSupportedLevels(RankedTensorType type) {
  return llvm::all_of(llvm::seq<unsigned>(type.getRank()), [&](unsigned level) {
    return findKind(type, level) != nullptr;
  });
}

Value Level::extent(ImplicitLocOpBuilder &b) const {
  Value number = arith::ConstantIndexOp::create(b, level);
  return sparse_tensor::LvlOp::create(b, tensor, number);
}

Value nacho::positionsBefore(ImplicitLocOpBuilder &b, Value tensor,
                             unsigned level, Value position, unsigned below) {
  while (level < below)
    position = Level::get(tensor, ++level)->begin(b, position);
  return position;
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
