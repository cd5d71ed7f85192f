//===- CoordinateChecks.h - Coordinates must be inside of their extents ---===//
//
// A coordinate that indexes memory is compared with its extent, whatever has
// happened to the arrays of the operands since they were checked. One that is
// outside is reported by the status.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_COORDINATECHECKS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_COORDINATECHECKS_H

#include "Entries.h"

namespace nacho {

/// Whether the coordinates of loop `m` of the chain have to be compared.
bool mustCheck(const Part &part, const Entries &entries, unsigned m);

/// Whether the coordinate that loop `m` of the chain is at, repeated as `loop`,
/// is outside of the extent.
mlir::Value emitIsOutside(const Part &part, unsigned m, CoiterateOp loop);

/// Reports a coordinate that is outside.
void emitReport(const Part &part, mlir::Value isOutside);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_COORDINATECHECKS_H
