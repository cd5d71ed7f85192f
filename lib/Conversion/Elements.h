//===- Elements.h - Code on elements of any type, in arith and complex ----===//

#ifndef NACHO_LIB_CONVERSION_ELEMENTS_H
#define NACHO_LIB_CONVERSION_ELEMENTS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Whether the unsigned variants of arith's integer ops apply to a type:
/// unsigned integers and bools.
bool isUnsigned(mlir::Type type);

/// The type that stands for an element type in arith: integers lose their
/// signedness.
mlir::Type signless(mlir::Type type);

/// Casts `value` to a type that differs at most in signedness.
mlir::Value recast(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                   mlir::Type type);

mlir::Value emitZero(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

/// condition ? value : 0
mlir::Value selectOrZero(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                         mlir::Value value);

/// Converts an element from type `from` to type `to`, as NumPy's astype does.
/// Both `x` and the result are signless.
mlir::Value emitCast(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                     mlir::Type from, mlir::Type to);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_ELEMENTS_H
