//===- LoopFacts.h - What a coiteration visits, and what it is for --------===//

#ifndef NACHO_ANALYSIS_LOOPFACTS_H
#define NACHO_ANALYSIS_LOOPFACTS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The coordinates that a loop can visit, operands with full levels left out.
MergeAttr iterationDomain(CoiterateOp loop);
/// Whether it visits every coordinate.
bool visitsAll(CoiterateOp loop);

/// Whether all that it does, wherever its merge expression holds, is to add one
/// to some of what it carries.
bool onlyCounts(CoiterateOp loop);

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPFACTS_H
