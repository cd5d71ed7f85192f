//===- PartGroups.h - Neighbouring parts in groups --------------*- C++ -*-===//
//
// Groups of parts whose sums are added up together. A group has 2^bits parts,
// where `bits` is a multiple of kGroupBits, and begins at a multiple of that; a
// group of 2^0 parts is a part. A larger group consists of kGroup smaller ones.
// The order in which parts are added up depends on this, and so do the results,
// on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTGROUPS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTGROUPS_H

#include "PhaseFunctions.h"
#include "nacho/IR/Arith.h"

namespace nacho {

constexpr int64_t kGroupBits = 5;
constexpr int64_t kGroup = int64_t(1) << kGroupBits;

/// The bits of the largest groups among so many parts.
Number emitMostBits(mlir::ImplicitLocOpBuilder &b, mlir::Value parts);

/// The number of groups of 2^bits parts; the last one may have fewer.
Number emitNumGroups(mlir::ImplicitLocOpBuilder &b, mlir::Value parts,
                     mlir::Value bits);

/// Returns the first part from which on all parts up to `part` begin in the
/// same entry as this; one of these parts unless it is needed. `isBefore` tells
/// whether another one begins before the entry.
mlir::Value emitFirstPart(mlir::ImplicitLocOpBuilder &b, mlir::Value part,
                          mlir::Value isNeeded,
                          llvm::function_ref<Number(Number other)> isBefore);

/// for group in the largest groups that the parts first .. end consist of, in
/// order:
///   state = the group added to state
///
/// No group has more than 2^most parts. `add` emits a loop over groups of the
/// same size, from .. to, and returns the state behind them.
Values emitLargestGroups(
    mlir::ImplicitLocOpBuilder &b, mlir::Value first, mlir::Value end,
    mlir::Value most, mlir::ValueRange state,
    llvm::function_ref<Values(mlir::Value from, mlir::Value to,
                              mlir::Value bits, mlir::ValueRange state)>
        add);

/// The workers that combine groups of parts, and then the rest.
struct GroupWorkers {
  /// Emits the number of workers for the groups of 2^bits parts.
  llvm::function_ref<Number(Number bits)> count;
  /// Emits what such a worker does to make one of several groups of 2^bits.
  llvm::function_ref<void(Number worker, mlir::Value bits)> combine;
  /// What each of `numRest` workers does when all groups are there.
  llvm::function_ref<void(Number worker)> combineRest;
  mlir::Value numRest;
};

/// Emits, as the last op of a function, loops over groups of up to 2^most
/// parts, smaller ones first, and then over the rest.
void emitByGroups(PhaseFunctions &function, mlir::Value most,
                  const GroupWorkers &workers);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTGROUPS_H
