//===- Syntax.h - Syntax that several ops share ---------------------------===//

#ifndef NACHO_IR_SYNTAX_H
#define NACHO_IR_SYNTAX_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Prints `union(%a, intersect(%b, %c))`, leaf n being `values[n]`.
void printMerge(mlir::OpAsmPrinter &printer, MergeAttr merge,
                mlir::ValueRange values);

/// Parses the same. Leaves are looked up in `names`; with `extend`, a name
/// that is not there is added.
mlir::ParseResult
parseMerge(mlir::OpAsmParser &parser,
           llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &names,
           bool extend, MergeAttr &merge);

/// Every leaf of `merge` must be below `numOperands`.
mlir::LogicalResult verifyMerge(mlir::Operation *op, MergeAttr merge,
                                unsigned numOperands);

/// The names of indices, as in `[i, j]`.
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &access);
void printAccess(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::Attribute access);

} // namespace nacho

#endif // NACHO_IR_SYNTAX_H
