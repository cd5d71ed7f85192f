//===- Emit.h - Helpers of the functions of a nest ------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_EMIT_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_EMIT_H

#include "nacho/IR/Condition.h"
#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

using Values = llvm::SmallVector<mlir::Value>;

/// if condition: body()
void emitIf(mlir::ImplicitLocOpBuilder &b, Condition condition,
            llvm::function_ref<void()> body);

/// for n in from..to: body(n)
void emitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to,
             llvm::function_ref<void(mlir::Value)> body);

/// The numbers [from, to).
struct Interval {
  mlir::Value from, to;
};

/// The interval of a part when the numbers [0, size) are divided evenly among
/// all parts.
Interval evenInterval(mlir::ImplicitLocOpBuilder &b, mlir::Value part,
                      mlir::Value parts, mlir::Value size);

/// The number of coordinates of a loop, at any place in a function.
mlir::Value emitExtent(mlir::ImplicitLocOpBuilder &b, CoiterateOp loop,
                       const mlir::IRMapping &mapping);

/// The `nacho.flatten` that makes the keys over which a loop runs; null if the
/// loop does not run over keys.
FlattenOp flattenOf(CoiterateOp loop);

/// Loads the cut in a row of `bounds`, and names it.
mlir::Value loadCut(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                    mlir::Type cut, mlir::Value bounds, mlir::Value row);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_EMIT_H
