//===- ResultLayout.h - How a nest fills its result -----------------------===//
//
// A result is stored in up to three pieces: levels that are appended to, the
// *structure*; under each of their positions a block of dense levels; and,
// while sums are not complete, partial entries by part. A dense result is one
// block, a scalar a block without levels.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_RESULTLAYOUT_H
#define NACHO_LIB_TRANSFORMS_RESULTLAYOUT_H

#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/Level.h"
#include "nacho/Levels/ResultLevel.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {

struct ResultLayout {
  mlir::RankedTensorType type;
  NestOp nest;
  llvm::SmallVector<CoiterateOp> loops;
  unsigned depth;     ///< Of the loops that are cut.
  unsigned numOuter;  ///< Of the loops over coordinates of the result.
  unsigned structure; ///< Levels up to the last one that is not dense.

  /// The levels that are filled from the loops inside of them: those of the
  /// structure, but for the last one if every iteration appends an entry.
  llvm::SmallVector<std::unique_ptr<ResultLevel>> levels;
  /// The loop over each level.
  llvm::SmallVector<CoiterateOp> loopOfLevel;
  /// What is appended at each level is a part of the key that its loop is at;
  /// null if it is the loop's coordinate.
  llvm::SmallVector<UnflattenOp> partOfLevel;
  /// Levels that the innermost loops iterate, inside of the reduction.
  llvm::SmallVector<unsigned> inner;
  std::optional<BinaryKind> reduction;
  /// The level of which entries are collected in a workspace.
  std::optional<unsigned> scattered;
  /// Parts append without having counted: to a draft, where each has room for
  /// as many entries as it costs.
  bool isDraft = false;
  /// What is found by its coordinate, each in a table of its own.
  llvm::SmallVector<FindOp> finds;

  static mlir::FailureOr<ResultLayout> get(NestOp nest);

  /// What is reduced to make up an entry.
  llvm::SmallVector<mlir::Type> sums;
  /// Every iteration of the innermost loop appends an entry.
  bool isDirect() const { return levels.size() < structure; }
  bool hasCounts() const { return structure > 0; }
  /// All levels are appended from the keys of one loop.
  bool isFlat() const;
  /// All that could be counted are the entries, and that would take about as
  /// long as to append them.
  bool shouldDraft() const;
  /// Values are sums of what was appended so far: in a draft, by the part.
  bool sumsDraft() const {
    return isDraft && NestOp(nest).getCollect() == CollectKind::scannedList;
  }
  /// A part may end before an entry is complete.
  bool canSplit() const { return reduction && depth > numOuter; }
  /// Parts have rows for entries that are not complete: the one that the part
  /// completes first, and the one that it is at.
  bool hasPartials() const {
    return reduction && (canSplit() || !inner.empty());
  }
  /// The block may have entries that no part writes.
  bool needsFill() const;

  /// The first of the full levels that end in this one.
  unsigned firstFull(unsigned level) const;
  /// The level of the structure is not full, but the one after it is.
  bool hasFullFibers(unsigned level) const;

  /// The columns of a row of counts: those of the levels, and the entries.
  llvm::SmallVector<llvm::StringRef> columnNames() const;
  int64_t numColumns() const { return columnNames().size(); }
  /// The columns of a level in a row.
  mlir::ValueRange columnsOf(unsigned level, mlir::ValueRange row) const;
  /// The number of positions of a level, and of those that share them, in a row
  /// of the scan.
  mlir::Value positionsOf(mlir::ImplicitLocOpBuilder &b, unsigned level,
                          mlir::ValueRange row) const;

  /// The coordinate of a cut in the loop of a level; 0 inside of those that are
  /// cut.
  mlir::Value coordinateOfCut(mlir::ImplicitLocOpBuilder &b, mlir::Value cut,
                              unsigned level) const;

