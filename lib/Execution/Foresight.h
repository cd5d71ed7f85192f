//===- Foresight.h - What samples of a merge tell -------------------------===//

#ifndef NACHO_LIB_FORESIGHT_H
#define NACHO_LIB_FORESIGHT_H

#include "nacho/Execution/Step.h"

namespace nacho {

/// NACHO_BRANCHES=always asks for branches wherever there can be any.
bool alwaysBranches();

/// Whether it can mostly be foreseen which of two operands comes next in the
/// innermost loop of a step: by trying it, from the beginning of some parts.
bool canForesee(const Step &step, const std::vector<Argument> &args,
                const Numbers<int64_t> &bounds, int64_t parts);

/// Whether an intersection in the innermost loop seems to leave little over, by
/// the same samples. NACHO_DRAFTS=always says that it does.
bool hasFewMatches(const Step &step, const std::vector<Argument> &args,
                   const Numbers<int64_t> &bounds, int64_t parts);

} // namespace nacho

#endif // NACHO_LIB_FORESIGHT_H
