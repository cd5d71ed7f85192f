//===- KeptLoop.h - Loops whose rows of sums can stay in registers --------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H
#define NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H

#include "nacho/IR/Condition.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nacho {

/// A row of sums: row `row` of the buffer `sums`, from column `first` on.
struct Row {
  mlir::Value sums, row, first;

  bool operator==(const Row &other) const {
    return sums == other.sums && row == other.row && first == other.first;
  }
};

/// Whether an op, or an op in its regions, reads or writes a buffer.
bool usesBuffer(mlir::Operation *op, mlir::Value buffer);

/// A loop that, with its inner loops, only adds to rows of sums, and the ops
/// beside it that add to the same rows. They can run for one strip of the rows
/// after the other.
class KeptLoop {
public:
  static std::optional<KeptLoop> match(CoiterateOp root);

  CoiterateOp root;
  mlir::Value length;
  llvm::SmallVector<Row> rows;
  /// The loops around the ops that accumulate.
  llvm::DenseSet<mlir::Operation *> around;
  /// What adds to the rows before and after the root, in the root's block.
  llvm::SmallVector<AccumulateOp> before, after;
  /// The loop right before all these that gives every sum its first value, if
  /// there is one, and these values by row.
  mlir::scf::ForOp clear;
  llvm::SmallVector<mlir::Value> firstSums;
  /// The tensors from which the terms are computed: those of the loops, and
  /// those of what is before and after them.
  llvm::SetVector<mlir::Value> tensors, besideTensors;

  bool readsRowsOf(mlir::Value tensor) const {
    return tensors.contains(tensor);
  }
  size_t rowOf(mlir::Value sums) const {
    auto *row =
        llvm::find_if(rows, [&](const Row &row) { return row.sums == sums; });
    return row - rows.begin();
  }

private:
  explicit KeptLoop(CoiterateOp root) : root(root) {}

  bool matchOps(mlir::Region &region);
  bool matchRows(AccumulateOp op);
  bool matchSums(AccumulateOp op);
  bool addsBeside(AccumulateOp op);
  bool canMoveToRoot(AccumulateOp op);
  void matchBefore();
  void matchAfter();
  bool matchFirstSums(mlir::scf::ForOp loop);
  bool isRepeatable(mlir::Operation &op);
  bool isOutside(mlir::Value value) {
    return !root->isAncestor(value.getParentBlock()->getParentOp());
  }
};

/// Whether all these tensors have rows, so that one can be read in place of a
/// row that lies outside.
Condition emitIsReadable(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<mlir::Value> tensors);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H
