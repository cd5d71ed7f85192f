//===- WarpOps.cpp - Votes, barriers and fences of warps ------------------===//
//
// The gpu dialect has shuffles, but no votes, and barriers of blocks only:
// these are operations of NVVM, and a fence is one of LLVM.
//
//===----------------------------------------------------------------------===//

#include "WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace nacho;

/// Returns the mask of all lanes of a warp.
static Value allLanes(OpBuilder &b, Location loc) {
  return arith::ConstantIntOp::create(b, loc, -1, 32);
}

/// A warp of NVIDIA has 32 lanes.
Value nacho::emitBallot(OpBuilder &b, Location loc, Value flag, Type type) {
  Type word = b.getI32Type();
  Value votes = NVVM::VoteSyncOp::create(b, loc, word, allLanes(b, loc), flag,
                                         NVVM::VoteSyncKind::ballot);
  return type == word ? votes : arith::ExtUIOp::create(b, loc, type, votes);
}

void nacho::emitWarpSync(OpBuilder &b, Location loc) {
  NVVM::SyncWarpOp::create(b, loc, allLanes(b, loc));
}

Value nacho::emitAsk(OpBuilder &b, Location loc, Value mask, Value value,
                     Value lane) {
  Type word = b.getI32Type();
  Value clamp = arith::ConstantIntOp::create(b, loc, 31, 32);
  return NVVM::ShflOp::create(b, loc, word, mask, value, lane, clamp,
                              NVVM::ShflKind::idx,
                              /*return_value_and_is_valid=*/UnitAttr());
}

void nacho::emitFence(OpBuilder &b, Location loc) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, "device");
}

bool nacho::isMeeting(Operation *op) {
  return isa<gpu::BarrierOp, gpu::ShuffleOp, NVVM::ShflOp, NVVM::VoteSyncOp,
             NVVM::SyncWarpOp>(op);
}
