//===- TileChain.h - Sums that the tiles of a launch pass on ---*- C++ -*-===//
//
// A warp that does a tile needs what all tiles before it come to. It gets that
// from the warps that do them, in the same launch, and need not wait for all of
// them: a warp tells at once what its own tile comes to, and later what all
// tiles up to it do. The memory for this is zero before and after a launch:
//
//   taken, finished, and of each tile: state, its own sum, the sum up to it
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILECHAIN_H
#define NACHO_LIB_CONVERSION_GPU_TILECHAIN_H

#include "nacho/IR/Lanes.h"

#include <functional>

namespace nacho {

class TileChain {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Combine = std::function<Values(mlir::ValueRange, mlir::ValueRange)>;

  /// Takes memory for so many tiles. A sum is a row of integers, of which
  /// `none` is the one that changes nothing.
  TileChain(mlir::ImplicitLocOpBuilder &b, mlir::Value tiles,
            mlir::ValueRange none, Combine combine);

  /// Returns the tile that a warp does: the first that no other has taken. So
  /// the warps for which it waits have all begun.
  mlir::Value take(const Lanes &lanes);
  /// Tells what a tile comes to, and returns what all tiles before it do.
  Values passOn(const Lanes &lanes, mlir::Value tile, mlir::ValueRange sum);
  /// Ends the work of a warp. The one that is last makes the memory zero, and
  /// its first lane does `rest`, which may read what all tiles have stored.
  void finish(const Lanes &lanes, llvm::function_ref<void()> rest);
  /// Returns the memory, after the launch.
  void release();

private:
  mlir::Value wordsOf(mlir::Value tile);
  mlir::Value update(mlir::arith::AtomicRMWKind kind, int64_t value,
                     mlir::Value at);
  void tell(mlir::Value tile, int64_t state, mlir::ValueRange sum);
  mlir::Value waitFor(mlir::Value tile);
  Values sumOf(mlir::Value tile, mlir::Value state);
  Values lookBack(const Lanes &lanes, mlir::ValueRange state);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value tiles;
  Values none;
  Combine combine;
  mlir::Value bytes, words, numWords;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILECHAIN_H
