//===- Level.h - Code that reads a level of an operand --------------------===//
//
// A level is a handful of pure functions over positions and coordinates. One
// file in lib/Levels implements them for one kind of level, and nothing else
// asks which kind a level has. A new kind is a new file in that folder and a
// line in LevelFormat.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_LEVEL_H
#define NACHO_LEVELS_LEVEL_H

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

  virtual ~Level() = default;

  /// Whether every coordinate is present under every parent that is.
  virtual bool isFull() const = 0;
  /// Whether every coordinate of a fiber has one position. Otherwise it has a
  /// run of positions, which are the parents of one fiber of the next level.
  virtual bool isUnique() const = 0;

  /// position of a parent -> position of its first child. For the position
  /// after the last parent, the result is the end of the level, so that the
  /// children of the parents [p, q) are [begin(p), begin(q)).
  virtual mlir::Value begin(mlir::ImplicitLocOpBuilder &b,
                            mlir::Value parent) const = 0;

  /// coordinate -> first position in [low, high) that does not come before
  /// it; `high` if there is none. `first` is where the fiber begins.
  virtual mlir::Value lowerBound(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value coordinate, mlir::Value first,
                                 mlir::Value low, mlir::Value high) const = 0;

  /// The number of coordinates of the dimension that the level stores.
  virtual mlir::Value extent(mlir::ImplicitLocOpBuilder &b) const;

  // A full level stores no coordinates: the following is not for full levels.

  /// position -> coordinate.
  virtual mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value position) const = 0;

  /// position -> the coordinates at this position and at those after it, in the
  /// width in which they are stored. Only lanes that are `valid` are read; a
  /// null value stands for all of them.
  virtual mlir::Value coordinateVector(mlir::ImplicitLocOpBuilder &b,
                                       mlir::Value position, mlir::Value valid,
                                       unsigned lanes) const = 0;

  /// The number of positions that the arrays of the level have room for. A
  /// coordinate can be read at each of them, whatever the positions of the
  /// level above say.
  virtual mlir::Value size(mlir::ImplicitLocOpBuilder &b) const = 0;

  /// The last position of which a coordinate can be read.
  virtual mlir::Value last(mlir::ImplicitLocOpBuilder &b) const;

  /// What a level offers whose coordinates are computed from what is stored
  /// (Windows.h); null for a level that stores its coordinates.
  virtual const ComputedCoordinates *computed() const { return nullptr; }

  /// Asks for the memory from which `begin` of a parent will be read.
  virtual void prefetchBegin(mlir::ImplicitLocOpBuilder &b,
                             mlir::Value parent) const {}
  /// Asks for the memory from which a coordinate will be read.
  virtual void prefetch(mlir::ImplicitLocOpBuilder &b,
                        mlir::Value position) const {}

protected:
  Level(mlir::Value tensor, unsigned level) : tensor(tensor), level(level) {}

  mlir::Value tensor;
  unsigned level;
};

/// The number of positions of level `below` of `tensor` before `position`,
/// which is one of `level`: the begin of the begin of ... the position. The
/// positions of the last level are the entries.
mlir::Value positionsBefore(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                            unsigned level, mlir::Value position,
                            unsigned below);

/// The number of coordinates of the dimension that a level of a tensor stores.
mlir::Value levelExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                        unsigned level);

} // namespace nacho

#endif // NACHO_LEVELS_LEVEL_H
