//===- ScanLoop.h - The scan as a loop ------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_SCANLOOP_H
#define NACHO_LIB_CONVERSION_SCANLOOP_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Emits the scan as one sequential loop over the rows of counts, one row per
/// part.
///   for row: output[row] = sum; sum = combine(sum, input[row])
///   output[rows] = sum
void emitScanLoop(mlir::OpBuilder &builder, ExclusiveScanOp op);

/// Emits the code of a region that combines two rows.
llvm::SmallVector<mlir::Value> combineRows(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Block &body,
                                           mlir::ValueRange x,
                                           mlir::ValueRange y);

/// Emits what scans do with rows of the same input and output.
class ScanBuilder {
public:
  /// Emits the numbers of the columns, which the scans use.
  ScanBuilder(mlir::ImplicitLocOpBuilder &b, ExclusiveScanOp op);

  /// A row of zeros.
  llvm::SmallVector<mlir::Value> none();
  /// A row of the input, or of the output.
  llvm::SmallVector<mlir::Value> load(mlir::Value rows, mlir::Value row);
  /// Stores a row of the output.
  void store(mlir::Value row, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange x,
                                         mlir::ValueRange y);

private:
  mlir::ImplicitLocOpBuilder &b;
  ExclusiveScanOp op;
  llvm::SmallVector<mlir::Value> columns; ///< Their numbers.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_SCANLOOP_H
