//===- ResultLayout.h - The layout of the result of a nest ----------------===//
//
// The *structure* of a result is made of the levels up to the last level that
// is not dense; parts append to it. Each position of the last of these levels
// has a *block*: an array with an element for every combination of coordinates
// of the dense levels below. A dense result is one block, and so is a scalar,
// which has no levels.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTLAYOUT_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTLAYOUT_H

#include "Reduction.h"
#include "nacho/IR/Collect.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/Level.h"
#include "nacho/Levels/ResultLevel.h"

namespace nacho {

class Collector;
class Filling;

struct ResultLayout {
  mlir::RankedTensorType type;
  NestOp nest;
  llvm::SmallVector<CoiterateOp> loops; ///< The chain, outermost first.
  unsigned numCut;        ///< The number of outer loops that are cut.
  unsigned numOuter;      ///< The number of loops that are not inside of the
                          ///< reduction or the row of a workspace.
  unsigned numStructural; ///< The number of levels of the structure.

  /// The levels to which the part appends a coordinate after the loops inside
  /// of it have run: those of the structure, but without the last one if it is
  /// filled entry by entry.
  llvm::SmallVector<std::unique_ptr<ResultLevel>> levels;
  /// The loop that gives the coordinate appended at each level: its own
  /// coordinate, or a field of its key. Null if the level stores other numbers.
  llvm::SmallVector<CoiterateOp> loopOfLevel;
  /// The field of the loop's key that is appended at each level. Null if the
  /// loop's coordinate is appended.
  llvm::SmallVector<UnflattenOp> fieldOfLevel;
  /// The op that computes the coordinate appended at each level from those of
  /// loops. Null if it is not computed.
  llvm::SmallVector<DeriveOp> derivedOfLevel;
  /// The levels of the block whose loops run inside of the reduction. If there
  /// are any, a row of sums is reduced: one sum for every combination of the
  /// coordinates of these levels.
  llvm::SmallVector<unsigned> innerLevels;
  /// The reduction of the values that the loops inside of the outer loops
  /// append; none if these are not reduced.
  std::optional<Reduction> reduction;
  /// The level of which a workspace holds one row, if there is a workspace.
  std::optional<unsigned> workspaceLevel;
  /// Whether the workspace has keys, and so may have fewer places than the row
  /// has coordinates.
  bool workspaceHasKeys = false;
  /// The lookups of coordinates. Each has a table of its own.
  llvm::SmallVector<FindOp> finds;
  /// The columns that a row of counts has for the way of collecting.
  llvm::SmallVector<llvm::StringRef> columnsToCollect;
  /// Collects the entries of the nest (Collector.h).
  std::shared_ptr<const Collector> collector;
  /// Knows where the entries of each part begin (Filling.h).
  std::shared_ptr<const Filling> filling;

  /// Whether the structure's last level is filled entry by entry: by each
  /// append or, in a reduction, when the part has reduced all elements of an
  /// entry.
  bool makesEntries() const { return levels.size() < numStructural; }
  /// Whether parts count the entries or coordinates that they append.
  bool hasCounts() const { return numStructural > 0; }
  /// Whether the fields of one list's keys are appended, in order.
  bool appendsKeys() const;
  /// Whether a part may end before an entry is complete.
  bool canSplit() const { return reduction && numCut > numOuter; }
  /// Whether a part needs memory for entries that are not complete.
  bool hasPartials() const {
    return reduction && (canSplit() || !innerLevels.empty());
  }
  /// Whether sums of several parts are added up to entries of the result, at
  /// coordinates that follow no order.
  bool hasFixedParts() const {
    bool hasRows = hasPartials() && scatters() && !hasCounts();
    return hasRows || collectTraitsOf(NestOp(nest)).listsPartSums();
  }
  /// The rows of partials that each part has. Without outer loops, all parts
  /// add to the same entries, and none of them completes what another has
  /// begun.
  unsigned numPartialRows() const { return numOuter == 0 ? 1 : 2; }
  /// Whether each part adds to a row of sums for the whole result.
  bool addsToAll() const { return numOuter == 0 && !innerLevels.empty(); }
  /// Whether the row of the only part is the result.
  bool sumsAreResult() const;
  /// Whether values are scattered over rows of sums, so that a part may take
  /// less time for its values than for its rows.
  bool scatters() const;
  /// Whether blocks may have elements that no part writes.
  bool needsFill() const;

  /// Whether some coordinates stay whole, whatever they cost, so that parts may
  /// differ in cost.
  bool hasUnequalParts() const;

  /// The outermost level of the run of full levels that ends with the given
  /// level, which is full.
  unsigned firstFull(unsigned level) const;
  /// The outermost level that has the same positions as `level`.
  unsigned firstSharing(unsigned level) const;
  /// Whether a level of the structure is not full, but the next one is.
  bool hasFullFibers(unsigned level) const;

  /// The names of the columns of a row of counts: those of each level, those of
  /// the way of collecting, and the number of entries.
  llvm::SmallVector<llvm::StringRef> columnNames() const;
  int64_t numColumns() const { return columnNames().size(); }
  /// The columns of a level in a row of counts.
  mlir::ValueRange columnsOf(unsigned level, mlir::ValueRange row) const;
  /// The number of positions of a level, from a row of the scanned counts.
  mlir::Value positionsOf(mlir::ImplicitLocOpBuilder &b, unsigned level,
                          mlir::ValueRange row) const;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTLAYOUT_H
