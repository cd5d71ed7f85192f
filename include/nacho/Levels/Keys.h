//===- Keys.h - Keys made of the coordinates of an entry ------------------===//
//
// `nacho.flatten` gives every entry of a list or tree a key, which has a field
// of bits for the coordinate of each level. With extents of 12 x 9 x 28, the
// coordinates 3, 4, 5 are the key 0011'0100'00101.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LEVELS_KEYS_H
#define NACHO_LEVELS_KEYS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The largest number of bits of a key, which keys.py knows, too.
inline constexpr unsigned kMostKeyBits = 62;

/// The number of bits of a key below the field of a level.
mlir::Value emitKeyShift(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                         unsigned level);

/// The first key that is larger than those of all entries.
mlir::Value emitKeyExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);

/// The coordinate of a level that is in a key.
mlir::Value emitCoordinateOfKey(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value tensor, unsigned level,
                                mlir::Value key);

/// A key that is being put together, level by level; or one in each lane of a
/// vector.
class Key {
public:
  Key() = default;
  /// A key whose first fields are those of `bits`.
  explicit Key(mlir::Value bits) : bits(bits) {}

  /// Adds the field of a level: its coordinate, or a vector of coordinates.
  void add(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor, unsigned level,
           mlir::Value coordinate);

  /// The key; the largest number if a coordinate is outside of its extent.
  mlir::Value get(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::Value bits;   ///< Null if nothing was added.
  mlir::Value inside; ///< Whether all coordinates added are in their extents.
};

/// A vector of coordinates as one of 64-bit words. A coordinate whose sign bit
/// is set becomes a number that is outside of any extent.
mlir::Value asWords(mlir::ImplicitLocOpBuilder &b, mlir::Value coordinates);

} // namespace nacho

#endif // NACHO_LEVELS_KEYS_H
