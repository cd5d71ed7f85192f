//===- HeavyRows.h - Splits a nest that has heavy rows ----------*- C++ -*-===//
//
// The rewrite of one nest by the pass: see SplitHeavyRows.cpp, which builds the
// nests that compute rows. HeavyRowLists.cpp builds those that list them.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_HEAVYROWS_H
#define NACHO_LIB_TRANSFORMS_HEAVYROWS_H

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Splits one nest.
class RowSplitter {
public:
  RowSplitter(NestOp nest, CostModelAttr model)
      : nest(nest), model(model), loops(nest.getLoops()),
        numOuter(nest.getMaxCutLoops()), b(withoutName(nest.getLoc()), nest) {}

  /// Whether the loops over the rows, and at least one loop inside of them, run
  /// through a list that keeps something, and what is appended is one term.
  bool canSplit();
  /// Computes heavy rows apart, element by element.
  void split();

  /// Whether heavy rows can be cut into pieces: the innermost loop, whose
  /// coordinate is appended, is the only loop inside of those over the list,
  /// steps through one fiber, and may look the coordinate up in others that
  /// have to have it. The list keeps where all of them are.
  bool canCutIntoPieces();
  /// Returns the nest that collects the pieces.
  NestOp cutIntoPieces();

private:
  /// A fiber that is cut into pieces, and how many levels below the loops over
  /// the list an entry keeps where it is.
  struct Divided {
    mlir::Value fiber, root;
    int64_t begin = 0;
    std::optional<int64_t> end; ///< If the fiber is a piece already.
  };
  std::optional<Divided> findDivided(mlir::Value fiber);
  bool findAllDivided();
  bool isInPieces() const { return divided.front().end.has_value(); }
  int64_t endOf(const Divided &of);
  mlir::Value emitExtentOfRow(mlir::Value row);
  mlir::Value fiberOfEntry(const Divided &of, mlir::Value entry);
  void appendPiece(mlir::Value entry, mlir::Value shift,
                   llvm::SmallVectorImpl<mlir::Value> &at);
  mlir::Value costOfPiece(mlir::Value entry, llvm::ArrayRef<mlir::Value> kept);
  mlir::Value costOfTables(mlir::Value entry, llvm::ArrayRef<mlir::Value> kept);
  mlir::Value listPieces();
  mlir::Value startPieces(mlir::Value fiber, NestOp copy,
                          mlir::IRMapping &mapping);
  void cloneInPieces(mlir::Operation &op, mlir::Value entry,
                     mlir::IRMapping &mapping);
  NestOp loopOverPieces(mlir::Value pieces);
  /// Enters the loops over the list, and returns its entry. `inRow` emits code
  /// for a row; the coordinates are added to `at`.
  mlir::Value enterList(llvm::SmallVectorImpl<mlir::Value> &at,
                        llvm::function_ref<void(mlir::Value)> inRow);
  mlir::Value costBetween(mlir::Value begin, mlir::Value end);
  mlir::Value listRows(llvm::StringRef name, bool isHeavy);
  AppendOp listHeavyEntries();
  NestOp listElements();
  void sortElements(NestOp elements);
  mlir::Value costOfEntry(NestOp of,
                          llvm::function_ref<mlir::Value(mlir::Value)> fiberOf);
  mlir::Value fiberAgain(mlir::Value entry, FiberAtOp at);
  void setCost(AppendOp append, NestOp elements);
  mlir::Value addUp(NestOp elements);
  mlir::Value unite(mlir::Value heavy, NestOp light);

  /// The entries of a row in the nest that is split.
  mlir::Value row() { return loops[numOuter - 1].getChildren().front(); }
  mlir::Value recallRow(mlir::Value entry);
  NestOp loopOverRows(mlir::Value rows, llvm::StringRef name);
  NestOp loopOverEntries(mlir::Value list, llvm::StringRef name);
  mlir::Value makeRoot(mlir::Value tensor, const llvm::Twine &name,
                       bool isScannedList = false);
  NestOp startNest(mlir::RankedTensorType type, llvm::StringRef name);
  CoiterateOp enterLoop(mlir::ValueRange fibers, MergeAttr merge,
                        mlir::StringAttr name);

  NestOp nest;
  CostModelAttr model;
  llvm::SmallVector<CoiterateOp> loops;
  unsigned numOuter;      ///< The number of loops over rows.
  unsigned numListed = 0; ///< The number of loops over the list.
  RootOp listed;          ///< The list.
  /// First the fiber in which the innermost loop steps, then those in which it
  /// looks its coordinate up.
  llvm::SmallVector<Divided> divided;
  mlir::ImplicitLocOpBuilder b;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_HEAVYROWS_H
