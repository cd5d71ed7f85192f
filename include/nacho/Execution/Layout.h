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
  struct Level {
    bool hasPositions, hasCoordinates; ///< A dense level has neither.
    ElementType positions, coordinates;
  };
  std::vector<Level> levels; ///< A scalar has none.
  ElementType values;

  /// The number of arrays and extents.
  size_t numArguments() const;
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
