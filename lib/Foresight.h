//===- Foresight.h - Whether a branch predictor would do well -------------===//

#ifndef NACHO_LIB_FORESIGHT_H
#define NACHO_LIB_FORESIGHT_H

#include "nacho/Kernel.h"

namespace nacho {

/// NACHO_BRANCHES=always asks for branches wherever there can be any.
bool alwaysBranches();

/// Whether it can mostly be foreseen which of two operands comes next in the
/// innermost loop of a step: by trying it, from the beginning of some parts.
bool canForesee(const Step &step, const std::vector<Argument> &args,
                const std::vector<int64_t> &bounds, int64_t parts);

} // namespace nacho

#endif // NACHO_LIB_FORESIGHT_H
