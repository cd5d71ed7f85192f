//===- LoopFacts.h - Which coordinates a coiteration visits ---------------===//

#ifndef NACHO_ANALYSIS_LOOPFACTS_H
#define NACHO_ANALYSIS_LOOPFACTS_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The coordinates that a loop can visit, as a merge expression without the
/// operands that have full levels.
MergeAttr iterationDomain(CoiterateOp loop);
/// Whether a loop visits every coordinate up to its extent.
bool visitsAll(CoiterateOp loop);

} // namespace nacho

#endif // NACHO_ANALYSIS_LOOPFACTS_H
