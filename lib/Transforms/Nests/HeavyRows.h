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
  /// and steps through one fiber of which the list keeps where it is.
  bool canCutIntoPieces();
  /// Returns the nest that collects the pieces.
  NestOp cutIntoPieces();

private:
  /// A fiber in which the innermost loop steps, and how many levels below the
  /// loops over the list an entry keeps where it is.
  struct Scattered {
    mlir::Value fiber, root;
    int64_t begin = 0;
    /// The end of the children, and the number of bits in which coordinates in
    /// a piece differ, if the fiber is a piece already.
    std::optional<int64_t> end, width;
  };
  bool findScattered();
  mlir::Value emitExtentOfRow(mlir::Value row);
  mlir::Value fiberOfEntry(mlir::Value entry);
  void appendPiece(mlir::Value entry, mlir::Value shift,
                   llvm::SmallVectorImpl<mlir::Value> &at);
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
  Scattered scattered;    ///< The fiber that the pieces are cut from.
  mlir::ImplicitLocOpBuilder b;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_HEAVYROWS_H
