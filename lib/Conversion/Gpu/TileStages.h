//===- TileStages.h - Rows of arrays that the parts of a tile access ------===//

#ifndef NACHO_LIB_CONVERSION_GPU_TILESTAGES_H
#define NACHO_LIB_CONVERSION_GPU_TILESTAGES_H

#include "WindowAccesses.h"
#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The rows of arrays that parts say they access.
struct Stage {
  mlir::Value from, to;
  llvm::SmallVector<mlir::Value> arrays;
  bool isWritten;
  bool isAlone;    ///< Whether parts need no other rows in the end.
  RowsOfTile rows; ///< Those that there are.
};

/// Returns the bytes of a row of an array.
int64_t rowBytesOf(mlir::MemRefType type);
int64_t rowBytesOf(mlir::Value array);

/// Returns the elements of a row of an array.
int64_t columnsOf(mlir::Value array);
/// Returns an array as a list of its elements.
mlir::Value flatten(mlir::ImplicitLocOpBuilder &b, mlir::Value array);

/// Copies what values are computed of from the code of parts to that of the
/// block.
mlir::IRMapping copyForBlock(mlir::ImplicitLocOpBuilder &b, ParallelOp workers,
                             mlir::ValueRange values);

/// Takes the windows of parts to where the block makes them.
llvm::SmallVector<Stage> takeStages(mlir::ImplicitLocOpBuilder &b,
                                    ParallelOp workers);

/// Finds the rows that there are of the arrays of a stage, and leaves out
/// arrays that cannot have windows. Returns whether each load has rows that it
/// may read.
mlir::Value boundStage(mlir::ImplicitLocOpBuilder &b, Stage &stage,
                       ParallelOp workers);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_TILESTAGES_H
