//===- CoordinateChecks.h - Checks of coordinates against extents ---------===//
//
// The arrays of operands may be edited after they were checked. Therefore a
// coordinate that indexes memory, or is a number of the statement, is compared
// with its extent. A coordinate outside of its extent sets a bit of the status.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_COORDINATECHECKS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_COORDINATECHECKS_H

#include "Entries.h"

namespace nacho {

/// Whether the coordinates of loop `m` of the chain have to be compared with
/// their extents.
bool mustCheck(const Part &part, const Entries &entries, unsigned m);

/// Whether the current coordinate of `loop`, the part's copy of loop `m` of the
/// chain, is outside of its extent.
mlir::Value emitIsOutside(const Part &part, unsigned m, CoiterateOp loop);

/// Sets the bit of the status if `isOutside` holds.
void emitReport(const Part &part, mlir::Value isOutside);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_COORDINATECHECKS_H
