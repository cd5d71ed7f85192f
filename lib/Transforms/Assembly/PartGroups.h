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

#include "Emit.h"
#include "nacho/IR/Arith.h"

namespace nacho {

constexpr int64_t kGroupBits = 5;
constexpr int64_t kGroup = int64_t(1) << kGroupBits;

/// The bits of the largest groups among so many parts.
Number emitMostBits(mlir::ImplicitLocOpBuilder &b, mlir::Value parts);

/// The number of groups of 2^bits parts; the last one may have fewer.
Number emitNumGroups(mlir::ImplicitLocOpBuilder &b, mlir::Value parts,
                     mlir::Value bits);

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

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTGROUPS_H
