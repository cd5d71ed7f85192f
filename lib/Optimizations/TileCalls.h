//===- TileCalls.h - Calls of workers that may become one tile --*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_TILECALLS_H
#define NACHO_LIB_OPTIMIZATIONS_TILECALLS_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {

/// A call of a function that has workers and, besides them, only what takes no
/// memory; or, without a call, the workers of a function itself.
struct WorkersCall {
  mlir::func::CallOp call;
  mlir::func::FuncOp callee;
  ParallelOp workers;

  explicit operator bool() const { return workers; }

  /// The caller's value for one of the callee; null if the callee makes it.
  mlir::Value given(mlir::Value value);
};

/// Returns the function that is called, if its body is a single block and it
/// has no results; else null.
mlir::func::FuncOp calleeOf(mlir::func::CallOp call);
WorkersCall findWorkers(mlir::func::CallOp call);
/// Whether two callees compute the same number from what they are given.
bool areSame(WorkersCall &first, mlir::Value one, WorkersCall &second,
             mlir::Value other);

/// The array that an operation stores to; null if it stores nothing.
mlir::Value arrayStoredTo(mlir::Operation *op);
/// Whether an operation may write to memory in a way that is not known here.
bool isUnknown(mlir::Operation *op);

/// Copies what a callee has besides its workers.
mlir::IRMapping copyAround(mlir::OpBuilder &b, WorkersCall &by);
/// Loads the cuts of a tile from where its parts have them.
void loadFromTile(mlir::Operation *copy, TileCutsOp cuts, TileOp tile);

/// The call that comes next in a block, if what lies between takes no memory.
mlir::func::CallOp callAfter(mlir::Operation *op);
/// Erases those private functions that nobody calls any more.
void eraseUnused(const llvm::SetVector<mlir::func::FuncOp> &callees,
                 mlir::ModuleOp module);

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_TILECALLS_H
