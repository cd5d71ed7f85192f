//===- LoopBody.h - Loops that can take several steps at once -------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_LOOPBODY_H
#define NACHO_LIB_OPTIMIZATIONS_LOOPBODY_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {

/// The number of steps that a loop takes at once, each in a lane of a vector.
/// Fewer steps are added up in order.
constexpr int64_t kLanes = 8;

/// The bytes that a thread of a GPU can load at once, at a multiple of them.
constexpr int64_t kWideBytes = 16;

/// The attribute of a loop whose terms were computed before, from elements at
/// coordinates that were loaded: it adds them up as if it looked these up.
constexpr llvm::StringLiteral kLooksUp = "nacho.looks_up";

/// A value that a loop carries from step to step.
struct CarriedValue {
  enum Kind {
    counter, ///< Grows by the same number in each step.
    sum,     ///< Has a term added, or a flag joined by `or`.
  } kind;
  mlir::Operation *update; ///< The op that makes the next value of this one.
  mlir::Value term;        ///< The value that is added.

  bool isFlag() const { return kind == sum && term.getType().isInteger(1); }
};

/// The values of a loop's body that differ between its steps, and their kinds.
class LoopBody {
public:
  explicit LoopBody(mlir::scf::ForOp loop)
      : loop(loop), step(loop.getInductionVar()) {}

  /// Whether the loop can take several steps at once, and adds up terms that
  /// may be reordered, or stores terms.
  bool canUseLanes();

  /// Whether the loop stores elements of an array of its function.
  bool stores();

  /// Whether the loop loads elements at coordinates that it has loaded.
  bool looksUp();

  /// Whether all arrays that the loop loads in the order of its steps can be
  /// loaded kWideBytes at a time, from its first step on.
  mlir::Value canLoadWide(mlir::ImplicitLocOpBuilder &b);

  bool differs(mlir::Value value) const { return varying.contains(value); }
  /// Whether a value grows by 1 in each step, as the number of the step does,
  /// if the conditions hold.
  bool isStep(mlir::Value value);
  bool updates(mlir::Operation *op) const {
    return llvm::any_of(
        carried, [&](const CarriedValue &one) { return one.update == op; });
  }

  llvm::SmallVector<CarriedValue> carried;
  /// Conditions that are the same in all steps, and have to hold for several at
  /// once: the coordinates of rows are below their extents.
  llvm::SetVector<mlir::Value> conditions;

private:
  bool classify(mlir::BlockArgument arg, mlir::Value next);
  bool canUseLanes(mlir::Operation &op);
  bool canStoreLanes(mlir::memref::StoreOp store);
  bool isLoaded(mlir::Value value) const;
  bool isKnownBefore(mlir::Value value);
  void collectFactors(mlir::Value index, llvm::SetVector<mlir::Value> &factors);

  mlir::scf::ForOp loop;
  mlir::Value step; ///< The number of the step.
  llvm::DenseSet<mlir::Value> varying;
};

/// Whether the elements of a buffer lie side by side, and are as wide as those
/// that every processor can load by lane.
bool isContiguous(mlir::MemRefType type);

/// Whether an op computes the same from the same operands wherever it is:
/// nothing in the function writes to what it reads.
bool isRepeatable(mlir::Operation *op);

/// Creates an op like another one, with other operands and types.
mlir::Operation *createLike(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                            mlir::ValueRange operands, mlir::TypeRange types);

/// Leaves no order of an op's sums to others: they would choose it for the
/// machine.
void fixOrder(mlir::Operation *op);

/// The places of neighbours among 2 * kLanes elements: of the first elements of
/// all fours, then of the third ones, or, if `which` is 1, of those after them.
llvm::SmallVector<int64_t> placesOfQuads(int64_t which);

/// Adds up all lanes of a vector by an op: each time, the second half to the
/// first. Only of 2 * kLanes sums are neighbours added, so that fours come
/// together: threads of a GPU that load them have nothing to exchange.
mlir::Value addHalves(mlir::ImplicitLocOpBuilder &b, mlir::Operation *update,
                      mlir::Value sums);

/// Adds up all lanes of each of kLanes vectors, as addHalves does. The sums of
/// vector n are in lane n of the result.
mlir::Value addHalvesOfEach(mlir::ImplicitLocOpBuilder &b,
                            mlir::Operation *update,
                            mlir::SmallVector<mlir::Value> sums);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_LOOPBODY_H
