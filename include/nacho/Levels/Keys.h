//===- Keys.h - Keys made of the coordinates of an entry ------------------===//
//
// `nacho.flatten` gives every entry of a list (COO) or tree (CSF) a key. A key
// has one field of bits per level, which holds the coordinate of the level.
// With extents 12 x 9 x 28, the coordinates (3, 4, 5) make the key
// 0011'0100'00101.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_KEYS_H
#define NACHO_LEVELS_KEYS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The largest number of bits of a key. lib/Execution/Thresholds.h, which knows
/// nothing of MLIR, has the same constant.
inline constexpr unsigned kMostKeyBits = 62;

/// The number of bits of a number: 64 - (its leading zeros).
mlir::Value emitBits(mlir::ImplicitLocOpBuilder &b, mlir::Value number);

/// The number of bits of the largest coordinate below an extent.
mlir::Value emitCoordinateBits(mlir::ImplicitLocOpBuilder &b,
                               mlir::Value extent);

/// The number of bits in a key to the right of the field of a level.
mlir::Value emitKeyShift(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                         unsigned level);

/// The first key that is larger than those of all entries.
mlir::Value emitKeyExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);

/// Extracts the coordinate of a level from a key.
mlir::Value emitCoordinateOfKey(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value tensor, unsigned level,
                                mlir::Value key);

/// Puts a key together, level by level. With vectors of coordinates, it puts
/// together one key in each lane.
class Key {
public:
  Key() = default;
  /// Continues a key whose outer fields are already in `bits`.
  explicit Key(mlir::Value bits) : bits(bits) {}

  /// Appends the field of a level: a coordinate, or a vector of coordinates.
  void add(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor, unsigned level,
           mlir::Value coordinate);

  /// The key, or a number that is not less than the extent of keys if any
  /// coordinate was outside of its extent.
  mlir::Value get(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::Value bits;   ///< Null if nothing was added.
  mlir::Value inside; ///< Whether coordinates are in their extents: null if
                      ///< the key itself tells.
};

/// Extends a vector of coordinates to 64-bit words. A coordinate whose sign bit
/// is set becomes a number that is outside of any extent.
mlir::Value asWords(mlir::ImplicitLocOpBuilder &b, mlir::Value coordinates);

} // namespace nacho

#endif // NACHO_LEVELS_KEYS_H
