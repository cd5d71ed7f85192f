//===- NestAssembler.h - The functions that replace a nest ----------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H

#include "PhaseFunctions.h"

namespace nacho {

/// Builds all functions of a nest.
void assembleNest(PhaseFunctions &function);

/// Builds the function that cuts the nest into parts.
void buildPartition(PhaseFunctions &function);

/// Builds the function that gives every element of blocks the value that it has
/// where nothing is stored.
void buildFill(PhaseFunctions &function);

/// Builds the function that completes the entries of which no part has all
/// elements.
void buildCombine(PhaseFunctions &function, const Parameters &parameters);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H
