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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

/// Of operations that every backend lowers by itself; see ParallelOps.td.
template <typename ConcreteType>
class BackendOp : public mlir::OpTrait::TraitBase<ConcreteType, BackendOp> {};

/// Whether the entries go to a list, in which each has its own coordinate at
/// every level, and are neither reduced nor in the order of the loops.
bool makesList(CollectKind kind);
/// Whether the entries are sorted when all of them are there.
bool sortsEntries(CollectKind kind);

/// Every level has one coordinate for every entry.
bool isList(mlir::RankedTensorType type);

/// A list or a tree that stores each entry once, in the order of its levels.
bool isFlattenable(mlir::RankedTensorType type);
} // namespace nacho

#include "nacho/IR/FiberInterfaces.h.inc"
#define GET_OP_CLASSES
#include "nacho/IR/NachoOps.h.inc"

#endif // NACHO_IR_NACHO_H
