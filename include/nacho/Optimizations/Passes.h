//===- Passes.h - Passes that make loops faster ---------------------------===//

#ifndef NACHO_OPTIMIZATIONS_PASSES_H
#define NACHO_OPTIMIZATIONS_PASSES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Pass/Pass.h"

namespace nacho {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

#endif // NACHO_OPTIMIZATIONS_PASSES_H
