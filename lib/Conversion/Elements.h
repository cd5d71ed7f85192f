//===- Elements.h - Elements of any type, in arith and complex ------------===//

#ifndef NACHO_LIB_CONVERSION_ELEMENTS_H
#define NACHO_LIB_CONVERSION_ELEMENTS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Whether arith's ops for unsigned integers are those of a type: bools are,
/// too.
bool isUnsigned(mlir::Type type);

/// The type that the ops of arith take in place of an element type.
mlir::Type signless(mlir::Type type);

/// `value` as one of a type that differs at most in its sign.
mlir::Value recast(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                   mlir::Type type);

mlir::Value emitZero(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

/// condition ? value : 0
mlir::Value selectOrZero(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                         mlir::Value value);

/// An element of the type `from`, passed signless, as a signless one of the
/// type `to`: the conversions of NumPy's astype.
mlir::Value emitCast(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                     mlir::Type from, mlir::Type to);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_ELEMENTS_H
