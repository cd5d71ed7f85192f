//===- Elements.h - Zeros of any element type -----------------------------===//

#ifndef NACHO_LIB_CONVERSION_ELEMENTS_H
#define NACHO_LIB_CONVERSION_ELEMENTS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

mlir::Value emitZero(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

/// condition ? value : 0
mlir::Value selectOrZero(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                         mlir::Value value);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_ELEMENTS_H
