//===- Lanes.h - Code for threads that do a part together ------*- C++ -*-===//

#ifndef NACHO_IR_LANES_H
#define NACHO_IR_LANES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Verifies that an operation is inside of a `nacho.parallel` with lanes.
llvm::LogicalResult verifyOfLanes(mlir::Operation *op);

/// Emits code that the lanes of a worker run together.
class Lanes {
public:
  Lanes() = default;
  /// `number` is the result of a worker's `nacho.lane`.
  explicit Lanes(mlir::Value number) : number(number) {}
  /// Makes so many lanes do the part of a worker, in whose body code is
  /// emitted.
  static Lanes create(mlir::ImplicitLocOpBuilder &b, int64_t count);

  mlir::Value lane() const { return number; }
  /// Returns how many lanes do the part together.
  int64_t count() const;
  mlir::Value isFirst(mlir::ImplicitLocOpBuilder &b) const;

  /// Divides the steps of a loop, which are 1, among the lanes in turn.
  void takeSteps(mlir::scf::ForOp loop) const;
  /// Leaves an operation without results to the first lane.
  static void doOnce(mlir::Operation *op, mlir::Value isFirst);

  /// The row of values that another lane has.
  llvm::SmallVector<mlir::Value> from(mlir::ImplicitLocOpBuilder &b,
                                      mlir::ValueRange row,
                                      mlir::Value other) const;
  /// The sum of the integers that all lanes have.
  mlir::Value sum(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const;
  /// The sum of the integers of all lanes before this one, and that of all.
  std::pair<mlir::Value, mlir::Value> sumBefore(mlir::ImplicitLocOpBuilder &b,
                                                mlir::Value value) const;

  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange, mlir::ValueRange)>;
  /// Combines the row of each lane with those of all lanes before it.
  llvm::SmallVector<mlir::Value> scan(mlir::ImplicitLocOpBuilder &b,
                                      mlir::ValueRange row,
                                      Combine combine) const;

private:
  mlir::Value number;
};

} // namespace nacho

#endif // NACHO_IR_LANES_H
