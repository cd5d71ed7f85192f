//===- TileWindows.h - Windows of arrays in shared memory -----------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H
#define NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H

#include "LateValues.h"
#include "TileStages.h"
#include "WindowAccesses.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace nacho {

/// The windows of a tile: memory that the threads of a block share, and copies
/// from and to it.
///
/// A tile has all of its windows, or none. The code of parts is there twice:
///
///   if the tile has its windows: the code, with windows in place of arrays
///   else: the code
class TileWindows {
public:
  /// `thread` is the number of the thread in its block, of which there are as
  /// many as the tile has parts. Windows get at most `mostBytes` together.
  TileWindows(mlir::gpu::LaunchOp launch, TileOp tile, mlir::Value thread,
              int64_t mostBytes);

  /// Emits what the block does before its parts. Windows of what parts write
  /// after a scan, which may be null, come later.
  void emitBefore(mlir::ImplicitLocOpBuilder &b, TileScanOp scan);
  /// Emits what the block does after that scan.
  void emitAfterScan(mlir::ImplicitLocOpBuilder &b);
  /// Doubles the code of parts in a block, if it accesses what has a window.
  /// `isLast` tells that no barrier comes after it.
  void choose(mlir::Block *code, bool isLast);
  /// Emits what the block does after its parts.
  void emitAfter(mlir::ImplicitLocOpBuilder &b);

private:
  /// Rows of some arrays in shared memory.
  struct Window {
    struct Copy {
      mlir::Value array, shared;
    };

    RowsOfTile rows;
    mlir::Value begin, end; ///< The bytes of the memory.
    llvm::SmallVector<Copy> copies;
    bool isWritten;
  };

  Window makeWindow(mlir::ImplicitLocOpBuilder &b, const Stage &stage,
                    mlir::Type word = {});
  mlir::Value startLoop(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                        mlir::Value count);
  mlir::Value startMoved(mlir::ImplicitLocOpBuilder &b, Number from,
                         mlir::Value count, int64_t perSector);
  void copy(mlir::ImplicitLocOpBuilder &b, const Window &window);
  void clear(mlir::ImplicitLocOpBuilder &b, const Window &window);
  void computeLate(mlir::ImplicitLocOpBuilder &b, const Window &window,
                   const LateValues &values);
  void findLate(mlir::ImplicitLocOpBuilder &b, mlir::Value array,
                llvm::SmallVectorImpl<Stage> &all);
  void stageLate(mlir::ImplicitLocOpBuilder &b, Stage &stage);
  void addWindows(mlir::ImplicitLocOpBuilder &b,
                  llvm::SmallVectorImpl<Stage> &stages);
  void stage(mlir::ImplicitLocOpBuilder &b, const Stage &stage);
  void require(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);

  ParallelOp workers;
  mlir::Value thread;
  int64_t threads;     ///< Threads of the block.
  int64_t sharedBytes; ///< The size of all windows together.
  mlir::Value memory;  ///< The memory that the threads share.
  mlir::Value used;    ///< The number of its bytes that windows need.
  mlir::Value isWhole; ///< Whether the tile has its windows.
  llvm::SmallVector<Window> windows;
  /// Accesses that need not ask in the end if the tile is whole, and others.
  llvm::SmallVector<WindowAccess> alone, others;
  /// What is computed last of each array that has no window yet.
  llvm::MapVector<mlir::Value, LateValues> computed;
  /// Windows of words, and what is computed of these.
  std::vector<std::pair<Window, LateValues>> late;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H
