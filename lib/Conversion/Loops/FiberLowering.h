//===- FiberLowering.h - Fibers and cuts as SSA values --------------------===//
//
// The common base of the lowerings of loops and of searches. A fiber becomes
// its tensor, a position, and whether the fiber is present; a cut becomes a
// flag, a cost, and for each loop a coordinate and positions. The pass keeps
// these values in maps beside the IR while it replaces the ops that make and
// use fibers and cuts.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_FIBERLOWERING_H
#define NACHO_LIB_CONVERSION_FIBERLOWERING_H

#include "nacho/IR/Condition.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/Level.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Support/TypeID.h"

#include <functional>
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

class FiberLowering {
public:
  explicit FiberLowering(mlir::func::FuncOp func);

  /// Lowers the function, except for the ops that other passes lower.
  mlir::LogicalResult run();

protected:
  /// Registers the method that lowers a kind of op. The builder is at the op
  /// when the method is called, and the method replaces the results of the op.
  /// The op itself is erased at the end of the pass, when no other op refers to
  /// its fibers and cuts any more.
  template <typename Lowering, typename OpT>
  void lowerWith(void (Lowering::*method)(OpT)) {
    lowerings[mlir::TypeID::get<OpT>()] = [this, method](mlir::Operation *op) {
      (static_cast<Lowering *>(this)->*method)(llvm::cast<OpT>(op));
    };
  }

  /// Lowers an op; if no method is registered for it, lowers the ops inside.
  void lowerOp(mlir::Operation &op);
  void refuseRemainingUses();
  /// Emits an error at an op and makes the pass fail.
  void refuse(mlir::Operation *op, const llvm::Twine &why);

  FiberValue fiber(mlir::Value value);
  CutValue cut(mlir::Value value);
  /// Erases an op at the end of the pass.
  void eraseLater(mlir::Operation *op) { replaced.push_back(op); }
  void setFiber(mlir::Value value, FiberValue lowered) {
    fibers[value] = lowered;
  }
  void setCut(mlir::Value value, CutValue lowered) {
    cuts[value] = std::move(lowered);
  }

  /// The children of an operand of a loop, clipped by the cuts. A null cut does
  /// not clip.
  ChildRange childRange(const FiberValue &fiber, const ClipPath &path = {},
                        const CutValue *lower = nullptr,
                        const CutValue *upper = nullptr,
                        LastCoordinate last = LastCoordinate::excluded);
  mlir::Value clippedEnd(const ChildRange &range, const ClipPath &path,
                         const CutValue &upper, LastCoordinate last);
  ChildRange rangeOutsideOfLoop(const FiberValue &of);
  mlir::Value positionAfter(const FiberValue &fiber);
  mlir::Value visitCut(const ChildRange &range, mlir::Value begin,
                       mlir::Value coordinate);
  /// The first position in [low, high) with a coordinate after this one, `high`
  /// if there is none.
  mlir::Value endOfRun(const Level &level, mlir::Value coordinate,
                       mlir::Value low, mlir::Value high);
  /// The coordinate at a position of the range; `kInfinity` at its end.
  mlir::Value coordinateOrInfinity(const ChildRange &range,
                                   mlir::Value position);

  Condition both(Condition x, Condition y);

  mlir::func::FuncOp func;
  mlir::ImplicitLocOpBuilder b;

private:
  CutValue loadCut(LoadCutOp op);
  void lowerOnCut(OnCutOp op);
  void lowerCutCost(CutCostOp op);
  void lowerCutCoordinate(CutCoordinateOp op);
  void lowerCutPosition(CutPositionOp op);
  void lowerPresent(PresentOp op);
  void lowerExtent(ExtentOp op);
  void lowerPosition(PositionOp op);
  void lowerRecall(RecallOp op);
  void lowerCost(CostOp cost);
  void lowerFiberAt(FiberAtOp op);
  void lowerChildrenAt(ChildrenAtOp op);
  void lowerPieces(PiecesOp op);
  void lowerFind(FindOp op);
  void lowerSeek(SeekOp op);
  void lowerAhead(AheadOp op);
  void lowerPrefetch(PrefetchOp op);
  void lowerPrefetchRow(PrefetchRowOp op);
  mlir::Value wideRecall(mlir::Value list, mlir::Value kept);
  mlir::Value entryAhead(mlir::Value list, mlir::Value position, int64_t ahead);
  mlir::Value sumBefore(mlir::Value list, mlir::Value position);
  /// Whether the lowered value of a fiber or cut is known.
  bool isResolved(mlir::Value value) const;

  /// The functions that lower ops, by the kind of op.
  llvm::DenseMap<mlir::TypeID, std::function<void(mlir::Operation *)>>
      lowerings;
  llvm::DenseMap<mlir::Value, FiberValue> fibers;
  llvm::DenseMap<mlir::Value, CutValue> cuts;
  llvm::SmallVector<mlir::Operation *> replaced;
  bool isRefused = false; ///< Whether some op could not be lowered.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_FIBERLOWERING_H
