//===- BlocksInOrder.h - Blocks that wait for those before them -*- C++ -*-===//
//
// The blocks of a launch whose workers wait for others (nacho.await). A block
// takes the first number that no other has taken, so that the blocks for which
// it waits have all begun. The memory for this is zero before and after a
// launch: how many blocks are taken, and how many are done.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_BLOCKSINORDER_H
#define NACHO_LIB_CONVERSION_GPU_BLOCKSINORDER_H

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacho {

class BlocksInOrder {
public:
  /// Takes memory. `await` tells for which of the workers others wait, of whom
  /// a block has `size`.
  BlocksInOrder(mlir::ImplicitLocOpBuilder &b, AwaitOp await,
                mlir::Value blocks, int64_t size);

  /// Returns the number of a block, at its beginning, when those for which it
  /// waits are done.
  mlir::Value begin(mlir::gpu::LaunchOp launch);
  /// Ends the work of a block.
  void end(mlir::gpu::LaunchOp launch);
  /// Returns the memory, after the launch.
  void release();

private:
  mlir::Value update(mlir::arith::AtomicRMWKind kind, int64_t value,
                     int64_t at);
  mlir::Value numAwaited(mlir::Value block);

  mlir::ImplicitLocOpBuilder &b;
  AwaitOp await;
  mlir::Value blocks;
  int64_t size;
  mlir::Value bytes, words;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_BLOCKSINORDER_H
