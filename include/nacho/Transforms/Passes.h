//===- Passes.h - Passes from index notation to bounded loops -------------===//

#ifndef NACHO_TRANSFORMS_PASSES_H
#define NACHO_TRANSFORMS_PASSES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Pass/Pass.h"

namespace nacho {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nacho/Transforms/Passes.h.inc"
/// Of an argument or the result of a function whose dimensions were split by
/// `--nacho-split-blocks`: the size of the blocks of each dimension that it
/// had, 1 where it has none.
inline constexpr llvm::StringLiteral kBlocksAttrName = "nacho.blocks";

} // namespace nacho

#endif // NACHO_TRANSFORMS_PASSES_H
