//===- TileWindows.h - Windows of arrays in shared memory -----------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H
#define NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H

#include "LateValues.h"
#include "WindowAccesses.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The tile of workers; null if they have none.
TileOp tileOf(ParallelOp workers);

/// The windows of a tile: memory that the threads of a block share, and copies
/// from and to it.
class TileWindows {
public:
  /// `thread` is the number of the thread in its block, of which there are as
  /// many as the tile has parts. Windows get at most `mostBytes` together.
  TileWindows(mlir::gpu::LaunchOp launch, TileOp tile, mlir::Value thread,
              int64_t mostBytes);

  /// Emits what the block does before its parts, and replaces the tile and the
  /// accesses to arrays that have windows in their code.
  void emitBefore(mlir::ImplicitLocOpBuilder &b, mlir::Value begin,
                  mlir::Value end);
  /// Emits what the block does after its parts.
  void emitAfter(mlir::ImplicitLocOpBuilder &b);

  /// The rows of arrays that parts say they access.
  struct Stage {
    mlir::Value from, to;
    llvm::SmallVector<mlir::Value> arrays;
    bool isWritten;
  };

private:
  llvm::SmallVector<Stage> takeStages(mlir::ImplicitLocOpBuilder &b,
                                      mlir::Value begin, mlir::Value end);
  mlir::Value sizeOf(mlir::ImplicitLocOpBuilder &b, const Stage &stage,
                     int64_t bytes);
  TileWindow makeWindow(mlir::ImplicitLocOpBuilder &b, const Stage &stage,
                        mlir::Type word = {});
  mlir::Value startLoop(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                        mlir::Value count);
  mlir::Value startMoved(mlir::ImplicitLocOpBuilder &b, Number from,
                         mlir::Value count, int64_t perSector);
  void copy(mlir::ImplicitLocOpBuilder &b, const TileWindow &window,
            bool toArrays);
  void clear(mlir::ImplicitLocOpBuilder &b, mlir::Value offset);
  void stageLate(mlir::ImplicitLocOpBuilder &b, Stage &stage,
                 llvm::SmallVectorImpl<Stage> &all);
  void stageWords(mlir::ImplicitLocOpBuilder &b, const Stage &stage,
                  LateValues values);
  void stageIn(mlir::ImplicitLocOpBuilder &b, Stage stage);
  void stageOut(mlir::ImplicitLocOpBuilder &b, Stage stage);

  ParallelOp workers;
  TileOp tile;
  mlir::Value thread;
  int64_t threads;     ///< Threads of the block.
  int64_t sharedBytes; ///< The size of all windows together.
  mlir::Value memory;  ///< The memory that the threads share.
  mlir::Value used;    ///< The number of its bytes that windows have.
  llvm::SmallVector<TileWindow> written;
  /// Windows of words, and what is computed of these.
  std::vector<std::pair<TileWindow, LateValues>> late;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H
