//===- NestAssembler.h - The functions that replace a nest ----------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H

#include "PhaseFunctions.h"

namespace nacho {

/// Builds all functions of a nest.
void assembleNest(PhaseFunctions &function);

/// Builds the function that cuts the nest into parts, which callers may call
/// and, if there are tiles, two more: one that finds the cuts with which tiles
/// begin, and one that finds those inside of tiles.
void buildPartition(PhaseFunctions &function);

/// Emits the calls that cut the nest into `parts` parts.
void callPartition(PhaseFunctions &function, mlir::Value parts);

/// Emits a parallel loop that sets the status if the positions that operands
/// store are not those of valid tensors, and leaves the builder behind it.
/// Returns its worker, or null if operands store no positions.
mlir::Value emitPositionChecks(PhaseFunctions &function);

/// Whether callers may run the functions that `execute` calls one by one, and
/// single parts: parts know where their entries go, and nothing is left to do
/// with the entries of all parts but to combine partials, to sort those of a
/// list, or to add up its costs.
bool runsOneByOne(const ResultLayout &layout);

/// Builds the function that gives all elements of blocks the value that they
/// have where nothing is appended.
void buildFill(PhaseFunctions &function);

/// Builds the function that empties the rows of sums of all parts, if each part
/// has one for the whole result.
void buildClear(PhaseFunctions &function, const Parameters &parameters);

/// Builds the function that adds up the partials of entries to which several
/// parts contribute.
void buildCombine(PhaseFunctions &function, const Parameters &parameters);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H
