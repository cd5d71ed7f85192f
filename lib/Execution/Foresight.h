//===- Foresight.h - What samples of a merge tell -------------------------===//

#ifndef NACHO_LIB_FORESIGHT_H
#define NACHO_LIB_FORESIGHT_H

#include "nacho/Execution/Step.h"

namespace nacho {

/// Whether NACHO_BRANCHES=always asks for branches in every union.
bool alwaysBranches();

/// Whether the innermost loop of a step is a union for which a branch predictor
/// mostly foresees which operand comes next. Samples are taken from the
/// beginning of some parts.
bool canForesee(const Step &step, const std::vector<Argument> &args,
                const Numbers<int64_t> &bounds, int64_t parts);

/// Whether the innermost loop of a step, if it is an intersection, has few
/// matches, by the same samples. True for other loops, and for all loops with
/// NACHO_DRAFTS=always.
bool hasFewMatches(const Step &step, const std::vector<Argument> &args,
                   const Numbers<int64_t> &bounds, int64_t parts);

} // namespace nacho

#endif // NACHO_LIB_FORESIGHT_H
