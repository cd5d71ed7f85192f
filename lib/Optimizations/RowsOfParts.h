//===- RowsOfParts.h - Rows of tables that have one for each part ---------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_ROWSOFPARTS_H
#define NACHO_LIB_OPTIMIZATIONS_ROWSOFPARTS_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace nacho {

/// Whether a number of a row is that of a worker's part or, with `ahead` 1, of
/// the next part.
inline bool isRowOf(ParallelOp workers, mlir::Value row, int64_t ahead) {
  if (ahead == 0)
    return row == workers.getWorker();
  auto next = row.getDefiningOp<mlir::arith::AddIOp>();
  return next && next.getLhs() == workers.getWorker() &&
         matchPattern(next.getRhs(), mlir::m_One());
}

/// The cuts that the parts of a tile find for themselves; null if they do not.
inline TileCutsOp cutsOfTile(ParallelOp workers) {
  auto cuts = workers.getBodyBlock()->getOps<TileCutsOp>();
  return cuts.empty() ? TileCutsOp() : *cuts.begin();
}

/// Whether a part has loops over dense levels, whose steps the lanes of a warp
/// can take: then it does not take long to read what else it needs.
inline bool hasDenseLoops(ParallelOp workers) {
  return workers
      .walk([](mlir::Operation *op) {
        auto loop = llvm::dyn_cast<CoiterateOp>(op);
        bool isDense = loop && loop.getFibers().empty();
        return isDense || llvm::isa<AccumulateOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_ROWSOFPARTS_H
