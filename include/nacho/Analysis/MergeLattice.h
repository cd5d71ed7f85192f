//===- MergeLattice.h - Unions and intersections of coordinates -----------===//
//
// A merge expression is a monotone boolean function of the facts "operand n has
// the coordinate". As a coiteration becomes a single loop, the queries below
// replace the merge lattice: they tell when the loop stops, when it runs its
// body, and which operands are certainly present there.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_ANALYSIS_MERGELATTICE_H
#define NACHO_ANALYSIS_MERGELATTICE_H

#include "nacho/IR/Condition.h"
#include "nacho/IR/Nacho.h"

namespace nacho {

using LeafPredicate = llvm::function_ref<bool(unsigned)>;

/// union(a, ...), flattened and without repetitions.
MergeAttr uniteMerges(mlir::MLIRContext *context,
                      llvm::ArrayRef<MergeAttr> args);
/// intersect(a, ...), likewise.
MergeAttr intersectMerges(mlir::MLIRContext *context,
                          llvm::ArrayRef<MergeAttr> args);

/// The coordinates at which `merge` can hold, with the operands that have every
/// coordinate left out; `intersect()` if it can hold everywhere.
MergeAttr iterationDomain(MergeAttr merge, LeafPredicate isFull);
bool isAlways(MergeAttr merge);
bool isNever(MergeAttr merge);

/// Whether `merge` implies `other`: exact, for monotone expressions.
bool implies(MergeAttr merge, MergeAttr other);

/// Whether `merge` holds only at coordinates that an operand has.
bool holdsOnlyWith(MergeAttr merge, unsigned operand);
/// Whether `merge` holds at every coordinate that an operand has.
bool holdsWherever(MergeAttr merge, unsigned operand);

/// Whether `merge` holds at every coordinate that some operand has.
bool holdsAtAny(MergeAttr merge, unsigned numOperands);

/// Renumbers the leaves.
MergeAttr mapLeaves(MergeAttr merge,
                    llvm::function_ref<unsigned(unsigned)> map);

/// Emits `merge` over the conditions that its operands are present.
Condition emitMerge(mlir::ImplicitLocOpBuilder &b, MergeAttr merge,
                    llvm::ArrayRef<Condition> leaves);

} // namespace nacho

#endif // NACHO_ANALYSIS_MERGELATTICE_H
