//===- ParallelOps.cpp - The backend contract -----------------------------===//

#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// ParallelOp
//===----------------------------------------------------------------------===//

void ParallelOp::build(OpBuilder &builder, OperationState &state, Value workers,
                       Value threads) {
  state.addOperands({workers, threads});
  OpBuilder::InsertionGuard guard(builder);
  Region *body = state.addRegion();
  builder.createBlock(body, {}, builder.getIndexType(), state.location);
  ensureTerminator(*body, builder, state.location);
}

ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument worker;
  OpAsmParser::UnresolvedOperand workers, threads;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgument(worker) || parser.parseKeyword("in") ||
      parser.parseOperand(workers) || parser.parseKeyword("threads") ||
      parser.parseOperand(threads))
    return failure();
  worker.type = index;
  if (parser.resolveOperand(workers, index, result.operands) ||
      parser.resolveOperand(threads, index, result.operands) ||
      parser.parseRegion(*result.addRegion(), worker) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(),
                   result.location);
  return success();
}

void ParallelOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getWorker() << " in " << getWorkers() << " threads "
          << getThreads() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult ParallelOp::verify() {
  if (getBody().getNumArguments() != 1 ||
      !isa<IndexType>(getWorker().getType()))
    return emitOpError("body takes the number of the worker");
  static constexpr StringLiteral device[] = {
      "nacho",  "arith",         "complex", "math",   "scf",
      "memref", "sparse_tensor", "tensor",  "vector", "ub"};
  WalkResult result = getBody().walk([&](Operation *op) -> WalkResult {
    if (isa<CallOpInterface>(op))
      return emitOpError("body must not call functions");
    bool isOfWorkers = isa<memref::AllocaOp, TileMemoryOp>(op);
    if ((hasEffect<MemoryEffects::Allocate>(op) && !isOfWorkers) ||
        hasEffect<MemoryEffects::Free>(op))
      return emitOpError() << "body must not allocate or free, as "
                           << op->getName() << " does";
    bool isForAll =
        op->hasTrait<BackendOp>() &&
        !isa<AwaitOp, SlotOp, LaneOp, FromLaneOp, BallotOp, LaneSyncOp,
             LaneMemoryOp, TileOp, TileCutsOp, TileMemoryOp, TileRoomOp,
             TileAppendOp, TileScanOp, TileSyncOp, StageInOp, StageOutOp>(op);
    if (isForAll ||
        isa<AssignOp, NestOp, PartitionOp, scf::ParallelOp, scf::ForallOp>(op))
      return emitOpError() << "body must not hold " << op->getName();
    if (!isa<UnrealizedConversionCastOp>(op) &&
        !llvm::is_contained(device, op->getName().getDialectNamespace()))
      return emitOpError() << "body must not hold host-only " << op->getName();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult
ParallelCallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto func = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!func)
    return emitOpError() << "there is no function " << getCalleeAttr();
  Builder b(getContext());
  SmallVector<Type> expected = {b.getIndexType(), b.getIndexType(),
                                b.getI64Type()};
  llvm::append_range(expected, getCaptured().getTypes());
  if (func.getArgumentTypes() != ArrayRef<Type>(expected) ||
      func.getNumResults() != 0)
    return emitOpError() << getCalleeAttr() << " has the type "
                         << func.getFunctionType() << ", but "
                         << b.getFunctionType(expected, {}) << " is called";
  return success();
}

LogicalResult AwaitOp::verify() {
  auto workers = dyn_cast<ParallelOp>((*this)->getParentOp());
  if (!workers)
    return emitOpError("must be directly inside a nacho.parallel");
  if (!llvm::hasSingleElement(workers.getBodyBlock()->getOps<AwaitOp>()))
    return emitOpError("must be the only one of its nacho.parallel");
  for (Operation &other : *workers.getBodyBlock())
    if (isa<TileOp, LaneOp>(other))
      return emitOpError() << "cannot be where " << other.getName() << " is";
  return success();
}

LogicalResult SlotOp::verify() {
  if (!(*this)->getParentOfType<ParallelOp>())
    return emitOpError("must be inside a nacho.parallel");
  return success();
}

LogicalResult LaneOp::verify() {
  auto workers = dyn_cast<ParallelOp>((*this)->getParentOp());
  if (!workers)
    return emitOpError("must be directly inside a nacho.parallel");
  auto lanes = workers.getBodyBlock()->getOps<LaneOp>();
  if (!llvm::hasSingleElement(lanes))
    return emitOpError("must be the only one of its nacho.parallel");
  if (!workers.getBodyBlock()->getOps<TileOp>().empty())
    return emitOpError("cannot be where nacho.tile is");
  return success();
}

LogicalResult FromLaneOp::verify() { return verifyOfLanes(*this); }

LogicalResult BallotOp::verify() {
  if (failed(verifyOfLanes(*this)))
    return failure();
  auto workers = (*this)->getParentOfType<ParallelOp>();
  LaneOp lane = *workers.getBodyBlock()->getOps<LaneOp>().begin();
  if (getType().getIntOrFloatBitWidth() < lane.getOf())
    return emitOpError("has fewer bits than there are lanes, which are ")
           << lane.getOf();
  return success();
}

LogicalResult LaneSyncOp::verify() { return verifyOfLanes(*this); }

LogicalResult LaneMemoryOp::verify() { return verifyOfLanes(*this); }

void LaneMemoryOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getMemory(), "shared");
}

