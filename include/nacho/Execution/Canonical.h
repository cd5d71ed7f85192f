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

/// Index arrays of more elements are known by whoever has checked them.
constexpr int64_t kMostChecked = 1 << 12;

/// Whether arrays that nobody has checked are as long as they have to be, and
/// have sorted and distinct entries. `args` are those of one operand. False,
/// without a look at them, if they have more than kMostChecked elements.
bool isSmallTensor(const TensorLayout &layout, const Argument *args);

/// Whether each array of positions of all operands begins at 0, never falls,
/// and ends with the last entry of its level. The positions of words follow
/// from their bits: these are for the caller to check, and found invalid here.
bool arePositionsValid(const std::vector<TensorLayout> &operands,
                       const Argument *args);

} // namespace nacho

#endif // NACHO_EXECUTION_CANONICAL_H
