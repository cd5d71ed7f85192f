//===- ResultLayout.h - How a nest fills its result -----------------------===//
//
// A result is stored in up to three pieces. The *structure* is made of the
// levels up to the last one that is not dense; parts append to it. Under each
// position of its last level there is a *block*: an array that has a place for
// every coordinate of the dense levels that are left. A dense result is one
// block, and so is a scalar, which has no levels. And while sums are not
// complete, there are partial entries (PartialEntries.h).
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTLAYOUT_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTLAYOUT_H

#include "Reduction.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/Level.h"
#include "nacho/Levels/ResultLevel.h"

namespace nacho {

class Collector;
class Filling;

struct ResultLayout {
  ResultLayout();
  ResultLayout(ResultLayout &&);
  ~ResultLayout();

  /// The layout of a nest's result. With `drafts`, parts append to a draft
  /// where that saves time (Filling.h).
  static mlir::FailureOr<ResultLayout> get(NestOp nest, bool drafts);

  mlir::RankedTensorType type;
  NestOp nest;
  llvm::SmallVector<CoiterateOp> loops; ///< The chain, outermost first.
  unsigned numCut;        ///< The number of outer loops that are cut.
  unsigned numOuter;      ///< The number of loops outside of all reductions.
  unsigned numStructural; ///< The number of levels of the structure.

  /// The levels that are filled from the loops inside of them: those of the
  /// structure, but for the last one if every append makes an entry.
  llvm::SmallVector<std::unique_ptr<ResultLevel>> levels;
  /// By level, the loop whose coordinate, or a field of whose key, is appended
  /// there. Null at a level at which something else is appended.
  llvm::SmallVector<CoiterateOp> loopOfLevel;
  /// By level, the field of the loop's key that is appended there. Null if it
  /// is the loop's coordinate that is appended.
  llvm::SmallVector<UnflattenOp> fieldOfLevel;
  /// The levels of the block whose loops run inside of the reduction. Where
  /// there are any, a sum is a row of sums: one for every combination of their
  /// coordinates.
  llvm::SmallVector<unsigned> innerLevels;
  /// What the entries of the loops inside of the outer ones are reduced by, if
  /// they are.
  std::optional<Reduction> reduction;
  /// The level of which a workspace holds one row, if there is a workspace.
  std::optional<unsigned> workspaceLevel;
  /// Lookups of coordinates, each of which has a table of its own.
  llvm::SmallVector<FindOp> finds;
  /// What the nest's way of collecting entries means for its functions.
  std::unique_ptr<Collector> collector;
  /// How parts know where their entries go.
  std::unique_ptr<Filling> filling;

  /// Whether every append makes an entry of the structure's last level.
  bool makesEntries() const { return levels.size() < numStructural; }
  /// Whether the entries that a part appends, or the coordinates, are counted.
  bool hasCounts() const { return numStructural > 0; }
  /// Whether the fields of one list's keys, in order, are what is appended.
  bool appendsKeys() const;
  /// Whether a part may end before an entry is complete.
  bool canSplit() const { return reduction && numCut > numOuter; }
  /// Whether a part needs memory for entries that are not complete.
  bool hasPartials() const {
    return reduction && (canSplit() || !innerLevels.empty());
  }
  /// Whether blocks may have entries that no part writes.
  bool needsFill() const;

  /// The outermost level of the run of full levels that ends with the given
  /// level, which is full.
  unsigned firstFull(unsigned level) const;
  /// The level that has the positions which a level shares with those before
  /// it, or its own.
  unsigned firstSharing(unsigned level) const;
  /// Whether a level of the structure is not full, but the next one is.
  bool hasFullFibers(unsigned level) const;

  /// The names of the columns of a row of counts: those of each level, those of
  /// the collector, and the number of entries.
  llvm::SmallVector<llvm::StringRef> columnNames() const;
  int64_t numColumns() const { return columnNames().size(); }
  /// The columns of a level in a row of counts.
  mlir::ValueRange columnsOf(unsigned level, mlir::ValueRange row) const;
  /// The number of positions of a level, from a row of the scan.
  mlir::Value positionsOf(mlir::ImplicitLocOpBuilder &b, unsigned level,
                          mlir::ValueRange row) const;
};

/// The `nacho.flatten` that makes the keys over which a loop runs; null if none
/// does.
FlattenOp flattenOf(CoiterateOp loop);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTLAYOUT_H
