//===- ResultLevel.h - Code that fills a level of a result ----------------===//
//
// The counterpart of Level.h for results. The assemble phase counts how many
// positions each part appends to a level; the compute phase appends them.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_RESULTLEVEL_H
#define NACHO_LEVELS_RESULTLEVEL_H

#include "nacho/IR/Condition.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace nacho {

/// The values that a level of a result needs in order to append: its buffers,
/// the cuts of the part, and where the entries of the part begin and end.
struct AppendContext {
  mlir::Value part; ///< The number of the part.
  /// The coordinates of the part's cuts in the loop of the level; for a full
  /// level, the positions of these coordinates.
  mlir::Value lower, upper;
  llvm::SmallVector<mlir::Value> first; ///< Scanned counts before the part.
  llvm::SmallVector<mlir::Value> last;  ///< Scanned counts after the part.
  /// The array of positions of the *next* level; null if that level has none.
  mlir::Value positions;
  /// The buffers of the coordinates of all levels that share the positions of
  /// this level. The buffer of this level is the last one.
  llvm::SmallVector<mlir::Value> coordinates;
};

/// A coordinate of a level of a result, after its inner loops have run.
struct AppendedCoordinate {
  /// The coordinates to store in the buffers of the context.
  llvm::SmallVector<mlir::Value> coordinates;
  mlir::Value number;       ///< The position in a full level.
  mlir::Value any;          ///< Whether the part has entries there.
  mlir::Value finished;     ///< Whether no later part visits the coordinate.
  mlir::Value before, next; ///< Positions of the next level, before and after.
  /// Whether the loop of a full level comes to every position in turn.
  bool visitsAll = false;
};

/// A level of a result, filled by appending. A part may begin and end inside
/// a fiber. The part that finishes a fiber's loop appends the fiber, and
/// whether the fiber has entries at all may depend on earlier parts. The counts
/// of neighbouring parts are therefore combined by an associative operation
/// (`combine`) rather than added. A count is a row; each level contributes some
/// of its columns.
///
/// In the loops of a part, each level carries values, which `init*` sets.
/// `leave*` is called for each coordinate after its inner loops, and `finish*`
/// at the end of the part. The functions of this base class do nothing; they
/// serve levels that are filled together with the next level.
class ResultLevel {
public:
  using Values = llvm::SmallVectorImpl<mlir::Value>;

  /// The given level of a result type.
  static std::unique_ptr<ResultLevel> get(mlir::RankedTensorType type,
                                          unsigned level);

  virtual ~ResultLevel() = default;

  /// The names of the level's columns in the counts.
  virtual llvm::SmallVector<llvm::StringRef> columnNames() const { return {}; }
  unsigned numColumns() const { return columnNames().size(); }
  /// Whether the level has positions of its own, which it counts.
  bool isCounted() const { return numColumns() != 0; }

  /// The number of positions that the first parts together have finished; `row`
  /// has the level's columns of the combined count of these parts.
  virtual mlir::Value position(mlir::ImplicitLocOpBuilder &b,
                               mlir::ValueRange row) const {
    return {};
  }
  /// Whether these parts end inside a position that already has entries and
  /// that a later part will finish.
  virtual mlir::Value isOpen(mlir::ImplicitLocOpBuilder &b,
                             mlir::ValueRange row) const {
    return {};
  }
  /// Combines the columns of the parts `x` with those of the parts `y`, which
  /// come directly after them.
  virtual void combine(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange x,
                       mlir::ValueRange y, Values &sum) const {}

  // Counting.
  virtual void initCount(mlir::ImplicitLocOpBuilder &b, Values &carried) const {
  }
  /// Called after the inner loops at a coordinate. `any`: these loops counted
  /// entries. `onLower`, `onUpper`: the lower or upper cut of the part lies
  /// inside this coordinate.
  virtual void leaveCount(mlir::ImplicitLocOpBuilder &b, mlir::Value any,
                          mlir::Value onLower, mlir::Value onUpper,
                          llvm::MutableArrayRef<mlir::Value> carried) const {}
  /// The columns of the part, from the values carried out of the loop.
  /// `spans` says whether the two cuts have different coordinates here.
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
  /// Called after a coordinate of the level above. The fibers so far have the
  /// positions of this level up to `end`, and the next level has `next`
  /// positions so far.
  virtual void leaveFiber(mlir::ImplicitLocOpBuilder &b,
                          const AppendContext &context, mlir::Value end,
                          mlir::Value next,
                          llvm::MutableArrayRef<mlir::Value> carried) const {}
  /// Whether the part appended as many positions as it had counted; always, if
  /// the level counts nothing.
  virtual Condition finishAppend(mlir::ImplicitLocOpBuilder &b,
                                 const AppendContext &context, mlir::Value next,
                                 mlir::ValueRange carried) const {
    return kAlways;
  }
};

} // namespace nacho

#endif // NACHO_LEVELS_RESULTLEVEL_H
