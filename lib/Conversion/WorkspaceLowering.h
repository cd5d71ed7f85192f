//===- WorkspaceLowering.h - Lowers one workspace ---------------*- C++ -*-===//
//
// WorkspaceToSCF.cpp lowers workspaces in which each coordinate has a place of
// its own, and WorkspaceHashed.cpp those in which it has not.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_WORKSPACELOWERING_H
#define NACHO_LIB_CONVERSION_WORKSPACELOWERING_H

#include "WorkspaceKeys.h"
#include "WorkspaceMarks.h"
#include "WorkspaceNumbers.h"
#include "WorkspaceRepeats.h"
#include "nacho/IR/Condition.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace nacho {

/// Lowers one workspace and its uses. A dense workspace has only bits and
/// values: each coordinate is its own place, and keys are not used.
class WorkspaceLowering {
public:
  /// `adapts` says whether the code adapts to how often keys are inserted
  /// again.
  WorkspaceLowering(WorkspaceOp op, bool adapts)
      : op(op), b(withoutName(op.getLoc()), op), marks(op, b), keys(op, b),
        numbers(op, marks, b), repeats(b), adapts(adapts),
        isTable(isRenewed(op)) {}

  void run();

  /// Whether a workspace is a table: it is renewed, and never drained.
  static bool isRenewed(WorkspaceOp op);

private:
  void describeTable();
  void describeDense();
  using Results = llvm::SmallVector<mlir::Value>;
  using Emit = llvm::function_ref<Results()>;
  Results choose(mlir::TypeRange types, Emit dense, Emit hashed);
  void refuse(Condition isTooMuch, Status status);
  mlir::Value densePlace(mlir::Value key);
  Results lookUpHashed(mlir::Value key);
  mlir::Value firstNumber(LookupOp lookup);
  void lowerLookup(LookupOp lookup);
  void lowerInsert(InsertOp insert);
  void lowerRenew(RenewOp renew);
  /// A place, the number of the word with its bit and where this word is; the
  /// bit, the word before, and whether the place is new.
  struct DensePlace {
    mlir::Value place, number, wordAt, bit, before, isNew;
  };
  bool countsRepeats();
  mlir::Value insertDense(InsertOp insert);
  void insertByBranches(InsertOp insert, const DensePlace &found);
  void insertBySelect(InsertOp insert, const DensePlace &found);
  void storeSum(InsertOp insert, mlir::Value place, mlir::Value isNew);
  mlir::Value insertFlat(InsertOp insert);
  mlir::Value insertByLane(InsertOp insert);
  void addTo(mlir::Value place, InsertOp insert);
  mlir::Value insertHashed(InsertOp insert);
  mlir::Value insertNew(InsertOp insert, mlir::Value place);
  mlir::Value drainKey(mlir::Value place);
  void lowerDrain(DrainOp drain);
  void clearHashed();
  Results drainFlat(DrainOp drain);
  Results drainPlace(DrainOp drain, mlir::Value place,
                     mlir::ValueRange carried);

  mlir::Value load(mlir::Value buffer, mlir::Value at) {
    return mlir::memref::LoadOp::create(b, buffer,
                                        mlir::ValueRange{op.getRow(), at});
  }
  void store(mlir::Value value, mlir::Value buffer, mlir::Value at) {
    mlir::memref::StoreOp::create(b, value, buffer,
                                  mlir::ValueRange{op.getRow(), at});
  }

  WorkspaceOp op;
  mlir::ImplicitLocOpBuilder b;
  WorkspaceMarks marks;
  WorkspaceKeys keys;
  WorkspaceNumbers numbers;
  WorkspaceRepeats repeats;
  mlir::Value mask; ///< The last place; the number of places is a power of two.
  mlir::Value marked;  ///< The last place for which there are marks.
  mlir::Value isDense; ///< Whether a workspace with keys is dense.
  mlir::Value most;    ///< The largest number of keys of a hashed workspace.
  bool adapts, isTable;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_WORKSPACELOWERING_H
