//===- KeptLoop.h - Loops whose rows of sums can stay in registers --------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H
#define NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H

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

/// A loop that, with its inner loops, only adds to rows of sums. Such a loop
/// can run for one strip of the rows after the other.
class KeptLoop {
public:
  static std::optional<KeptLoop> match(CoiterateOp root);

  CoiterateOp root;
  mlir::Value length;
  llvm::SmallVector<Row> rows;
  /// The loops around the ops that accumulate.
  llvm::DenseSet<mlir::Operation *> around;
  /// The loop right before the root that gives every sum its first value, if
  /// there is one, and these values by row.
  mlir::scf::ForOp clear;
  llvm::SmallVector<mlir::Value> firstSums;
  /// The tensors from which the terms are computed.
  llvm::SetVector<mlir::Value> tensors;

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
  bool matchSums(AccumulateOp op);
  void matchClear();
  bool matchFirstSums(mlir::scf::ForOp loop);
  bool isRepeatable(mlir::Operation &op);
  bool isOutside(mlir::Value value) {
    return !root->isAncestor(value.getParentBlock()->getParentOp());
  }
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H
