//===- LoopLister.h - Lists of the coordinates of outer loops ---*- C++ -*-===//

#ifndef NACHO_LIB_TRANSFORMS_LOOPLISTER_H
#define NACHO_LIB_TRANSFORMS_LOOPLISTER_H

#include "nacho/IR/Condition.h"
#include "nacho/IR/Nacho.h"

namespace nacho {

/// The two nests that replace a nest whose outer loops are listed.
struct ListedNest {
  NestOp list;     ///< Makes the list. The costs of its entries are still 0.
  NestOp rest;     ///< Runs the inner loops for each entry of the list.
  AppendOp append; ///< The op that appends the entries of the list.
  /// The fibers of the listed loops that the rest needs. The list keeps their
  /// positions in levels after those of the coordinates; the key is the number
  /// of the level, counted from 0 there.
  llvm::DenseMap<unsigned, mlir::Value> keptAt;
  /// Whether the loops inside of the listed loops run at all for an entry.
  Condition condition = kAlways;
};

/// Lists loops 0 to `last` of a nest, and erases the nest.
ListedNest listLoops(NestOp nest, unsigned last);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_LOOPLISTER_H
