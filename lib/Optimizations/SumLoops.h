//===- SumLoops.h - Loops that add to rows of sums ------------------------===//

#ifndef NACHO_LIB_CONVERSION_SUMLOOPS_H
#define NACHO_LIB_CONVERSION_SUMLOOPS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace nacho {

/// What a value is to the loop over a row: the same in all iterations, the
/// number of the iteration but for a constant, or an element of its own.
enum class Kind { same, number, element };

/// A row of sums: all indices of an element but the last.
struct Row {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;

  bool operator==(const Row &other) const {
    return memref == other.memref && indices == other.indices;
  }
};

bool hasRowOf(llvm::ArrayRef<Row> rows, mlir::Value memref);

/// for %n = 0 to %extent { sums[row, %n] = f(sums[row, %n], ...) }
///
/// Elements are loaded next to each other. Those that a condition, the same in
/// all iterations, replaces by another one need not be there.
class SumLoop {
public:
  static std::optional<SumLoop> match(mlir::scf::ForOp loop);

  mutable mlir::scf::ForOp loop;
  llvm::SmallVector<Row> rows;
  llvm::DenseMap<mlir::Value, Kind> kinds;
  /// Of a number: where it is one; else it is the same everywhere.
  llvm::DenseMap<mlir::Value, mlir::Value> conditions;

  Kind kindOf(mlir::Value value) const {
    auto found = kinds.find(value);
    return found == kinds.end() ? Kind::same : found->second;
  }

  /// Whether an op does nothing but compute what is carried in vain.
  bool isUnwanted(mlir::Operation &op) const {
    return mlir::isPure(&op) && op.hasOneUse() &&
           *op.user_begin() == loop.getBody()->getTerminator();
  }

private:
  bool matchStore(mlir::memref::StoreOp store);
  bool matchLoad(mlir::memref::LoadOp load);
  bool matchNumber(mlir::Operation &op);
  bool matchOp(mlir::Operation &op);
};

/// A loop all of which only adds to rows: it can be done for a strip of the
/// rows, and then for the next one.
class SumRegion {
public:
  static std::optional<SumRegion> match(mlir::scf::ForOp root);

  mlir::scf::ForOp root;
  mlir::Value extent;
  llvm::SmallVector<Row> rows;
  llvm::DenseMap<mlir::Operation *, SumLoop> sums;
  /// Ops with regions that have such loops in them.
  llvm::DenseSet<mlir::Operation *> around;

private:
  explicit SumRegion(mlir::scf::ForOp root) : root(root) {}

  bool isOutside(mlir::Value value) const {
    return !root->isAncestor(value.getParentBlock()->getParentOp());
  }
  bool matchOp(mlir::Operation &op);
  bool isRepeatable(mlir::Operation &op) const;
  bool addSum(SumLoop sum);
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_SUMLOOPS_H
