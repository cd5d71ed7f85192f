//===- LoopLister.h - A list of what outer loops visit ----------*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_LOOPLISTER_H
#define NACHO_LIB_TRANSFORMS_LOOPLISTER_H

#include "nacho/IR/Condition.h"
#include "nacho/IR/Nacho.h"

namespace nacho {

/// What a nest becomes whose outer loops are listed.
struct ListedNest {
  NestOp list;     ///< Its entries still lack their costs: these are 0.
  NestOp rest;     ///< Runs through the list.
  AppendOp append; ///< Makes an entry of the list.
  /// The fibers of the listed loops that the rest needs, by the number of the
  /// level, after those of the loops, in which the list keeps them.
  llvm::DenseMap<unsigned, mlir::Value> keptAt;
  /// Whether the loops inside of the listed ones run at all for an entry.
  Condition condition = kAlways;
};

/// Lists loops 0 to `last` of a nest, which is erased.
ListedNest listLoops(NestOp nest, unsigned last);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LOOPLISTER_H
