//===- BranchOnLookups.h - Branches around what lookups need --------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_BRANCHONLOOKUPS_H
#define NACHO_LIB_OPTIMIZATIONS_BRANCHONLOOKUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {

/// Makes two loops of one that chooses between kinds of tables in each step.
void unswitchLoops(mlir::func::FuncOp func);
/// Moves a branch that needs what a lookup finds into that of the lookup.
void nestBranches(mlir::func::FuncOp func);
/// Puts a branch around what a step does for a coordinate below its extent.
void guardSteps(mlir::func::FuncOp func);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_BRANCHONLOOKUPS_H
