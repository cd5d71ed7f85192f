//===- LoopFacts.h - Coordinates visited by coiterations ------------------===//

#ifndef NACHO_ANALYSIS_LOOPFACTS_H
#define NACHO_ANALYSIS_LOOPFACTS_H

#include "nacho/IR/Nacho.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallBitVector.h"

namespace nacho {

/// The coordinates that a loop can visit, as a merge expression without the
/// operands that have full levels, and without the fibers that are `located`.
MergeAttr iterationDomain(CoiterateOp loop,
                          const llvm::SmallBitVector &located = {});
/// Whether a loop visits every coordinate up to its extent.
bool visitsAll(CoiterateOp loop);

/// The fibers of a loop that are the same in every iteration of the loop around
/// it, so that the loop would step through them again and again; of these, the
/// ones that `isWanted`. There are none if the loop without them would visit
/// coordinates that no fiber has.
llvm::SmallBitVector
repeatedFibers(CoiterateOp loop,
               llvm::function_ref<bool(mlir::Value fiber)> isWanted);
/// The repeated fibers of a loop that have rows, if no loop is inside of it: it
/// searches them for its coordinates (--nacho-remap-intersections).
llvm::SmallBitVector fibersToSeek(CoiterateOp loop);

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPFACTS_H