//===----------------------------------------------------------------------===//
// ExclusiveScanOp
//===----------------------------------------------------------------------===//

LogicalResult nacho::detail::verifyCombine(Operation *op, Block &block,
                                           size_t columns) {
  auto areIndices = [](TypeRange types) {
    return llvm::all_of(types, llvm::IsaPred<IndexType>);
  };
  if (block.getNumArguments() != 2 * columns ||
      !areIndices(block.getArgumentTypes()))
    return op->emitOpError()
           << "region combines two rows of " << columns << " columns";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != columns ||
      !areIndices(yield.getOperandTypes()))
    return op->emitOpError()
           << "region must yield a row of " << columns << " columns";
  return success();
}

LogicalResult ExclusiveScanOp::verify() {
  if (getInput().getType().isDynamicDim(1))
    return emitOpError("needs a static number of columns");
  return detail::verifyCombine(*this, getCombine().front(), getNumColumns());
}

//===----------------------------------------------------------------------===//
// SortOp
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  if (getCoordinates().empty())
    return emitOpError("needs coordinates to sort by");
  if (getCoordinates().size() != getExtents().size())
    return emitOpError("needs one extent per array of coordinates");
  for (Type type : getCoordinates().getTypes()) {
    unsigned width = cast<MemRefType>(type).getElementTypeBitWidth();
    if (width != 32 && width != 64)
      return emitOpError() << "sorts by coordinates of 32 or 64 bits, not "
                           << type;
  }
  for (Type type : llvm::concat<const Type>(getCoordinates().getTypes(),
                                            getAlong().getTypes()))
    if (!cast<MemRefType>(type).getLayout().isIdentity())
      return emitOpError() << "sorts arrays without a stride, not " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Cuts in buffers
//===----------------------------------------------------------------------===//

static LogicalResult verifyColumns(Operation *op, CutType cut,
                                   MemRefType bounds) {
  if (bounds.getDimSize(1) != cut.getNumColumns())
    return op->emitOpError()
           << "a row of " << bounds << " does not hold a " << cut
           << ", which has " << cut.getNumColumns() << " columns";
  return success();
}

LogicalResult LoadCutOp::verify() {
  return verifyColumns(*this, cast<CutType>(getCut().getType()),
                       getBounds().getType());
}

LogicalResult StoreCutOp::verify() {
  return verifyColumns(*this, cast<CutType>(getCut().getType()),
                       getBounds().getType());
}
