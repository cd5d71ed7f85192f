//===- NestOps.cpp - Nests of loops ---------------------------------------===//

#include "nacho/IR/Collect.h"
#include "nacho/IR/Operators.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

SmallVector<CoiterateOp> NestOp::getLoops() {
  SmallVector<CoiterateOp> loops;
  auto outermost = getBody().front().getOps<CoiterateOp>();
  if (!outermost.empty())
    loops.push_back(*outermost.begin());
  while (!loops.empty()) {
    CoiterateOp inner = loops.back().getInnerLoop();
    if (!inner)
      break;
    loops.push_back(inner);
  }
  return loops;
}

SmallVector<Type> NestOp::getAppendedTypes() {
  if (!getFinish().empty())
    return SmallVector<Type>(getFinish().getArgumentTypes());
  return {cast<RankedTensorType>(getType()).getElementType()};
}

unsigned NestOp::getMaxCutLoops() {
  SmallVector<CoiterateOp> loops = getLoops();
  auto isOverList = [](CoiterateOp loop) {
    return llvm::any_of(loop.getFibers(), [](Value fiber) {
      return cast<FiberType>(fiber.getType()).isOfScannedList();
    });
  };
  const CollectTraits &collects = traitsOf(getCollect());
  if (collects.listsPieces())
    return llvm::find_if_not(loops, isOverList) - loops.begin();
  if (!collects.leavesRowsWhole && !getWholeEntries())
    return loops.size();
  auto isAppended = [](CoiterateOp loop) {
    return llvm::any_of(loop.getCoordinate().getUsers(),
                        llvm::IsaPred<AppendOp>);
  };
  unsigned rows = llvm::find_if_not(loops, isAppended) - loops.begin();
  return rows + static_cast<int64_t>(getRowPieces());
}

SmallVector<CoiterateOp> NestOp::getCutLoops() {
  SmallVector<CoiterateOp> loops = getLoops();
  if (getCuts())
    loops.truncate(getCuts().getType().getWidths().size());
  return loops;
}

/// Whether a type has a dense level, and inside of it a compressed one.
static bool hasBuckets(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding && encoding.getLvlRank() == 2 && encoding.isDenseLvl(0) &&
         encoding.isCompressedLvl(1) && encoding.isUniqueLvl(1) &&
         encoding.isOrderedLvl(1);
}

/// Pieces are listed for the entries of a list, and make up whole rows.
static LogicalResult verifyPieces(NestOp nest) {
  unsigned outer = nest.getMaxCutLoops();
  if (collectTraitsOf(nest).listsPieces() && outer == 0)
    return nest.emitOpError("lists pieces, but loops over no scanned_list");
  bool hasPieces = nest.getCollect() == CollectKind::wholeRows &&
                   outer < nest.getLoops().size();
  if (nest.getRowPieces() != 0 && !hasPieces)
    return nest.emitOpError("has no rows that come in pieces");
  return success();
}

/// Verifies what the nest's way of collecting entries requires of it.
static LogicalResult verifyCollect(NestOp nest) {
  CollectKind kind = nest.getCollect();
  const CollectTraits &traits = traitsOf(kind);
  RankedTensorType type = nest.getType();
  if (traits.rearrangesEntries && nest.getReduce() && !traits.listsPartSums())
    return nest.emitOpError()
           << "collects complete entries (" << stringifyCollectKind(kind)
           << ") and cannot reduce";
  if (traits.makesList && !isList(type))
    return nest.emitOpError()
           << "collects its entries in a list (" << stringifyCollectKind(kind)
           << "), not in a " << type;
  if (kind == CollectKind::buckets && !hasBuckets(type))
    return nest.emitOpError() << "collects its entries in buckets, for which "
                              << type << " needs two levels: dense, compressed";
  if (traits.scansCosts && !type.getElementType().isInteger(64))
    return nest.emitOpError("can only scan costs, which are i64");
  if (failed(verifyPieces(nest)))
    return failure();
  if (!traits.leavesRowsWhole)
    return success();
  if (!nest.getReduce() || nest.getReduce()->reducesAbsent())
    return nest.emitOpError("can only collect sums in whole rows");
  if (nest.getMaxCutLoops() == 0)
    return nest.emitOpError("has no loop outside of its rows");
  return success();
}

