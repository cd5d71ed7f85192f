//===- Passes.h - From index notation to bounded loops over buffers -------===//

#ifndef NACHO_TRANSFORMS_PASSES_H
#define NACHO_TRANSFORMS_PASSES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Pass/Pass.h"

namespace nacho {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

#endif // NACHO_TRANSFORMS_PASSES_H
