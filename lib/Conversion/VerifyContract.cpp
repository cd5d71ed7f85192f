//===- VerifyContract.cpp - What a backend may be given -------------------===//
//
// ParallelOps.td states in prose which ops a backend has to lower. This file
// checks that a module has no others. Then it checks each function: the indices
// of accesses (VerifyAccesses.cpp), and the ends of loops (VerifyProgress.cpp).
//
//===----------------------------------------------------------------------===//

#include "ContractChecks.h"

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOVERIFYCONTRACT
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether an operation casts between integers that differ in signedness only.
/// LLVM's integers are signless, so that such casts vanish on the way to LLVM.
static bool castsSignedness(Operation *op) {
  if (!isa<UnrealizedConversionCastOp>(op) || op->getNumOperands() != 1 ||
      op->getNumResults() != 1)
    return false;
  auto from = dyn_cast<IntegerType>(op->getOperand(0).getType());
  auto to = dyn_cast<IntegerType>(op->getResult(0).getType());
  return from && to && from.getWidth() == to.getWidth();
}

/// Whether an operation is one of those that backends lower.
static bool isInContract(Operation *op) {
  if (op->hasTrait<BackendOp>() || castsSignedness(op) ||
      isa<ModuleOp, func::FuncOp, func::CallOp, func::ReturnOp>(op))
    return true;
  // Functions of complex numbers, for which MLIR has no safe ops.
  if (auto unary = dyn_cast<UnaryOp>(op))
    return isa<ComplexType>(unary.getArg().getType());
  if (isa<YieldOp>(op))
    return op->getParentOp()->hasTrait<BackendOp>();
  if (isa<scf::ParallelOp, scf::ForallOp>(op))
    return false;
  bool allocates = hasEffect<MemoryEffects::Allocate>(op) ||
                   hasEffect<MemoryEffects::Free>(op);
  if (allocates && !isa<memref::AllocaOp>(op))
    return false;
  static constexpr StringLiteral dialects[] = {
      "arith", "math", "complex", "scf", "memref", "ub", "vector"};
  return llvm::is_contained(dialects, op->getName().getDialectNamespace());
}

/// Whether an operation is for parts of a tile that are several, or share
/// memory.
static bool needsTiles(Operation *op) {
  if (auto tile = dyn_cast<TileOp>(op))
    return tile.getBy() > 1;
  return isa<StageInOp, StageOutOp, TileSyncOp, TileCutsOp, TileMemoryOp,
             TileRoomOp>(op);
}

namespace {
struct VerifyContract : nacho::impl::NachoVerifyContractBase<VerifyContract> {
  using NachoVerifyContractBase::NachoVerifyContractBase;

  /// The capability that an operation of the contract needs and the target
  /// lacks; none if the target can lower the operation.
  std::optional<StringRef> missingFor(Operation *op) const {
    if (isa<SortOp>(op) && !sorts)
      return "sorts";
    if (isa<SlotOp>(op) && !workspaces)
      return "workspaces";
    if (needsTiles(op) && !tiles)
      return "tiles";
    if (isa<LaneOp>(op) && !tiles)
      return "warps";
    if (isa<AwaitOp>(op) && !tiles)
      return "blocks in order";
    return std::nullopt;
  }

  LogicalResult verifyOperation(Operation *op) const {
    if (!isInContract(op))
      return op->emitOpError("is not among what backends lower");
    if (std::optional<StringRef> missing = missingFor(op))
      return op->emitOpError() << "needs " << *missing << ", which target '"
                               << target << "' does not have";
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [&](Operation *op) -> WalkResult { return verifyOperation(op); });
    auto isProved = [](func::FuncOp function) {
      return succeeded(verifyAccesses(function)) &&
             succeeded(verifyProgress(function));
    };
    if (result.wasInterrupted() ||
        !llvm::all_of(getOperation().getOps<func::FuncOp>(), isProved))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
