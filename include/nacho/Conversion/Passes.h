//===- Passes.h - Passes from bounded loops to a target -------------------===//

#ifndef NACHO_CONVERSION_PASSES_H
#define NACHO_CONVERSION_PASSES_H

#include "nacho/IR/Nacho.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Pass/Pass.h"

namespace nacho {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

#endif // NACHO_CONVERSION_PASSES_H
