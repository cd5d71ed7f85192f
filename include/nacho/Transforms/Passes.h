//===- Passes.h - Passes from index notation to bounded loops -------------===//

#ifndef NACHO_TRANSFORMS_PASSES_H
#define NACHO_TRANSFORMS_PASSES_H

#include "nacho/IR/Nacho.h"

#include "mlir/Pass/Pass.h"

namespace nacho {

/// The nests that append to drafts of their results, without counting first.
enum class Drafts {
  none,
  some,  ///< Those that a draft saves time for any number of parts.
  unions ///< Unions, too, of which one part makes the result.
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nacho/Transforms/Passes.h.inc"

/// The size of the blocks of each dimension that an argument or the result of a
/// function had before `--nacho-split-blocks` split it; 1 where it has no
/// blocks.
inline constexpr llvm::StringLiteral kBlocksAttrName = "nacho.blocks";

} // namespace nacho

#endif // NACHO_TRANSFORMS_PASSES_H
