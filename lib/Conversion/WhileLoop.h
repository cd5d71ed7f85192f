//===- WhileLoop.h - Emits an scf.while -------------------------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_WHILELOOP_H
#define NACHO_LIB_CONVERSION_WHILELOOP_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

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

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_WHILELOOP_H
