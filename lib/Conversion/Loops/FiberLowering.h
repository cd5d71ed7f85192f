//===- FiberLowering.h - Lowers the ops that use fibers and cuts ----------===//
//
// The context in which loops, searches and elements are lowered. It has a
// function for each kind of op, and keeps the SSA values of fibers and cuts in
// maps beside the IR while the ops that make and use these are replaced.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_FIBERLOWERING_H
#define NACHO_LIB_CONVERSION_FIBERLOWERING_H

#include "FiberValues.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Support/TypeID.h"

#include <functional>

namespace nacho {

/// The choices between loops that compute the same.
struct LoopOptions {
  bool branches;       ///< Branch on which of two operands comes next.
  bool together;       ///< Merge in one loop, not in several.
  unsigned vectorBits; ///< The width of vector registers; 0: there are none.
};

class FiberLowering {
public:
  FiberLowering(mlir::func::FuncOp func, LoopOptions options)
      : b(func.getLoc(), func.getContext()), options(options), func(func) {}

  /// Registers functions that each lower a kind of op. The builder is at the op
  /// when its function is called, and the function replaces the results of the
  /// op. The op itself is erased at the end of the pass, when no other op
  /// refers to its fibers and cuts any more.
  template <typename... OpT>
  void add(void (*...lower)(FiberLowering &, OpT)) {
    ((lowerings[mlir::TypeID::get<OpT>()] =
          [this, lower](mlir::Operation *op) {
            lower(*this, llvm::cast<OpT>(op));
          }),
     ...);
  }

  /// Lowers all ops of the function of which the kind is registered.
  mlir::LogicalResult run();

  /// Lowers an op; if no function is registered for it, lowers the ops inside.
  void lowerOp(mlir::Operation &op);
  /// Moves the ops of `body` to the end of `block` and lowers them there.
  /// Returns the values that `body` yielded.
  llvm::SmallVector<mlir::Value> moveOps(mlir::Block *body, mlir::Block *block);
  /// Erases an op at the end of the pass.
  void eraseLater(mlir::Operation *op) { replaced.push_back(op); }
  /// Emits an error at an op and makes the pass fail.
  void refuse(mlir::Operation *op, const llvm::Twine &why);

  FiberValue fiber(mlir::Value value);
  CutValue cut(mlir::Value value);
  void setFiber(mlir::Value value, FiberValue lowered) {
    fibers[value] = lowered;
  }
  void setCut(mlir::Value value, CutValue lowered) {
    cuts[value] = std::move(lowered);
  }

  mlir::ImplicitLocOpBuilder b;
  const LoopOptions options;
  /// Coordinates that all tensors have in whose dimensions they are used.
  llvm::DenseSet<mlir::Value> visited;
  /// Where a merge leaves fibers through which it has stepped to the end.
  llvm::DenseMap<mlir::Value, mlir::Value> left;
  /// What costs up to a position leave out, as far as it was emitted before.
  llvm::DenseMap<mlir::Operation *, mlir::Value> costsBefore;

private:
  CutValue loadCut(LoadCutOp op);
  /// Whether the lowered value of a fiber or cut is known.
  bool isResolved(mlir::Value value) const;
  void refuseRemainingUses();

  mlir::func::FuncOp func;
  /// The functions that lower ops, by the kind of op.
  llvm::DenseMap<mlir::TypeID, std::function<void(mlir::Operation *)>>
      lowerings;
  llvm::DenseMap<mlir::Value, FiberValue> fibers;
  llvm::DenseMap<mlir::Value, CutValue> cuts;
  llvm::SmallVector<mlir::Operation *> replaced;
  bool isRefused = false; ///< Whether some op could not be lowered.
};

/// Emits the cost of all that lies before the fiber of a cost.
mlir::Value costBeforeFiber(FiberLowering &lowering, CostOp cost);

// Each of these registers the functions of the file that it is named after.
void addFiberOps(FiberLowering &lowering);
void addFiberPrefetches(FiberLowering &lowering);
void addFoundFibers(FiberLowering &lowering);
void addSearches(FiberLowering &lowering);
void addElementOps(FiberLowering &lowering);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_FIBERLOWERING_H
