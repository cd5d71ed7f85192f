//===- ResultLevel.h - Code that fills a level of a result ----------------===//
//
// The counterpart of Level.h for results: how many positions of a level a part
// appends is counted first, and then they are appended.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_RESULTLEVEL_H
#define NACHO_LEVELS_RESULTLEVEL_H

#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace nacho {

/// What a level of a result needs to know about the place where it stands: its
/// buffers, the part's cuts, and where the part's entries begin and end.
struct AppendContext {
  mlir::Value part; ///< The number of the part.
  /// The coordinates of the part's cuts in the loop of the level. For a full
  /// level, their positions.
  mlir::Value lower, upper;
  llvm::SmallVector<mlir::Value> first; ///< Scanned counts before the part.
  llvm::SmallVector<mlir::Value> last;  ///< Scanned counts after the part.
  mlir::Value positions; ///< Positions of the *next* level; may be null.
  /// The coordinates of the levels that share the positions of this one, which
  /// comes last.
  llvm::SmallVector<mlir::Value> coordinates;
};

/// A coordinate of a level of a result for which the inner loops have run.
struct AppendedCoordinate {
  /// The coordinates to store in the buffers of the context.
  llvm::SmallVector<mlir::Value> coordinates;
  mlir::Value number;       ///< For a full level: the position.
  mlir::Value any;          ///< Whether the part has entries there.
  mlir::Value finished;     ///< Whether the part completes the coordinate.
  mlir::Value before, next; ///< Positions of the next level, before and after.
};

/// A level of a result, filled by appending. A part may begin and end inside
/// a fiber. The part that finishes a fiber's loop appends the fiber, and
/// whether the fiber has entries at all may depend on earlier parts. Counts
/// therefore form a monoid, to which every kind of level contributes columns.
///
/// In the loops, each level carries values (`init*`), gets to see each
/// coordinate after its inner loops (`leave*`), and is told the end of what
/// the part does (`finish*`). The functions of this class do nothing: they are
/// those of a level that is filled together with the next one.
class ResultLevel {
public:
  using Values = llvm::SmallVectorImpl<mlir::Value>;

  /// A level of a result type that is filled from the loops inside of it.
  static std::unique_ptr<ResultLevel> get(mlir::RankedTensorType type,
                                          unsigned level);

  virtual ~ResultLevel() = default;

  /// The names of the level's columns in the counts.
  virtual llvm::SmallVector<llvm::StringRef> columnNames() const { return {}; }
  unsigned numColumns() const { return columnNames().size(); }
  /// Whether the level has positions of its own, which it counts.
  bool isCounted() const { return numColumns() != 0; }

  /// The number of positions that the parts from the very first one have
  /// finished, from the level's columns of their counts.
  virtual mlir::Value position(mlir::ImplicitLocOpBuilder &b,
                               mlir::ValueRange row) const {
    return {};
  }
  /// Whether these parts end in a position that has entries so far, but that a
  /// later part will finish.
  virtual mlir::Value isOpen(mlir::ImplicitLocOpBuilder &b,
                             mlir::ValueRange row) const {
    return {};
  }
  /// Combines the columns of two neighbouring runs of parts.
  virtual void combine(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange x,
                       mlir::ValueRange y, Values &sum) const {}

  // Counting.
  virtual void initCount(mlir::ImplicitLocOpBuilder &b, Values &carried) const {
  }
  /// After the inner loops at a coordinate: `any` says whether they counted
  /// entries; `onLower` and `onUpper` whether a cut of the part is inside.
  virtual void leaveCount(mlir::ImplicitLocOpBuilder &b, mlir::Value any,
                          mlir::Value onLower, mlir::Value onUpper,
                          llvm::MutableArrayRef<mlir::Value> carried) const {}
  /// The columns of the part, from the values carried out of the loop.
  /// `spans` says whether the cuts differ in the coordinates of this level.
  virtual void columns(mlir::ImplicitLocOpBuilder &b, mlir::Value spans,
                       mlir::ValueRange carried, Values &row) const {}

  // Appending.
  virtual void initAppend(mlir::ImplicitLocOpBuilder &b,
                          const AppendContext &context, Values &carried) const {
  }
  virtual void leaveAppend(mlir::ImplicitLocOpBuilder &b,
                           const AppendContext &context,
                           const AppendedCoordinate &at,
                           llvm::MutableArrayRef<mlir::Value> carried) const {}
  /// After a coordinate of the level above, which has the positions up to `end`
  /// in this one so far. `next` is the number of positions of the next level.
  virtual void leaveFiber(mlir::ImplicitLocOpBuilder &b,
                          const AppendContext &context, mlir::Value end,
                          mlir::Value next,
                          llvm::MutableArrayRef<mlir::Value> carried) const {}
  /// Whether the part appended as many positions as were counted; null if there
  /// is nothing that could differ.
  virtual mlir::Value finishAppend(mlir::ImplicitLocOpBuilder &b,
                                   const AppendContext &context,
                                   mlir::Value next,
                                   mlir::ValueRange carried) const {
    return {};
  }
};

} // namespace nacho

#endif // NACHO_LEVELS_RESULTLEVEL_H
