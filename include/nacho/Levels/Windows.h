//===- Windows.h - Coordinates of many positions at once ------------------===//
//
// A window is an array of the coordinates of some hundred successive positions.
// Some levels do not store their coordinates but compute them; loops over such
// levels fill one window after the other.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_WINDOWS_H
#define NACHO_LEVELS_WINDOWS_H

#include "nacho/Levels/Level.h"

namespace nacho {

/// Fills windows of a level that computes its coordinates.
class ComputedCoordinates {
public:
  virtual ~ComputedCoordinates() = default;

  /// The number of elements of the array `cursors`. All are 0 at first. `fill`
  /// stores there where it stopped, from where its next call, with the next
  /// positions, goes on.
  virtual unsigned numCursors() const = 0;

  /// for p in begin..end: array[p - begin] = coordinate of p
  ///
  /// The array must have room for one vector register more, which `fill` may
  /// overwrite.
  virtual void fill(mlir::ImplicitLocOpBuilder &b, mlir::Value array,
                    mlir::Value begin, mlir::Value end, mlir::Value cursors,
                    unsigned vectorBits) const = 0;
};

/// Fills a window of any level.
void fillWindow(mlir::ImplicitLocOpBuilder &b, const Level &level,
                mlir::Value array, mlir::Value begin, mlir::Value end,
                mlir::Value cursors, unsigned vectorBits);

/// Fills a window by means of the level's `coordinateVector`.
void fillByVectors(mlir::ImplicitLocOpBuilder &b, const Level &level,
                   mlir::Value array, mlir::Value begin, mlir::Value end,
                   unsigned vectorBits);

} // namespace nacho

#endif // NACHO_LEVELS_WINDOWS_H
