//===- Masks.h - Which lanes of a vector are there ------------------------===//

#ifndef NACHO_LIB_CONVERSION_MASKS_H
#define NACHO_LIB_CONVERSION_MASKS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The first lanes, as many as there are elements from `start` to `end`. LLVM
/// counts them with 32 bits: more than there are lanes are none the more.
inline mlir::Value emitMask(mlir::ImplicitLocOpBuilder &b, mlir::Value start,
                            mlir::Value end, int64_t lanes) {
  mlir::Value rest = mlir::arith::MinSIOp::create(
      b, mlir::arith::SubIOp::create(b, end, start),
      mlir::arith::ConstantIndexOp::create(b, lanes));
  return mlir::vector::CreateMaskOp::create(
      b, mlir::VectorType::get(lanes, b.getI1Type()), rest);
}

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_MASKS_H
