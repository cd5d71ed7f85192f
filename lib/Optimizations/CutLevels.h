//===- CutLevels.h - Levels that parts read between cuts --------*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_CUTLEVELS_H
#define NACHO_LIB_OPTIMIZATIONS_CUTLEVELS_H

#include "nacho/IR/Nacho.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace nacho {

/// A level of a tensor, and where cuts have their positions in it: the number
/// of a loop, and of an operand of that loop.
struct CutLevel {
  mlir::Value tensor;
  unsigned level;
  int64_t loop, operand;
};

/// The levels that the loops and searches of workers step through between cuts.
class CutLevels {
public:
  explicit CutLevels(ParallelOp workers);

  /// Each level once. Of levels that share their positions, only the deepest:
  /// there, cuts tell entries of a run apart.
  llvm::SmallVector<CutLevel> take() const;

  /// Whether parts, after they have waited for each other for the last time,
  /// read entries of a level only from one cut to the next.
  bool isReadAlone(mlir::Value tensor, unsigned level) const;

private:
  using Level = std::pair<mlir::Value, unsigned>;

  void visit(mlir::Operation *op);
  template <typename OpT>
  void visitSteps(OpT op, mlir::Value inner);
  void noteElsewhere(mlir::Operation *op);

  bool isLast; ///< Whether there is no more barrier.
  /// The number of loops outside of each lower cut.
  llvm::DenseMap<mlir::Value, int64_t> depths;
  llvm::MapVector<Level, CutLevel> levels;
  /// The levels that workers step through several times, or in other ways, and
  /// the tensors that they may read anywhere.
  llvm::DenseSet<Level> again;
  llvm::DenseSet<mlir::Value> anywhere;
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_CUTLEVELS_H
