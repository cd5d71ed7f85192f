//===- TileScan.h - Rows that blocks scan and pass on ----------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILESCAN_H
#define NACHO_LIB_CONVERSION_GPU_TILESCAN_H

#include "TileChain.h"
#include "TileCuts.h"
#include "nacho/IR/Arith.h"

namespace nacho {

/// The scan of what the parts of all tiles count, in the same launch. The first
/// warp of a block scans the rows of its tile, and asks the blocks before it
/// what theirs come to.
class TileScan {
public:
  /// Takes memory, before the launch.
  TileScan(mlir::ImplicitLocOpBuilder &b, TileScanOp op, mlir::Value blocks,
           int64_t numLanes);

  /// Returns the number of a block, at its beginning: the first that no other
  /// has taken. So the blocks for which it waits have all begun.
  mlir::Value begin(mlir::gpu::LaunchOp launch);
  /// Returns the bytes that the threads of a block share.
  int64_t numBytes();
  /// Lets each part store its row at the end of its code.
  void storeRow(mlir::Block *code, mlir::Value thread);
  /// Emits the scan, after the code of all parts.
  void emit(const TileOfBlock &tile, mlir::Value part, mlir::Value exists);
  /// Returns the memory, after the launch.
  void release() { chain.release(); }

  /// The number of a thread of the first warp, which code of warps has.
  const Lanes &lanesOfWarp() const { return lanes; }

private:
  using Values = llvm::SmallVector<mlir::Value>;

  void onFirstWarp(llvm::function_ref<void()> body);
  Values load(mlir::Value row);
  void store(mlir::ValueRange values, mlir::Value table, mlir::Value row);
  Values choose(mlir::Value condition, mlir::ValueRange row);
  void scanRows(mlir::Value count);

  mlir::ImplicitLocOpBuilder &b;
  TileScanOp op;
  int64_t numLanes, numParts; ///< Threads of a warp, and of a block.
  Values columns, none;
  TileChain chain;
  Lanes lanes;
  mlir::Value lastBlock; ///< Computed before the launch.
  mlir::Value thread, block, shared;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILESCAN_H
