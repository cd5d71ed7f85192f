//===- Canonical.h - Checks that a tensor is sorted -----------------------===//

#ifndef NACHO_EXECUTION_CANONICAL_H
#define NACHO_EXECUTION_CANONICAL_H

#include "nacho/Execution/Layout.h"

#include <optional>
#include <vector>

namespace nacho {

/// An array of a level, whose elements may be narrower than its layout says.
struct StoredArray {
  ElementType type;
  int64_t size;
  const void *data;
};

/// The number of the array of positions among those of a level; none if each
/// parent has one child, with the same position.
std::optional<size_t> positionsOf(const TensorLayout::Level &level);

/// Whether all entries of a tensor are inside its extents, in order, and
/// distinct, and no entry of an outer level is without any. `arrays` are those
/// of its levels, one level after the other.
bool isCanonical(const TensorLayout &layout,
                 const std::vector<StoredArray> &arrays, const int64_t *extents,
                 int64_t threads);

} // namespace nacho

#endif // NACHO_EXECUTION_CANONICAL_H
