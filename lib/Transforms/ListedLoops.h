//===- ListedLoops.h - Which loops lists are made of ------------*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_LISTEDLOOPS_H
#define NACHO_LIB_TRANSFORMS_LISTEDLOOPS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The outermost loop that appends: it does so for coordinates with nothing
/// inside, too.
unsigned outermostAppend(NestOp nest, llvm::ArrayRef<CoiterateOp> loops);

/// The loops that are to be listed, outermost first.
llvm::SmallVector<unsigned> loopsToRemap(NestOp nest, CostModelAttr model);

/// Whether a loop has nothing to do where a fiber has no children.
bool needsChildren(CoiterateOp loop, mlir::Value fiber);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LISTEDLOOPS_H
