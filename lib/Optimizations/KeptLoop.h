//===- KeptLoop.h - Loops whose rows of sums can stay in registers --------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H
#define NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H

#include "nacho/IR/Nacho.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace nacho {

/// The sums of one row of a buffer.
struct Row {
  mlir::Value sums, row, first;

  bool operator==(const Row &other) const {
    return sums == other.sums && row == other.row && first == other.first;
  }
};

/// A loop all of which only accumulates: it can be done for a strip of the
/// rows, and then for the next one.
class KeptLoop {
public:
  static std::optional<KeptLoop> match(CoiterateOp root);

  CoiterateOp root;
  mlir::Value length;
  llvm::SmallVector<Row> rows;
  /// The loops that have an op in them that accumulates.
  llvm::DenseSet<mlir::Operation *> around;

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
  bool isRepeatable(mlir::Operation &op);
  bool isOutside(mlir::Value value) {
    return !root->isAncestor(value.getParentBlock()->getParentOp());
  }

  llvm::DenseSet<mlir::Value>
      tensors; ///< Of which the terms are made, row by row.
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_KEPTLOOP_H
