//===- LanesToVector.h - Operators on all lanes of vectors ----------------===//

#ifndef NACHO_LIB_CONVERSION_LANESTOVECTOR_H
#define NACHO_LIB_CONVERSION_LANESTOVECTOR_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Lowers `nacho.each_lane`, whose region has ops of arith and math.
mlir::LogicalResult convertLanesToVector(mlir::func::FuncOp func);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_LANESTOVECTOR_H
