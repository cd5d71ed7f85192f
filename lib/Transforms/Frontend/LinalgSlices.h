//===- LinalgSlices.h - Slices that linalg ops read -------------*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_LINALGSLICES_H
#define NACHO_LIB_TRANSFORMS_LINALGSLICES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nacho {

/// The slice of a sparse tensor that a linalg op reads, for which MLIR has
/// `tensor.extract_slice`, made before the op. Null for another value, and for
/// a slice with fewer dimensions than the tensor.
SliceOp makeSlice(mlir::linalg::GenericOp op, mlir::Value value);

/// Lets a function take whole tensors in place of the slices that its arguments
/// are, and make the slices itself. Refuses those of which the types do not
/// tell all numbers.
mlir::LogicalResult takeWholeTensors(mlir::func::FuncOp func);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LINALGSLICES_H
