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
///
/// Parts that ask whether there is room for all of them choose for themselves.
class TileWindows {
public:
  /// `thread` is the number of the thread in its block, of which there are as
  /// many as the tile has parts. Windows get at most `mostBytes` together.
  TileWindows(mlir::gpu::LaunchOp launch, TileOp tile, mlir::Value thread,
              int64_t mostBytes);

  /// Emits what the block does before its parts.
  void emitBefore(mlir::ImplicitLocOpBuilder &b);
  /// Finds out what parts append when their tile has been scanned.
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

  /// Elements that parts keep, or words for these.
  struct Slots {
    TileMemoryOp memory;
    mlir::Value kept;
    std::optional<LateValues> late;
  };
  /// What parts append of their slots: the `size` elements of the arrays from
  /// `first` on. `order` has the slot of each.
  struct Append {
    mlir::Value first, size, order;
    llvm::SmallVector<std::pair<mlir::Value, const Slots *>> arrays;
  };

  /// The number of bytes of an array that an access to memory moves at once:
  /// windows begin where such a sector does.
  static constexpr int64_t kSector = 32;

  /// A view of shared memory for elements of another type.
  mlir::Value viewAs(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                     mlir::Value size, llvm::ArrayRef<int64_t> columns,
                     mlir::Type element);
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
  void addWindows(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Stage> stages);
  void copyWindows(mlir::ImplicitLocOpBuilder &b);
  void makeSlots(mlir::ImplicitLocOpBuilder &b, TileMemoryOp op);
  void makeOrder(mlir::ImplicitLocOpBuilder &b, mlir::Value free);
  const Slots &slotsOf(mlir::Value memory);
  bool isForCounts(const Stage &stage);
  void goToSlots();
  void goToWindows();
  void copySlots(mlir::ImplicitLocOpBuilder &b, const Append &append);
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
  std::vector<Slots> slots;
  std::vector<Append> appends;
  mlir::Value order; ///< Memory for the numbers of slots, in order.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILEWINDOWS_H
