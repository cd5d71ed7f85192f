//===- Foresight.h - Samples of a merge -----------------------------------===//

#ifndef NACHO_LIB_FORESIGHT_H
#define NACHO_LIB_FORESIGHT_H

#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/Step.h"

namespace nacho {

/// Tries out the innermost loop of a step, which must merge two operands, where
/// some of the parts begin.
Sample sampleMerge(const Step &step, const std::vector<Argument> &args,
                   const Numbers<int64_t> &bounds, int64_t parts);

} // namespace nacho

#endif // NACHO_LIB_FORESIGHT_H
