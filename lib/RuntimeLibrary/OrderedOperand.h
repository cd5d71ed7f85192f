//===- OrderedOperand.h - Operands with coordinates in any order ----------===//

#ifndef NACHO_LIB_RUNTIMELIBRARY_ORDEREDOPERAND_H
#define NACHO_LIB_RUNTIMELIBRARY_ORDEREDOPERAND_H

#include "nacho/Execution/Layout.h"

#include <memory>

namespace nacho {

/// The arrays of an operand whose entries were sorted.
class OrderedOperand {
public:
  /// Null if the entries are in the order of their coordinates already, and
  /// none is stored twice; else the arguments become those of copies for which
  /// that holds, and which are released with this object. Of entries with the
  /// same coordinates, the first one remains.
  static std::unique_ptr<OrderedOperand>
  sort(const TensorLayout &layout, Argument *arguments, int64_t threads);

private:
  std::vector<std::vector<char>> arrays;
};

} // namespace nacho

#endif // NACHO_LIB_RUNTIMELIBRARY_ORDEREDOPERAND_H
