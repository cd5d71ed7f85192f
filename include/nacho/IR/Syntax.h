//===- Syntax.h - Syntax that several ops share ---------------------------===//

#ifndef NACHO_IR_SYNTAX_H
#define NACHO_IR_SYNTAX_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Prints `union(%a, intersect(%b, %c))`, with `values[n]` for leaf n.
void printMerge(mlir::OpAsmPrinter &printer, MergeAttr merge,
                mlir::ValueRange values);

/// Parses what `printMerge` prints. A leaf's number is its place in `names`. A
/// name that is not in `names` is added with `extend`, and an error without.
mlir::ParseResult
parseMerge(mlir::OpAsmParser &parser,
           llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &names,
           bool extend, MergeAttr &merge);

/// Emits an error unless every leaf of `merge` is less than `numOperands`.
mlir::LogicalResult verifyMerge(mlir::Operation *op, MergeAttr merge,
                                unsigned numOperands);

/// Parses and prints the names of indices, as in `[i, j]`.
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &access);
void printAccess(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::Attribute access);

} // namespace nacho

#endif // NACHO_IR_SYNTAX_H
