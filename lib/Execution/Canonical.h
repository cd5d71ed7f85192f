//===- Canonical.h - Is a result sorted, without duplicates? ----*- C++ -*-===//

#ifndef NACHO_LIB_EXECUTION_CANONICAL_H
#define NACHO_LIB_EXECUTION_CANONICAL_H

#include "nacho/Execution/Device.h"

#include <vector>

namespace nacho {

/// Whether all entries of a result are inside its extents, in order, and
/// distinct. `arrays` are those of its levels, one level after the other.
bool isCanonical(const TensorLayout &layout, const std::vector<Buffer> &arrays,
                 const int64_t *extents, int64_t threads);

} // namespace nacho

#endif // NACHO_LIB_EXECUTION_CANONICAL_H
