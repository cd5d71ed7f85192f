//===- TileCuts.h - Cuts that the parts of a tile find for themselves -----===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILECUTS_H
#define NACHO_LIB_CONVERSION_GPU_TILECUTS_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The parts of a block, and the thread that does one of them.
struct TileOfBlock {
  mlir::Value thread, threads, begin, end;
};

/// Lets parts read a number only from the first of the columns of their cuts
/// that have it in each row: the coordinate of a loop over rows is a position
/// of each operand, too.
///
///   for all cuts: cuts[p, 1] = i; cuts[p, 3] = i
///   cuts[q, 3] -> cuts[q, 1]
void shareColumns(mlir::func::FuncOp function);

/// The cuts of a tile, in memory that the threads of a block share.
class TileCuts {
public:
  /// Gives workers this memory, if they have cuts of their own.
  TileCuts(mlir::gpu::LaunchOp launch, ParallelOp workers,
           const TileOfBlock &tile);

  /// Returns the size of the memory.
  int64_t numBytes() const;
  /// Returns the barrier after which the cuts at both ends of the tile are
  /// there; null if there is none.
  TileSyncOp findSync();
  /// Lets threads load each number of a cut once, where the cut is there, with
  /// what parts compute of these. Parts would do so after each barrier.
  void loadOnce(mlir::ImplicitLocOpBuilder &b, mlir::Value part);
  /// Emits the copy of all cuts, after the parts.
  void emitAfter(mlir::ImplicitLocOpBuilder &b);

private:
  std::optional<int64_t> rowOf(mlir::Value row, mlir::Value part) const;
  bool isStored(int64_t row, mlir::Value part);
  mlir::Value emitRow(mlir::ImplicitLocOpBuilder &b, int64_t row) const;
  void emitLast(mlir::ImplicitLocOpBuilder &b);

  ParallelOp workers;
  TileOfBlock tile;
  mlir::Value bounds, shared; ///< Null if there are no cuts.
  bool isAlone = false;       ///< Whether only the last row is needed.
  /// The column of the memory that has the numbers of each column of a cut.
  llvm::SmallVector<int64_t> columns;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILECUTS_H
