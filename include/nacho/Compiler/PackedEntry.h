//===- PackedEntry.h - Functions that take an array of parameters ---------===//

#ifndef NACHO_COMPILER_PACKEDENTRY_H
#define NACHO_COMPILER_PACKEDENTRY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacho {

/// Adds a function by which callers that know no types can call another one:
///
///   llvm.func @name(%words: !llvm.ptr) { function(words[0], words[1], ...) }
///
/// `function` is one that MLIR exports: its wrapper for C is called, which
/// takes memrefs by the addresses of their descriptors. All parameters have 64
/// bits.
mlir::LLVM::LLVMFuncOp addPackedEntry(mlir::ModuleOp module,
                                      llvm::StringRef function,
                                      llvm::StringRef name);

} // namespace nacho

#endif // NACHO_COMPILER_PACKEDENTRY_H
