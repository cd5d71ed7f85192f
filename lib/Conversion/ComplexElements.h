//===- ComplexElements.h - Operators on complex numbers -------------------===//

#ifndef NACHO_LIB_CONVERSION_COMPLEXELEMENTS_H
#define NACHO_LIB_CONVERSION_COMPLEXELEMENTS_H

#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Computes x + y, x - y, x * y or x / y for complex numbers.
mlir::Value emitComplex(mlir::ImplicitLocOpBuilder &b, BinaryKind kind,
                        mlir::Value x, mlir::Value y,
                        mlir::arith::FastMathFlags flags);

/// Compares complex numbers, which are equal if their real and imaginary parts
/// are.
mlir::Value compareComplex(mlir::ImplicitLocOpBuilder &b,
                           const Comparison &comparison, mlir::Value x,
                           mlir::Value y);

/// exp(z) - 1
mlir::Value emitComplexExpm1(mlir::ImplicitLocOpBuilder &b, mlir::Value z);

/// log(1 + z)
mlir::Value emitComplexLog1p(mlir::ImplicitLocOpBuilder &b, mlir::Value z);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_COMPLEXELEMENTS_H
