//===- GatheredSteps.h - Steps that vectors look up -------------*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_GATHEREDSTEPS_H
#define NACHO_LIB_OPTIMIZATIONS_GATHEREDSTEPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The number of steps that a vector has.
inline constexpr int64_t kStepsAtOnce = 16;
/// The number of steps of a group, of which each has a bit in a word.
inline constexpr int64_t kStepsOfGroup = 64;

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

  /// Makes room for what the steps of a group find.
  static mlir::Value allocate(mlir::ImplicitLocOpBuilder &b);

  struct Group {
    mlir::Value found;   ///< The bits of the steps that find something.
    mlir::Value outside; ///< Whether a coordinate was outside.
  };
  /// Looks up what the steps of an interval, which is a group or a part of it,
  /// find. That becomes `elements`.
  Group lookUp(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to,
               mlir::Value elements);

  /// Lets a step take what has been found in place of looking it up.
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
