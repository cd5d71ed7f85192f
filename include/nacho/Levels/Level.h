//===- Level.h - What the compiler knows about a storage level ------------===//
//
// A level is a handful of pure functions over positions and coordinates. One
// file in lib/Levels implements them for one kind; nothing else asks which kind
// a level has. A new kind is a new file and a line in Level.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_LEVEL_H
#define NACHO_LEVELS_LEVEL_H

#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace nacho {

/// A level of an operand. The functions emit code that reads its arrays.
class Level {
public:
  /// The given level of an encoded tensor; null if its kind is not supported.
  static std::unique_ptr<Level> get(mlir::Value tensor, unsigned level);

  virtual ~Level() = default;

  /// Every coordinate is present under every parent that is.
  virtual bool isFull() const = 0;
  /// Every coordinate of a fiber has one position. Else it has a run of
  /// positions, which are the parents of the fiber at the next level.
  virtual bool isUnique() const = 0;

  /// position of parent -> position of its first child. One past the last
  /// parent it gives the end of the level, so that the children of the parents
  /// [p, q) are [begin(p), begin(q)).
  virtual mlir::Value begin(mlir::ImplicitLocOpBuilder &b,
                            mlir::Value parent) const = 0;

  /// position -> coordinate. Not for full levels.
  virtual mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value position) const = 0;

  /// Coordinates are computed from what is stored.
  virtual bool isComputed() const { return false; }

  /// The array of coordinates by position, or if they are computed another one
  /// of that length. Not for full levels.
  virtual mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b) const = 0;

  /// position -> the coordinates there and at the positions after it, as wide
  /// as they are stored; of those lanes that are valid, if not of all. Not for
  /// full levels.
  virtual mlir::Value coordinateVector(mlir::ImplicitLocOpBuilder &b,
                                       mlir::Value position, mlir::Value valid,
                                       unsigned lanes) const;

  /// array[p - begin] = coordinate of p, for p from `begin` to `end`, in as
  /// many lanes as such a register has. What comes after those in the last one
  /// is written over.
  virtual void fill(mlir::ImplicitLocOpBuilder &b, mlir::Value array,
                    mlir::Value begin, mlir::Value end, mlir::Value cursors,
                    unsigned vectorBits) const;
  /// The elements of `cursors`: of a call with the next positions, what is in
  /// there says where to look; at first all are 0.
  virtual unsigned numCursors() const { return 0; }

  /// The last position of which a coordinate can be read, whatever the
  /// children of a fiber are. Not for full levels.
  virtual mlir::Value last(mlir::ImplicitLocOpBuilder &b) const;

  /// coordinate -> first position in [low, high) that does not come before
  /// it, `high` if there is none. `first` is where the fiber begins.
  virtual mlir::Value lowerBound(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value coordinate, mlir::Value first,
                                 mlir::Value low, mlir::Value high) const = 0;

  // Brings nearer where the children of a parent begin, and the first of them.
  virtual void prefetchBegin(mlir::ImplicitLocOpBuilder &b,
                             mlir::Value parent) const {}
  virtual void prefetch(mlir::ImplicitLocOpBuilder &b,
                        mlir::Value position) const {}

  /// The number of coordinates of the dimension that the level stores.
  virtual mlir::Value extent(mlir::ImplicitLocOpBuilder &b) const;

protected:
  Level(mlir::Value tensor, unsigned level) : tensor(tensor), level(level) {}

  mlir::Value tensor;
  unsigned level;
};

/// The bits that keys have at most; keys.py knows, too.
inline constexpr unsigned kMostKeyBits = 62;

// Keys of a list, which `nacho.flatten` gives it: where in them a level's
// coordinates begin, the first key beyond them, and a level's coordinate.
mlir::Value emitKeyShift(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                         unsigned level);
mlir::Value emitKeyExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);
mlir::Value emitCoordinateOfKey(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value tensor, unsigned level,
                                mlir::Value key);

/// The number of positions of level `below` of `tensor` before `position`,
/// which is one of `level`: the begin of the begin of ... the position. Those
/// of the last level are the entries.
mlir::Value positionsBefore(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                            unsigned level, mlir::Value position,
                            unsigned below);

/// The number of coordinates of the dimension that a level of a tensor stores.
mlir::Value levelExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                        unsigned level);

/// The number of coordinates of a loop of a nest.
mlir::Value loopExtent(mlir::ImplicitLocOpBuilder &b, CoiterateOp loop);

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// What a result's level needs to know about the place where it stands: its
/// buffers, the part's cuts, and where the part's entries begin and end.
struct AppendContext {
  mlir::Value part; ///< Number of the part.
  /// Coordinates of its cuts in the level's loop; of full levels, their
  /// numbers.
  mlir::Value lower, upper;
  llvm::SmallVector<mlir::Value> first; ///< Row of the scan: what precedes.
  llvm::SmallVector<mlir::Value> last;  ///< Row of the scan: with the part.
  mlir::Value positions; ///< Positions of the *next* level; may be null.
  /// Coordinates of this level, and of those that share its positions.
  llvm::SmallVector<mlir::Value> coordinates;
};

/// A coordinate of a result's level that the inner loops have been run for.
struct AppendedCoordinate {
  llvm::SmallVector<mlir::Value> coordinates; ///< For the context's buffers.
  mlir::Value number;       ///< Of a full level: its position.
  mlir::Value any;          ///< The part has entries there.
  mlir::Value finished;     ///< The part completes it.
  mlir::Value before, next; ///< Positions of the next level, before and after.
};

/// A level of a result, filled by appending. A part may begin and end inside
/// a fiber: who finishes a fiber's loop appends the fiber, and whether it
/// has entries at all may depend on earlier parts. Counts therefore form a
/// monoid, of which every level kind contributes its columns.
///
/// In the loops, each level carries values (`init*`), gets to see each
/// coordinate after its inner loops (`leave*`), and is told the end of what
/// the part does (`finish*`). The functions below do nothing: the level is
/// stored by the one after it.
class ResultLevel {
public:
  using Values = llvm::SmallVectorImpl<mlir::Value>;

  /// A level of a result type that is filled from the loops inside of it.
  static std::unique_ptr<ResultLevel> get(mlir::RankedTensorType type,
                                          unsigned level);

  virtual ~ResultLevel() = default;

  /// The columns of the counts.
  virtual llvm::SmallVector<llvm::StringRef> columnNames() const { return {}; }
  unsigned numColumns() const { return columnNames().size(); }
  /// Whether the level has positions of its own, which it counts.
  bool isCounted() const { return numColumns() != 0; }

  /// The number of positions finished by a run of parts from the very
  /// beginning, from its columns.
  virtual mlir::Value position(mlir::ImplicitLocOpBuilder &b,
                               mlir::ValueRange row) const {
    return {};
  }
  /// Whether the run of parts ends in a position that is not finished, but will
  /// be.
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

/// The first lanes, as many as there are elements from `start` to `end`.
mlir::Value emitMask(mlir::ImplicitLocOpBuilder &b, mlir::Value start,
                     mlir::Value end, int64_t lanes);

/// Elements of a buffer: of those lanes that are valid, if not of all.
mlir::Value loadVector(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                       mlir::Value at, mlir::Value valid, unsigned lanes);

/// Brings an element of a buffer nearer that may be read soon.
void prefetchElement(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     mlir::Value at);

/// Stores an index into a buffer of positions or coordinates of any width.
void storeIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                mlir::Value buffer, mlir::Value at);

/// Loads from a buffer of positions or coordinates, which are unsigned.
mlir::Value loadIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Value at);

} // namespace nacho

#endif // NACHO_LEVELS_LEVEL_H
