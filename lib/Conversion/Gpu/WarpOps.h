//===- WarpOps.h - Votes, barriers and fences of warps ---------*- C++ -*-===//

#ifndef NACHO_LIB_WARPOPS_H
#define NACHO_LIB_WARPOPS_H

#include "mlir/IR/Builders.h"

namespace nacho {

/// Emits a vote of all lanes of a warp: bit n of the result is the flag of lane
/// n.
mlir::Value emitBallot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flag,
                       mlir::Type type);

/// Emits a shuffle of 32 bits, for which only the lanes of a mask wait.
mlir::Value emitAsk(mlir::OpBuilder &b, mlir::Location loc, mlir::Value mask,
                    mlir::Value value, mlir::Value lane);

/// Emits a barrier of all lanes of a warp.
void emitWarpSync(mlir::OpBuilder &b, mlir::Location loc);

/// Emits a fence: other threads of the device see what comes before it before
/// they see what comes after it.
void emitFence(mlir::OpBuilder &b, mlir::Location loc);

/// Returns whether threads wait for each other at an operation: those of a
/// block, or of a warp.
bool isMeeting(mlir::Operation *op);

/// The name of an attribute of launches in which a warp does a part: its
/// threads take the same steps of all loops but dense ones.
inline constexpr char kDoesParts[] = "nacho.warp_does_part";

} // namespace nacho

#endif // NACHO_LIB_WARPOPS_H