  // The following emit code for a function with another set of operands.
  mlir::Value extent(mlir::ImplicitLocOpBuilder &b, unsigned level,
                     const mlir::IRMapping &mapping) const;
  /// The position of a coordinate of full levels, of which `at` gives those up
  /// to `level`, under a parent that has a position if they are not the first.
  mlir::Value numberOf(mlir::ImplicitLocOpBuilder &b, unsigned level,
                       mlir::Value parent,
                       llvm::function_ref<mlir::Value(unsigned)> at,
                       const mlir::IRMapping &mapping) const;
  /// The same of a cut, and of full levels that are the first.
  mlir::Value numberOfCut(mlir::ImplicitLocOpBuilder &b, mlir::Value cut,
                          unsigned level, const mlir::IRMapping &mapping) const;
  /// The number of entries in a row of partial entries.
  mlir::Value rowSize(mlir::ImplicitLocOpBuilder &b,
                      const mlir::IRMapping &mapping) const;
  /// Where in the values an entry is, given the position of the structure's
  /// last level and the coordinates by level.
  mlir::Value location(mlir::ImplicitLocOpBuilder &b, mlir::Value position,
                       llvm::ArrayRef<mlir::Value> coordinates,
                       const mlir::IRMapping &mapping) const;
  /// Runs the body for every entry of a row of partial entries, with its number
  /// and its coordinates: the given ones, and those of the inner levels.
  void forRow(mlir::ImplicitLocOpBuilder &b,
              llvm::ArrayRef<mlir::Value> coordinates,
              const mlir::IRMapping &mapping,
              llvm::function_ref<void(mlir::Value, llvm::ArrayRef<mlir::Value>)>
                  body) const;
  /// What the sums are before anything is reduced.
  llvm::SmallVector<mlir::Value>
  identities(mlir::ImplicitLocOpBuilder &b) const;
  /// The entry to which `count` elements were reduced; those that are not
  /// stored count as 0.
  mlir::Value finish(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange reduced,
                     mlir::Value count, const mlir::IRMapping &mapping) const;
};

/// The number of coordinates of a loop, anywhere in a function.
mlir::Value emitExtent(mlir::ImplicitLocOpBuilder &b, CoiterateOp loop,
                       const mlir::IRMapping &mapping);

/// The buffers of a result.
struct ResultArrays {
  TensorArrays arrays;
  mlir::Value values;
  /// Views of the arrays by level; null where a level has none.
  llvm::SmallVector<mlir::Value> positions, coordinates;

  /// Makes the views, if there are buffers.
  void makeViews(mlir::ImplicitLocOpBuilder &b, unsigned rank);
};

/// The arguments of one of the functions, by name.
struct PhaseArguments : ResultArrays {
  mlir::Value bounds, within, counts, offsets, sizes, status, threads;
  /// Of a draft: where its entries go, by part; and the draft.
  mlir::Value moved;
  ResultArrays draft;
  /// Two rows per part, by sum; and how many elements were reduced to them.
  llvm::SmallVector<mlir::Value> partials;
  mlir::Value visited;
  /// The workspaces by slot: coordinates, marks, elements; of the plan, without
  /// elements.
  mlir::Value keys, marks, sums;
  /// The same for what is found, where elements are positions.
  struct Table {
    mlir::Value keys, marks, positions;
  };
  llvm::SmallVector<Table> tables;
};

/// A cut from a row of the bounds, by name.
mlir::Value loadCut(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                    mlir::Type cut, mlir::Value bounds, mlir::Value row);

/// One part's share of as many as there are.
struct Share {
  mlir::Value from, to;
};
Share shareOf(mlir::ImplicitLocOpBuilder &b, mlir::Value part,
              mlir::Value parts, mlir::Value size);

/// for n = 0 to count: body(n)
void emitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to,
             llvm::function_ref<void(mlir::Value)> body);

/// if condition: body()
void emitIf(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
            llvm::function_ref<void()> body);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_RESULTLAYOUT_H
