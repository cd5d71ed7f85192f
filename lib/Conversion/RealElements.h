//===- RealElements.h - Operators on real numbers ---------------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_REALELEMENTS_H
#define NACHO_LIB_CONVERSION_REALELEMENTS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Creates the op with a given name, with default attributes.
mlir::Value emitNamed(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                      mlir::ValueRange operands, mlir::Type type);

/// Computes a binary operator on real numbers, which are signless.
mlir::Value emitReal(mlir::ImplicitLocOpBuilder &b, BinaryOp op, mlir::Value x,
                     mlir::Value y);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_REALELEMENTS_H
