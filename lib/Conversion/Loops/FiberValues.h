//===- FiberValues.h - Fibers and cuts as SSA values ------------*- C++ -*-===//
//
// A fiber becomes its tensor, a position, and whether the fiber is present; a
// cut becomes a flag, a cost, and for each loop a coordinate and positions.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_FIBERVALUES_H
#define NACHO_LIB_CONVERSION_FIBERVALUES_H

#include "nacho/IR/Condition.h"
#include "nacho/Levels/Level.h"

#include <limits>

namespace nacho {

/// The coordinate of an exhausted operand. Coordinates are compared as unsigned
/// numbers, among which this is the largest.
inline constexpr int64_t kInfinity = -1;
/// The position that `nacho.position` returns for an absent fiber. A list may
/// keep this position as a coordinate. As coordinates lose their sign when they
/// are read, `nacho.recall` then returns `kRecalledAbsent` instead.
inline constexpr int64_t kAbsentPosition = -1;
inline constexpr int64_t kRecalledAbsent = std::numeric_limits<int64_t>::max();
/// The position to read in place of an absent element; the value read is not
/// used. Every buffer has an element at this position.
inline constexpr int64_t kReadablePosition = 0;

struct FiberValue {
  mlir::Value tensor;
  unsigned level;
  /// The position of the parent. An absent fiber has the position of the next
  /// fiber that is present.
  mlir::Value position;
  Condition present = kAlways;
  /// The position after the last parent, of a fiber whose parents are a run.
  /// Any other fiber has one parent if it is present, and none if it is absent.
  std::optional<mlir::Value> end;
  /// Whether `position` can be read even where the fiber is absent.
  bool isReadable = false;
  /// The bits that the coordinates of children lack, of a fiber of pieces.
  std::optional<mlir::Value> shift = std::nullopt;
  /// The positions of the children, if they do not follow from `position`.
  struct Children {
    mlir::Value begin, end;
  };
  std::optional<Children> children = std::nullopt;

  /// The level of the children.
  std::unique_ptr<Level> childLevel() const {
    std::unique_ptr<Level> found = shift
                                       ? Level::getPieces(tensor, level, *shift)
                                       : Level::get(tensor, level);
    if (!children)
      found->enterFiber(position);
    return found;
  }
};

/// The numbers under which a cut has the position that clips an operand: the
/// operand's number in the loop and, if the operand stores runs, its numbers in
/// the inner loops that take the runs apart.
using ClipPath = llvm::SmallVector<unsigned>;

struct CutValue {
  struct Loop {
    mlir::Value coordinate;
    llvm::SmallVector<mlir::Value> positions;
  };
  Condition on = kAlways; ///< Whether the cut is here.
  mlir::Value cost;
  llvm::SmallVector<Loop> loops;
  /// Whether the coordinate that is entered is that of the cut, if it is known.
  std::optional<bool> isReached = std::nullopt;

  /// The rest of the cut inside `coordinate` of the outermost loop.
  CutValue enter(mlir::ImplicitLocOpBuilder &b, mlir::Value coordinate) const;
  /// The position that clips an operand.
  mlir::Value positionAt(const ClipPath &path) const {
    return loops[path.size() - 1].positions[path.back()];
  }
};

/// The children of a fiber that lie between two cuts.
struct ChildRange {
  std::unique_ptr<Level> level;
  mlir::Value first;      ///< The start of the whole fiber.
  mlir::Value begin, end; ///< Clipped.
};

/// Whether a loop of a part visits the coordinate in which the part ends.
enum class LastCoordinate { excluded, included };

/// The children of an operand of a loop, clipped by the cuts. A null cut does
/// not clip.
ChildRange childRange(mlir::ImplicitLocOpBuilder &b, const FiberValue &fiber,
                      const ClipPath &path = {},
                      const CutValue *lower = nullptr,
                      const CutValue *upper = nullptr,
                      LastCoordinate last = LastCoordinate::excluded);
/// The end of the children of a fiber at a cut.
mlir::Value clippedEnd(mlir::ImplicitLocOpBuilder &b, const ChildRange &range,
                       const ClipPath &path, const CutValue &upper,
                       LastCoordinate last);
/// The first position in [low, high) with a coordinate after this one, `high`
/// if there is none.
mlir::Value endOfRun(mlir::ImplicitLocOpBuilder &b, const Level &level,
                     mlir::Value coordinate, mlir::Value low, mlir::Value high);
/// The coordinate at a position of the range; `kInfinity` at its end.
mlir::Value coordinateOrInfinity(mlir::ImplicitLocOpBuilder &b,
                                 const ChildRange &range, mlir::Value position);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_FIBERVALUES_H
