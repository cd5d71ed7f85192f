//===- Nacho.h - The nacho dialect ----------------------------------------===//

#ifndef NACHO_IR_NACHO_H
#define NACHO_IR_NACHO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "nacho/IR/NachoDialect.h.inc"
#include "nacho/IR/NachoEnums.h.inc"
#include "nacho/IR/StepAttrs.h"
#define GET_ATTRDEF_CLASSES
#include "nacho/IR/NachoAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "nacho/IR/NachoTypes.h.inc"

namespace nacho {
// TableGen declares classes in the order of the files; `nacho.nest` names the
// loops inside it.
class CoiterateOp;

/// Trait of operations that each backend lowers itself; see ParallelOps.td.
template <typename ConcreteType>
class BackendOp : public mlir::OpTrait::TraitBase<ConcreteType, BackendOp> {};

namespace detail {
mlir::LogicalResult verifyYields(mlir::Operation *op);
/// Verifies that a block combines two rows of integers.
mlir::LogicalResult verifyCombine(mlir::Operation *op, mlir::Block &block,
                                  size_t columns);
} // namespace detail

/// Trait of operations whose regions end with nacho.yield. Their verifiers look
/// at it, before MLIR has verified that a region ends with anything.
template <typename ConcreteType>
class EndsWithYield
    : public mlir::OpTrait::TraitBase<ConcreteType, EndsWithYield> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyYields(op);
  }
};

/// Whether a level stores coordinates, and where the children of each of its
/// parents begin, which is where those of the parent before it end.
bool storesChildren(mlir::sparse_tensor::LevelType level);

/// Whether a tensor stores one coordinate per entry in every level (COO).
bool isList(mlir::RankedTensorType type);

/// Whether a tensor is a list (COO) or a tree (CSF) that stores each entry
/// once, in the order of its levels.
bool isFlattenable(mlir::RankedTensorType type);
} // namespace nacho

#include "nacho/IR/FiberInterfaces.h.inc"
#define GET_OP_CLASSES
#include "nacho/IR/NachoOps.h.inc"

#endif // NACHO_IR_NACHO_H
