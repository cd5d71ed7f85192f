//===- GatheredSteps.h - Lists of steps that vectors look up ----*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_GATHEREDSTEPS_H
#define NACHO_LIB_OPTIMIZATIONS_GATHEREDSTEPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The number of steps that a vector has.
inline constexpr int64_t kStepsAtOnce = 16;

/// The type of what the steps of a vector have each.
inline mlir::VectorType vectorOfSteps(mlir::Type type) {
  return mlir::VectorType::get(kStepsAtOnce, type);
}

/// A loop of which each step looks a coordinate of 32 bits up, if it is below
/// an extent, and does nothing else if it finds nothing:
///
///   for p:  k = crd[p]
///           if k < extent:  x = table[k];  if found(x): use(p, x)
///           else:           outside = true
class GatheredSteps {
public:
  /// The branches are that on the extent, and that on what is found.
  GatheredSteps(mlir::scf::ForOp loop, mlir::scf::IfOp inside,
                mlir::scf::IfOp found)
      : loop(loop), inside(inside), found(found) {}

  bool match();

  /// Two lists: the steps that find something, and what they find.
  struct Lists {
    mlir::Value steps, elements;
  };
  Lists allocate(mlir::ImplicitLocOpBuilder &b, int64_t size);

  /// The number of steps in the lists, and whether a coordinate was outside.
  struct Listed {
    mlir::Value count, outside;
  };
  /// Lists the steps of an interval by their distance from its beginning.
  Listed list(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to,
              const Lists &lists);

  /// Lets the steps take what has been listed in place of looking it up.
  void take(mlir::Value element);
  /// Adds to the values that the loop carries whether a coordinate was outside.
  llvm::SmallVector<mlir::Value> report(mlir::ImplicitLocOpBuilder &b,
                                        mlir::ValueRange carried,
                                        mlir::Value outside);

private:
  bool findCoordinate();
  bool findLookup();
  bool findTest(mlir::Value value);
  bool findReports();
  mlir::Value emitFound(mlir::ImplicitLocOpBuilder &b, mlir::Value elements);

  mlir::scf::ForOp loop;
  mlir::scf::IfOp inside, found;
  mlir::memref::LoadOp stored; ///< The coordinate, as it is stored.
  mlir::Value coordinate;      ///< The coordinate as an index.
  mlir::Value extent;
  mlir::memref::LoadOp lookup;
  /// What computes from an element whether it is one that is sought, in order.
  llvm::SmallVector<mlir::Operation *> test;
  /// Which of the values that the loop carries say that a coordinate was
  /// outside.
  llvm::SmallVector<bool> reports;
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_GATHEREDSTEPS_H
