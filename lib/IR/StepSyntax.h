//===- StepSyntax.h - Syntax of the lists in `#nacho.step` ------*- C++ -*-===//
//
// The functions that the generated parsers and printers of the attributes call.
// Each parses or prints a list in square brackets.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_IR_STEPSYNTAX_H
#define NACHO_LIB_IR_STEPSYNTAX_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// `operand 0, step 1`
mlir::ParseResult parseStepSources(mlir::AsmParser &parser,
                                   llvm::SmallVector<StepSource> &sources);
void printStepSources(mlir::AsmPrinter &printer,
                      llvm::ArrayRef<StepSource> sources);

/// `0 of 0, 1 of 1`
mlir::ParseResult parseOfArguments(mlir::AsmParser &parser,
                                   llvm::SmallVector<OfArgument> &arguments);
void printOfArguments(mlir::AsmPrinter &printer,
                      llvm::ArrayRef<OfArgument> arguments);

/// `1 of 0, end 1 of 0, number`
mlir::ParseResult parseKeptNumbers(mlir::AsmParser &parser,
                                   llvm::SmallVector<KeptNumber> &kept);
void printKeptNumbers(mlir::AsmPrinter &printer,
                      llvm::ArrayRef<KeptNumber> kept);

/// `<"i"[0, 1]>, <"j"[1]>`
mlir::ParseResult parseStepLoops(mlir::AsmParser &parser,
                                 llvm::SmallVector<StepLoopAttr> &loops);
void printStepLoops(mlir::AsmPrinter &printer,
                    llvm::ArrayRef<StepLoopAttr> loops);

/// `f64, i32`
mlir::ParseResult parseBracketedTypes(mlir::AsmParser &parser,
                                      llvm::SmallVector<mlir::Type> &types);
void printBracketedTypes(mlir::AsmPrinter &printer,
                         llvm::ArrayRef<mlir::Type> types);

} // namespace nacho

#endif // NACHO_LIB_IR_STEPSYNTAX_H
