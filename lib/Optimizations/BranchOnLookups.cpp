//===- BranchOnLookups.cpp - Branches around what lookups need ------------===//
//
// Consumes and leaves loops of scf. Their steps look coordinates up in tables,
// and most lookups of a masked product find nothing. So the kind of the table
// is chosen outside of the loop, and all else is done in the branch that found
// an entry, for a coordinate that is in range.
//
//===----------------------------------------------------------------------===//

#include "BranchOnLookups.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOBRANCHONLOOKUPS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
struct BranchOnLookups
    : nacho::impl::NachoBranchOnLookupsBase<BranchOnLookups> {
  void runOnOperation() override {
    // A lookup with its branches for both kinds of table outermost could not
    // be nested in another branch.
    unswitchLoops(getOperation());
    nestBranches(getOperation());
    guardSteps(getOperation());
  }
};
} // namespace
