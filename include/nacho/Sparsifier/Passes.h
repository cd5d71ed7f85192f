//===- Passes.h - Kernels in modules of other code ------------------------===//

#ifndef NACHO_SPARSIFIER_PASSES_H
#define NACHO_SPARSIFIER_PASSES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace nacho {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nacho/Sparsifier/Passes.h.inc"

/// Registers the passes above, and the pipeline --nacho-sparsifier.
void registerSparsifier();
} // namespace nacho

#endif // NACHO_SPARSIFIER_PASSES_H
