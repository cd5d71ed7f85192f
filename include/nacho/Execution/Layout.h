//===- Layout.h - Layouts of tensors and workspaces -----------------------===//

#ifndef NACHO_EXECUTION_LAYOUT_H
#define NACHO_EXECUTION_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nacho {

/// The element type of an array.
enum class ElementType {
  b1,
  i8,
  u8,
  i16,
  i32,
  i64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128
};

/// The bytes that an element takes in an array.
size_t sizeOf(ElementType type);

/// x * y. Throws std::bad_alloc if the product overflows.
int64_t checkedProduct(int64_t x, int64_t y);

/// The arguments that stand for one tensor in the calls of a kernel.
struct TensorLayout {
  /// An array of a level. Its length depends on the number of positions of the
  /// level above, `parents`, and of the level itself, `entries`.
  struct Array {
    ElementType type;
    bool holdsPositions; ///< Its elements are positions of its level.
    int64_t perParent, perEntry, extra;
    /// Not 0 where `parents` is the number of words of so many coordinates.
    int64_t wordSize = 0;

    /// perParent * parents + perEntry * entries + extra
    int64_t length(int64_t parents, int64_t entries) const;
  };
  /// The place of the coordinates of a level:
  ///
  ///   coordinate of position p = array[offset + stride * p]
  struct Place {
    size_t array = 0; ///< The array's number among the arrays of all levels.
    int64_t offset = 0, stride = 0;
  };
  struct Level {
    bool isFull; ///< Every parent has a child at every coordinate.
    ElementType coordinateType;
    Place coordinates; ///< None, with a stride of 0, if positions have none.
    std::vector<Array> arrays;

    /// Whether its positions are those of the level above.
    bool sharesPositions() const;
  };
  std::vector<Level> levels; ///< Empty for a scalar.
  ElementType values;

  /// The number of arrays of all levels.
  size_t numArrays() const;
  /// The number of arguments: the arrays of the levels, the values, and an
  /// extent for each level.
  size_t numArguments() const { return numArrays() + 1 + levels.size(); }
};

/// An argument from a caller: an array, or the extent of a level.
struct Argument {
  void *data = nullptr; ///< Null for an extent.
  int64_t size = 0;     ///< The number of elements of the array, or the extent.
};

/// The element types of a workspace. A workspace without keys has a place for
/// every coordinate; one with keys is a hash table, and looks coordinates up.
struct WorkspaceLayout {
  std::optional<ElementType> keys;
  ElementType elements;
  bool isTable = false; ///< Elements are numbers, and 0 at first.
  bool isFlat = false;  ///< There may be a word of marks for every place.
};

/// The arrays of a workspace: each has a row for every slot.
struct Workspace {
  void *keys = nullptr, *marks = nullptr, *sums = nullptr;
  int64_t rows = 0;
  int64_t places = 0;    ///< The elements in a row of keys or sums.
  int64_t markWords = 0; ///< The size of a row of marks.
};

} // namespace nacho

#endif // NACHO_EXECUTION_LAYOUT_H
