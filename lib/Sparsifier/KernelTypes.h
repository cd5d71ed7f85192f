//===- KernelTypes.h - Tensors of a program as its kernels have them ------===//
//
// A kernel sees some sparse tensors with a simpler type than the program has,
// so that its loops need not know of what they do not depend on:
//
//   nonordered levels      are ordered: operands are sorted on the way in
//   a nonunique last level is unique: of entries of an operand with the same
//                          coordinates, the first one remains
//   batch levels           are dense in results, whose arrays get a row for
//                          each batch on the way out
//   an explicit value      is part of the body
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_KERNELTYPES_H
#define NACHO_LIB_KERNELTYPES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Gives the tensors of a function of one linalg op (KernelBuilder.h) the types
/// that kernels have. On failure says why in `reason`.
mlir::LogicalResult useKernelTypes(mlir::func::FuncOp func,
                                   std::string &reason);

/// Whether entries are stored in the order of their coordinates, and none
/// twice.
bool storesInOrder(mlir::RankedTensorType type);

/// The number of batch levels.
unsigned numBatchLevels(mlir::RankedTensorType type);

} // namespace nacho

#endif // NACHO_LIB_KERNELTYPES_H
