//===- IndexRanges.h - How large the indices of a kernel may be -*- C++ -*-===//

#ifndef NACHO_LIB_INDEXRANGES_H
#define NACHO_LIB_INDEXRANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace nacho {

/// Bounds of the integers that the functions of a host and their kernels
/// compute, if no array is longer than `longest`, and no extent or number of
/// parts is larger.
///
/// Most ops tell the bounds of their results themselves. Known besides are
/// lengths; what ops with the attribute NachoDialect::kPlaceAttrName load; and
/// numbers that loops carry and increase by at most one in each step. These
/// count elements of arrays: since the host refuses what costs too much, no
/// thread takes more steps, in all its loops together, than kStepsPerElement
/// for each element of the longest array.
class IndexRanges {
public:
  using Range = mlir::ConstantIntRanges;

  explicit IndexRanges(int64_t longest) : longest(longest) {}

  /// Finds the bounds of all values of a function of the host, given all calls
  /// of it. Those whose functions were not visited before tell nothing.
  void visitHost(mlir::FunctionOpInterface host,
                 mlir::ArrayRef<mlir::func::CallOp> calls);
  /// Finds those of a kernel, after all functions of the host.
  void visitKernel(mlir::gpu::GPUFuncOp kernel,
                   mlir::MutableArrayRef<mlir::gpu::LaunchFuncOp> launches);

  Range of(mlir::Value value) const;
  /// Notes that one value is the same number as another one.
  void copy(mlir::Value value, mlir::Value same);
  /// Whether the low 32 bits of an index are all of it, as a signed number.
  bool isNarrow(mlir::Value value) const;
  /// Whether the bounds of a value exclude negative numbers.
  bool isPositive(mlir::Value value) const;
  /// Whether an array has so few elements that the index of each is narrow.
  bool isShort(mlir::Value array) const;
  /// Whether an op extends elements of an array of 32-bit integers, which are
  /// coordinates and positions: those of 2^31 and more are errors, and no worse
  /// ones than the largest number below. It is not if such numbers have a
  /// meaning, so that they are compared.
  static bool isLoadedPlace(mlir::Operation *op);

private:
  /// A part takes a step for each entry and for each row.
  static constexpr int64_t kStepsPerElement = 2;

  /// The bounds of a value, and whether steps of loops are counted in them.
  struct Known {
    Range range;
    bool countsSteps = false;
  };

  Known known(mlir::Value value) const;
  void set(mlir::Value value, const Range &range, bool countsSteps = false);
  void visit(mlir::Region &region);
  void visit(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitWhile(mlir::scf::WhileOp loop);
  void visitIf(mlir::scf::IfOp op);
  void visitThen(mlir::scf::IfOp op);
  void infer(mlir::Operation *op);
  static Range anyOf(mlir::Value value);
  bool isLess(mlir::Value low, mlir::Value high) const;
  std::optional<Range> rangeOfLess(mlir::arith::SubIOp less) const;
  std::optional<Range> rangeOfRest(mlir::arith::SubIOp less) const;
  std::optional<Range> rangeOfMiddle(mlir::arith::AddIOp middle);
  Range lengthOf(mlir::Value array) const;

  void start(mlir::ValueRange carried, mlir::ValueRange first);
  bool widen(mlir::ValueRange carried, mlir::ValueRange next, bool gaveUp);
  bool widen(mlir::Value carried, const Known &next);
  void join(mlir::ValueRange results, mlir::ValueRange one,
            mlir::ValueRange other);

  int64_t longest;
  mlir::DenseMap<mlir::Value, Known> values;
  /// Pairs of what loops carry, the first of which is less than the second
  /// where a loop goes on; or of a value between them and the second.
  mlir::DenseSet<std::pair<mlir::Value, mlir::Value>> areOrdered;
  /// The same, if the loop compares them as unsigned numbers.
  mlir::DenseSet<std::pair<mlir::Value, mlir::Value>> areOrderedUnsigned;
  /// Bounds of the lengths of arrays that are arguments of kernels.
  mlir::DenseMap<mlir::Value, Range> lengths;
};

} // namespace nacho

#endif // NACHO_LIB_INDEXRANGES_H
