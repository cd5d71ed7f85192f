//===- Layout.h - How tensors and workspaces lie in memory ----------------===//

#ifndef NACHO_EXECUTION_LAYOUT_H
#define NACHO_EXECUTION_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nacho {

/// The element type of an array.
enum class ElementType { b1, i8, u8, i16, i32, i64, f32, f64, c64, c128 };

/// The bytes that an element takes in an array.
size_t sizeOf(ElementType type);

/// x * y. Throws std::bad_alloc if that is too large for any memory.
int64_t checkedProduct(int64_t x, int64_t y);

/// The arguments that stand for one tensor in the calls of a kernel.
struct TensorLayout {
  /// An array of a level. Its length depends on the positions of the level
  /// above, the parents, and on those of the level itself, the entries.
  struct Array {
    ElementType type;
    bool holdsPositions; ///< Its elements count entries of its level.
    int64_t perParent, perEntry, extra;

    /// perParent * parents + perEntry * entries + extra
    int64_t length(int64_t parents, int64_t entries) const;
  };
  /// Where the coordinates of a level are. That of position p is the element
  /// offset + stride * p of an array.
  struct Place {
    size_t array; ///< The number of the array, among those of all levels.
    int64_t offset, stride;
  };
  struct Level {
    bool isFull; ///< Coordinates are not stored, and have no place.
    ElementType coordinateType;
    Place coordinates;
    std::vector<Array> arrays;
  };
  std::vector<Level> levels; ///< A scalar has none.
  ElementType values;

  /// The number of arrays of all levels.
  size_t numArrays() const;
  /// The number of arrays and extents, values included.
  size_t numArguments() const { return numArrays() + 1 + levels.size(); }
};

/// What a caller passes for one argument: an array, or an extent.
struct Argument {
  void *data = nullptr; ///< An extent has none.
  int64_t size = 0;     ///< Elements of the array, or the extent.
};

/// The element types of a workspace. It has keys unless every coordinate has a
/// place of its own.
struct WorkspaceLayout {
  std::optional<ElementType> keys;
  ElementType elements;
};

/// The arrays of a workspace: each has a row for every slot.
struct Workspace {
  void *keys = nullptr, *marks = nullptr, *sums = nullptr;
  int64_t rows = 0;
  int64_t places = 0; ///< In a row of keys or sums.
  int64_t marked = 0; ///< The places that a row of marks covers.
};

} // namespace nacho

#endif // NACHO_EXECUTION_LAYOUT_H
