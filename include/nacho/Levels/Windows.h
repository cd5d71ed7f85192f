//===- Windows.h - Coordinates of many positions at once ------------------===//
//
// A window is an array of the coordinates of some hundred successive positions.
// Loops over levels whose coordinates are computed go from window to window.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_WINDOWS_H
#define NACHO_LEVELS_WINDOWS_H

#include "nacho/Levels/Level.h"

namespace nacho {

/// What a level whose coordinates are computed offers for windows.
class ComputedCoordinates {
public:
  virtual ~ComputedCoordinates() = default;

  /// The number of elements of `cursors`. All are 0 at first. A call of `fill`
  /// leaves there where it stopped, for the call with the next positions.
  virtual unsigned numCursors() const { return 0; }

  /// for p in begin..end: array[p - begin] = coordinate of p
  ///
  /// The array has room for a whole vector register more, which may be
  /// overwritten.
  virtual void fill(mlir::ImplicitLocOpBuilder &b, mlir::Value array,
                    mlir::Value begin, mlir::Value end, mlir::Value cursors,
                    unsigned vectorBits) const = 0;
};

/// Fills a window of any level.
void fillWindow(mlir::ImplicitLocOpBuilder &b, const Level &level,
                mlir::Value array, mlir::Value begin, mlir::Value end,
                mlir::Value cursors, unsigned vectorBits);

/// Fills a window of a level by vectors of its coordinates.
void fillByVectors(mlir::ImplicitLocOpBuilder &b, const Level &level,
                   mlir::Value array, mlir::Value begin, mlir::Value end,
                   unsigned vectorBits);

} // namespace nacho

#endif // NACHO_LEVELS_WINDOWS_H
