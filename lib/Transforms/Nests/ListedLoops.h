//===- ListedLoops.h - Loops remapped to lists ------------------*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_LISTEDLOOPS_H
#define NACHO_LIB_TRANSFORMS_LISTEDLOOPS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The number of the outermost loop that has an append in its body; the number
/// of loops if there is no append. This loop appends even at coordinates where
/// the loops inside visit nothing, so a list must not leave these out.
unsigned outermostAppend(NestOp nest, llvm::ArrayRef<CoiterateOp> loops);

/// The numbers of the loops to remap to lists (paper Alg. 2), outermost first.
llvm::SmallVector<unsigned> loopsToRemap(NestOp nest, CostModelAttr model);

/// Whether a nest finds elements of fibers by their coordinates, in tables.
bool findsElements(NestOp nest);

/// Whether a loop has no effect if `fiber` has no children.
bool needsChildren(CoiterateOp loop, mlir::Value fiber);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LISTEDLOOPS_H
