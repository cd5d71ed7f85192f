//===- WhileLoop.h - While loops in emitted code ----------------*- C++ -*-===//

#ifndef NACHO_IR_WHILELOOP_H
#define NACHO_IR_WHILELOOP_H

#include "nacho/IR/Arith.h"

namespace nacho {

using Values = llvm::SmallVector<mlir::Value>;

/// while condition(values): values = step(values)
///
/// Calls each function once, where its code belongs. Returns the values that
/// the loop leaves.
Values emitWhile(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inits,
                 llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
                 llvm::function_ref<Values(mlir::ValueRange)> step);

/// Emits a loop that goes on while each of the first values is less than its
/// end.
Values emitWhileBelow(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inits,
                      mlir::ValueRange ends,
                      llvm::function_ref<Values(mlir::ValueRange)> step);

/// Emits a search for the first number in [low, high) for which `isBefore` does
/// not hold. It holds for all numbers before that one. Returns `high` if it
/// holds for all, and `low` if there are none.
///
///   while low < high: mid = low + (high - low) / 2
///     isBefore(mid) ? low = mid + 1 : high = mid
Number emitBisection(mlir::ImplicitLocOpBuilder &b, mlir::Value low,
                     mlir::Value high,
                     llvm::function_ref<Number(Number)> isBefore);

} // namespace nacho

#endif // NACHO_IR_WHILELOOP_H
