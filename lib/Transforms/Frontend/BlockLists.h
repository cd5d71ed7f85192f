//===- BlockLists.h - Lists between entries and blocks --------------------===//

#ifndef NACHO_LIB_TRANSFORMS_BLOCKLISTS_H
#define NACHO_LIB_TRANSFORMS_BLOCKLISTS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// An index in blocks, and those of its parts.
struct SplitIndex {
  mlir::StringAttr index, block, inside;
  int64_t size; ///< The extent of a block.
};

/// Lets an assignment read, in place of an operand that is not stored in
/// blocks, a list of its entries by the parts of their indices.
void listOperand(AssignOp op, unsigned number,
                 llvm::ArrayRef<SplitIndex> indices);

/// Lets an assignment, whose result is not stored in blocks, make a list of
/// entries by the parts of their indices, of which the result is made.
/// `extents` has that of each dimension of the result.
void listResult(AssignOp op, llvm::ArrayRef<SplitIndex> indices,
                llvm::ArrayRef<mlir::OpFoldResult> extents);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_BLOCKLISTS_H
