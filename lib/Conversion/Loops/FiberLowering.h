//===- FiberLowering.h - Fibers and cuts as SSA values --------------------===//
//
// What the lowerings of loops and of searches share: a fiber is its tensor, a
// position and whether it is present; a cut is a flag, a cost, and coordinates
// and positions per loop. Both are kept beside the IR while the ops that make
// and use them are replaced.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_FIBERLOWERING_H
#define NACHO_LIB_CONVERSION_FIBERLOWERING_H

#include "nacho/IR/Nacho.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Support/TypeID.h"

#include <functional>
#include <limits>

namespace nacho {

/// The coordinate of an operand that is exhausted: the largest number, as they
/// are compared without signs.
inline constexpr int64_t kInfinity = -1;
/// The position that `nacho.position` gives for an absent fiber. A list may
/// keep it as a coordinate, which has no sign when it is read again: what
/// `nacho.recall` gives then is `kRecalledAbsent`.
inline constexpr int64_t kAbsentPosition = -1;
inline constexpr int64_t kRecalledAbsent = std::numeric_limits<int64_t>::max();
/// The first element of a buffer can be read whatever the buffer is of. It is
/// read in place of an element that is absent, and its value is not used.
inline constexpr int64_t kReadablePosition = 0;

struct FiberValue {
  mlir::Value tensor;
  unsigned level;
  /// The position of the parent. An absent fiber has that of the next one.
  mlir::Value position;
  mlir::Value present; ///< Null if the fiber is certainly present.
  /// The parents of the fiber are the positions up to here; null if it has just
  /// the one, if it is present.
  mlir::Value end;
  /// What is at the position can be read where the fiber is absent, too.
  bool isReadable = false;
};

struct CutValue {
  struct Loop {
    mlir::Value coordinate;
    llvm::SmallVector<mlir::Value> positions;
  };
  mlir::Value on; ///< Null if the cut is certainly on.
  mlir::Value cost;
  llvm::SmallVector<Loop> loops;

  /// What is left inside `coordinate` of the outermost loop.
  CutValue enter(mlir::ImplicitLocOpBuilder &b, mlir::Value coordinate) const;
};

/// The children of a fiber that lie between two cuts.
struct ChildRange {
  std::unique_ptr<Level> level;
  mlir::Value first;      ///< Where the whole fiber begins.
  mlir::Value begin, end; ///< Clipped.
};

/// Where the cuts of a loop clip an operand: the number of the operand in the
/// loop and, if it is stored in runs, in the loops inside in which they are
/// taken apart.
using ClipPath = llvm::SmallVector<unsigned>;

/// What of the coordinate in which a part ends belongs to it.
enum class LastCoordinate { excluded, included };

class FiberLowering {
public:
  explicit FiberLowering(mlir::func::FuncOp func);

  /// Lowers the function; ops of other passes are left.
  mlir::LogicalResult run();

protected:
  /// Says which method lowers a kind of op. The method is called with the
  /// builder at the op and replaces its results; the op itself is erased in the
  /// end, when nothing refers to its fibers and cuts any more.
  template <typename Lowering, typename OpT>
  void lowerWith(void (Lowering::*method)(OpT)) {
    lowerings[mlir::TypeID::get<OpT>()] = [this, method](mlir::Operation *op) {
      (static_cast<Lowering *>(this)->*method)(llvm::cast<OpT>(op));
    };
  }

  /// Lowers an op or, if it is of no such kind, what is in it.
  void lowerOp(mlir::Operation &op);
  /// Refuses an op; nothing is lowered after it.
  void refuse(mlir::Operation *op, const llvm::Twine &why);

  FiberValue fiber(mlir::Value value);
  CutValue cut(mlir::Value value);
  /// Erases an op that nothing refers to in the end.
  void eraseLater(mlir::Operation *op) { replaced.push_back(op); }
  void setFiber(mlir::Value value, FiberValue lowered) {
    fibers[value] = lowered;
  }
  void setCut(mlir::Value value, CutValue lowered) {
    cuts[value] = std::move(lowered);
  }

  /// The children of an operand of a loop, clipped by the cuts, which may be
  /// null.
  ChildRange childRange(const FiberValue &fiber, const ClipPath &path = {},
                        const CutValue *lower = nullptr,
                        const CutValue *upper = nullptr,
                        LastCoordinate last = LastCoordinate::excluded);
  mlir::Value visitCut(const ChildRange &range, mlir::Value begin,
                       mlir::Value coordinate);
  /// The first position in [low, high) whose coordinate is another one.
  mlir::Value endOfRun(const Level &level, mlir::Value coordinate,
                       mlir::Value low, mlir::Value high);
  /// The coordinate at a position of the range, +inf at its end.
  mlir::Value coordinateOrInfinity(const ChildRange &range,
                                   mlir::Value position);

  mlir::Value constant(int64_t value);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                      mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// condition ? x : y, where a null condition is true.
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  mlir::func::FuncOp func;
  mlir::ImplicitLocOpBuilder b;

private:
  CutValue loadCut(LoadCutOp op);
  void lowerOnCut(OnCutOp op);
  void lowerCutCost(CutCostOp op);
  void lowerCutCoordinate(CutCoordinateOp op);
  void lowerPresent(PresentOp op);
  void lowerExtent(ExtentOp op);
  void lowerPosition(PositionOp op);
  void lowerRecall(RecallOp op);
  void lowerCost(CostOp cost);
  void lowerFiberAt(FiberAtOp op);
  void lowerFind(FindOp op);
  void lowerAhead(AheadOp op);
  void lowerPrefetch(PrefetchOp op);
  void lowerPrefetchRow(PrefetchRowOp op);
  mlir::Value wideRecall(mlir::Value list, mlir::Value kept);
  mlir::Value entryAhead(mlir::Value list, mlir::Value position, int64_t ahead);
  mlir::Value sumBefore(mlir::Value list, mlir::Value position);
  /// Whether it is known where a fiber or cut comes from.
  bool isResolved(mlir::Value value) const;

  /// By the kind of op.
  llvm::DenseMap<mlir::TypeID, std::function<void(mlir::Operation *)>>
      lowerings;
  llvm::DenseMap<mlir::Value, FiberValue> fibers;
  llvm::DenseMap<mlir::Value, CutValue> cuts;
  llvm::SmallVector<mlir::Operation *> replaced;
  bool isRefused = false; ///< An op could not be lowered.
};

/// The elements of a tensor, in the order in which they are stored.
mlir::Value emitValues(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_FIBERLOWERING_H
