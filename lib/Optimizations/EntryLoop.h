//===- EntryLoop.h - Loops over entries of which a tile has terms ---------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_ENTRYLOOP_H
#define NACHO_LIB_OPTIMIZATIONS_ENTRYLOOP_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {

/// A loop over entries of an operand, and what it computes of an entry alone.
class EntryLoop {
public:
  EntryLoop(mlir::scf::ForOp loop, ParallelOp workers)
      : loop(loop), workers(workers) {}

  /// Whether the loop looks elements up for terms that depend on nothing but
  /// the entry, and the tile has a window of its entries.
  bool match();

  /// Emits the memory in which the terms of the tile are kept.
  void emitMemory(mlir::ImplicitLocOpBuilder &b);
  /// Emits the terms of every `count`th entry of the tile from `first` on.
  /// Returns whether any flag of them is set; null if they have none.
  mlir::Value emitTerms(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                        mlir::Value first, mlir::Value count);
  /// Replaces the copy of the loop by one that adds up the terms in memory.
  void useTerms(const mlir::IRMapping &copies, mlir::Value from);

  mlir::scf::ForOp loop;
  /// The windows of arrays that are read in order.
  llvm::SmallVector<StageInOp> windows;
  llvm::SmallVector<mlir::Value> terms;
  llvm::SmallVector<mlir::Value> flags; ///< Those that are joined with others.

private:
  bool isOfEntry(mlir::Value value);
  bool isRead(mlir::Value array);
  bool isInOrder(mlir::memref::LoadOp load);
  bool isChecked(mlir::Value index);
  bool canLoad(mlir::memref::LoadOp load);
  bool joinsFlag(unsigned carried);
  bool isOnlyJoined(mlir::Value flag);
  bool findTerms();
  bool findWindows();

  ParallelOp workers;
  /// What computes terms and flags, in order; and what of that differs between
  /// entries.
  llvm::SetVector<mlir::Operation *> ops, varying;
  llvm::SmallVector<mlir::Value> memories; ///< Those of the terms.
  bool takesLanes = false; ///< Whether nacho-sum-in-lanes changes the loop.
  bool looksUp = false;    ///< Whether it knows that the loop looks up.
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_ENTRYLOOP_H
