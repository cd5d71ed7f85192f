//===- Equations.h - Indices of a statement that follow from others -------===//

#ifndef NACHO_LIB_IR_EQUATIONS_H
#define NACHO_LIB_IR_EQUATIONS_H

#include "nacho/IR/Nacho.h"

#include "llvm/ADT/SetVector.h"

namespace nacho {

/// Syntax: `where (m = i + 2 * k, n = j + l)`, or nothing for no equations,
/// which is a null attribute.
mlir::ParseResult parseWhere(mlir::OpAsmParser &parser, mlir::ArrayAttr &where);
void printWhere(mlir::OpAsmPrinter &printer, AssignOp op);

using IndexSet = llvm::SetVector<mlir::Attribute>;

/// The indices on which the yielded value depends, and from which all others
/// follow. Refuses reductions over other indices.
mlir::FailureOr<IndexSet> freeIndices(AssignOp op);

/// Every index follows from others once at most, and from none that comes
/// later; all indices have an extent.
mlir::LogicalResult verifyEquations(AssignOp op);

} // namespace nacho

#endif // NACHO_LIB_IR_EQUATIONS_H
