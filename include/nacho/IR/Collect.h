//===- Collect.h - Properties of the ways of collecting entries -----------===//

#ifndef NACHO_IR_COLLECT_H
#define NACHO_IR_COLLECT_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// The properties of one way of collecting entries, `#nacho.collect`.
struct CollectTraits {
  /// The entries go to a list, in which each entry has its own coordinate at
  /// every level. They are not reduced on the way.
  bool makesList;
  /// The values are costs, each of which is replaced by the sum of all values
  /// up to it.
  bool scansCosts;
  /// The entries are sorted once all of them have been appended.
  bool sortsEntries;
  /// Every entry is complete when it is appended, and may come before entries
  /// that precede it in the result.
  bool rearrangesEntries;
  /// Each part adds up entries in a workspace before it appends the sums.
  bool usesWorkspaces;
  /// Rows are appended that no cut divides.
  bool leavesRowsWhole;

  /// Whether each entry goes where it belongs in the result at once.
  bool appendsInOrder() const { return !rearrangesEntries && !usesWorkspaces; }
  /// Whether each part lists sums of its own, under its number.
  bool listsPartSums() const { return makesList && usesWorkspaces; }
  /// Whether the pieces are listed into which heavy rows are cut.
  bool listsPieces() const { return scansCosts && sortsEntries; }
};

const CollectTraits &traitsOf(CollectKind kind);

/// The properties of how the nest or the assignment `op` collects entries.
template <typename Op>
const CollectTraits &collectTraitsOf(Op op) {
  return traitsOf(op.getCollect());
}

} // namespace nacho

#endif // NACHO_IR_COLLECT_H
