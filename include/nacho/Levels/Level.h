//===- Level.h - Code that reads a level of an operand --------------------===//
//
// A level is a handful of pure functions over positions and coordinates. Each
// kind of level (dense, compressed, ...) is implemented by one file in
// lib/Levels, and no other code asks of which kind a level is. To add a kind,
// add a file to that folder and a line to Kinds.def.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_LEVEL_H
#define NACHO_LEVELS_LEVEL_H

#include "nacho/IR/Condition.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace nacho {

class ComputedCoordinates;

/// A level of an operand. The functions emit code that reads its arrays.
class Level {
public:
  /// The given level of an encoded tensor; null if its kind is not supported.
  static std::unique_ptr<Level> get(mlir::Value tensor, unsigned level);
  /// A level of the result of `nacho.slice`.
  static std::unique_ptr<Level> getOfSlice(SliceOp slice, unsigned level);
  /// The same level, whose coordinates are divided by 2^shift.
  static std::unique_ptr<Level> getPieces(mlir::Value tensor, unsigned level,
                                          mlir::Value shift);

  virtual ~Level() = default;

  /// Whether every present parent has a child at every coordinate.
  virtual bool isFull() const = 0;
  /// Says that the functions below are asked only about children of `parent`.
  /// Levels that search for what belongs to a position then need not look
  /// elsewhere.
  virtual void enterFiber(mlir::Value parent) {}

  /// Whether each coordinate of a fiber has just one position. Otherwise a
  /// coordinate has a run of positions, and all positions of the run together
  /// are the parents of one fiber of the next level.
  virtual bool isUnique() const = 0;

  /// Maps the position of a parent to the position of its first child, and the
  /// position after the last parent to the end of this level. The children of
  /// the parents [p, q) therefore lie in [begin(p), begin(q)). What else lies
  /// there belongs to no fiber.
  virtual mlir::Value begin(mlir::ImplicitLocOpBuilder &b,
                            mlir::Value parent) const = 0;

  /// The end of the children of the parents [p, after), which begin at `begin`.
  virtual mlir::Value end(mlir::ImplicitLocOpBuilder &b, mlir::Value begin,
                          mlir::Value after) const {
    return this->begin(b, after);
  }

  /// Whether the children of neighbouring parents lie side by side, so that the
  /// children of a parent end where those of the next one begin.
  virtual bool adjoins() const { return false; }

  /// Positions [begin, end).
  struct Interval {
    mlir::Value begin, end;
  };
  /// Whether a fiber may skip entries at either end of its parents' children.
  virtual bool isCropped() const { return false; }
  /// The children that a fiber keeps of `whole`, those of its parents. The
  /// level must not be full.
  virtual Interval crop(mlir::ImplicitLocOpBuilder &b, Interval whole) const {
    return whole;
  }

  /// The length of the array that says where the children of each parent begin
  /// and where those of the last one end; null if there is no such array.
  virtual mlir::Value numBegins(mlir::ImplicitLocOpBuilder &b) const {
    return {};
  }
  /// Whether the array does not say this of a parent as in a valid tensor.
  virtual mlir::Value isMisplaced(mlir::ImplicitLocOpBuilder &b,
                                  mlir::Value parent) const {
    return {};
  }

  /// Maps a coordinate to the first position in [low, high) whose coordinate is
  /// not smaller, or to `high` if there is none. The fiber begins at position
  /// `first`.
  virtual mlir::Value lowerBound(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value coordinate, mlir::Value first,
                                 mlir::Value low, mlir::Value high) const = 0;

  /// Whether the run of `coordinate` goes on to the end of a fiber, which ends
  /// at `end`; null for a level with short runs, for which asking does not pay.
  virtual mlir::Value reachesEnd(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value coordinate,
                                 mlir::Value end) const {
    return {};
  }

  /// The number of coordinates of the dimension that the level stores.
  virtual mlir::Value extent(mlir::ImplicitLocOpBuilder &b) const;

  // The functions below must not be called on full levels, for these store no
  // coordinates.

  /// Maps a position to its coordinate.
  virtual mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value position) const = 0;

  /// The coordinates at `position` and at the positions after it, in the bit
  /// width in which they are stored. Only the lanes that are `valid`, which is
  /// a mask, are read.
  virtual mlir::Value coordinateVector(mlir::ImplicitLocOpBuilder &b,
                                       mlir::Value position, Condition valid,
                                       unsigned lanes) const = 0;

  /// The number of positions that the arrays of the level have room for. It is
  /// safe to read a coordinate at each of these positions, even where the
  /// array of positions is wrong.
  virtual mlir::Value size(mlir::ImplicitLocOpBuilder &b) const = 0;

  /// The last position at which a coordinate can be read.
  virtual mlir::Value last(mlir::ImplicitLocOpBuilder &b) const;

  /// The interface of a level that computes its coordinates from other data
  /// (Windows.h); null for a level that stores its coordinates.
  virtual const ComputedCoordinates *computed() const { return nullptr; }

  /// Prefetches the memory that `begin(parent)` reads.
  virtual void prefetchBegin(mlir::ImplicitLocOpBuilder &b,
                             mlir::Value parent) const {}
  /// Prefetches the memory that `coordinate(position)` reads.
  virtual void prefetch(mlir::ImplicitLocOpBuilder &b,
                        mlir::Value position) const {}

protected:
  Level(mlir::Value tensor, unsigned level) : tensor(tensor), level(level) {}

  mlir::Value tensor;
  unsigned level;
};

/// Whether a level of a tensor is cropped.
bool isCropped(mlir::Value tensor, unsigned level);

/// Given a position of `level`, the number of positions of the deeper level
/// `below` that belong to earlier positions: begin(...begin(position)). For the
/// last level, this is the number of earlier entries.
mlir::Value positionsBefore(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                            unsigned level, mlir::Value position,
                            unsigned below);

/// The number of positions that the first levels of a tensor have room for. It
/// is safe to read the fiber below each of these positions.
mlir::Value numPositions(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                         unsigned levels);

/// The number of coordinates of the dimension that a level of a tensor stores.
mlir::Value levelExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                        unsigned level);

} // namespace nacho

#endif // NACHO_LEVELS_LEVEL_H