/// Every loop over fibers is one of the chain.
static LogicalResult verifyChain(NestOp nest) {
  Region &body = nest.getBody();
  if (body.front().getOps<CoiterateOp>().empty())
    return nest.emitOpError("needs an outermost loop");
  SmallVector<CoiterateOp> chain = nest.getLoops();
  WalkResult inChain = body.walk([&](CoiterateOp loop) -> WalkResult {
    if (!loop.getFibers().empty() && !llvm::is_contained(chain, loop))
      return loop.emitOpError("has fibers but is not in the chain of its nest");
    return WalkResult::advance();
  });
  return failure(inChain.wasInterrupted());
}

/// The reduction has an identity, and is finished with one element.
static LogicalResult verifyReduction(NestOp nest) {
  std::optional<MonoidAttr> reduce = nest.getReduce();
  if (reduce && operatorOf(reduce->getKind()).identity == Identity::none)
    return nest.emitOpError()
           << "cannot reduce by a " << operatorOf(reduce->getKind()).noun;
  if (nest.getFinish().empty())
    return success();
  if (!reduce)
    return nest.emitOpError("finishes no reduction");
  Type element = cast<RankedTensorType>(nest.getType()).getElementType();
  auto yield = dyn_cast<YieldOp>(nest.getFinish().front().getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(element))
    return nest.emitOpError() << "must finish with one " << element;
  return success();
}

/// The cuts are of loops of the chain, and the bounds are two of the cuts.
static LogicalResult verifyBounds(NestOp nest) {
  Block &block = nest.getBody().front();
  bool isBounded = block.getNumArguments() > 0;
  if (!nest.getCuts())
    return isBounded ? nest.emitOpError("has bounds but no cuts") : success();
  ArrayRef<int64_t> widths = nest.getCuts().getType().getWidths();
  if (widths.size() > nest.getLoops().size())
    return nest.emitOpError() << "cuts " << widths.size() << " loops of "
                              << nest.getLoops().size();
  auto cut = CutType::get(nest.getContext(), widths);
  SmallVector<Type, 2> bounds(2, cut);
  if (isBounded && block.getArgumentTypes() != TypeRange(bounds))
    return nest.emitOpError() << "bounds must be two arguments of type " << cut;
  return success();
}

/// Entries can be whole if loops over coordinates of the result can be cut, and
/// elements inside of them are reduced.
static LogicalResult verifyWholeEntries(NestOp nest) {
  bool areReduced = nest.getReduce() && collectTraitsOf(nest).appendsInOrder();
  if (!nest.getWholeEntries() || (areReduced && nest.getMaxCutLoops() > 0))
    return success();
  return nest.emitOpError("has no entries that are reduced in order, so they "
                          "cannot be whole");
}

// All of it depends on the loops, which must be verified before.
LogicalResult NestOp::verifyRegions() {
  if (failed(verifyChain(*this)) || failed(verifyReduction(*this)) ||
      failed(verifyWholeEntries(*this)) || failed(verifyCollect(*this)))
    return failure();
  return verifyBounds(*this);
}

LogicalResult PartOp::verify() {
  auto nest = (*this)->getParentOfType<NestOp>();
  if (!nest || !collectTraitsOf(nest).listsPartSums())
    return emitOpError("must be inside a nacho.nest that collects part_sums");
  return success();
}

static bool isRowOfList(FiberType type) {
  return type.isOfScannedList() && type.getLevel() > 0;
}

LogicalResult HeavyOp::verify() {
  if (!isRowOfList(getFiber().getType()))
    return emitOpError("compares the costs of rows of a scanned list");
  return success();
}

LogicalResult RowPositionOp::verify() {
  if (!isRowOfList(getFiber().getType()))
    return emitOpError("tells where a row of a scanned list is");
  return success();
}

LogicalResult PieceShiftOp::verify() {
  if (!isRowOfList(getFiber().getType()))
    return emitOpError("sizes the pieces of rows of a scanned list");
  return success();
}
