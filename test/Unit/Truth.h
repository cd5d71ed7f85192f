//===- Truth.h - Where a merge expression holds -----------------*- C++ -*-===//

#ifndef NACHO_TEST_TRUTH_H
#define NACHO_TEST_TRUTH_H

#include "nacho/IR/Nacho.h"

namespace nacho::unit {

/// Whether a set, one bit for each operand, has an operand.
inline bool isIn(unsigned operand, unsigned set) { return set >> operand & 1; }

/// Whether an expression holds at a coordinate that the operands of a set have.
inline bool holdsAt(MergeAttr merge, unsigned set) {
  if (merge.isLeaf())
    return isIn(merge.getOperand(), set);
  bool isUnion = merge.getKind() == MergeKind::unite;
  for (MergeAttr child : merge.children())
    if (holdsAt(child, set) == isUnion)
      return isUnion;
  return !isUnion;
}

} // namespace nacho::unit

#endif // NACHO_TEST_TRUTH_H
