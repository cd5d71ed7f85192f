//===- LoopLowering.h - Coiterations as scf loops -------------------------===//
//
// A coiteration becomes one scf loop, or some in a row. The kind of loop
// depends on the merge expression, and the number of loops never on the number
// of operands.
//
//   LoopsToSCF   picks the loop, and lowers bodies
//   LoopRows     loops over all coordinates
//   LoopMerges   loops that step through operands
//   LoopUnions   unions of two operands
//   LoopRuns     finds the ends of runs
//   LoopBlocks   loops that take several coordinates at a time
//   LoopCounts   loops that only count coordinates
//   LoopWindows  computes, for any of these loops, coordinates that no array
//                stores
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_LOOPLOWERING_H
#define NACHO_LIB_CONVERSION_LOOPLOWERING_H

#include "FiberLowering.h"
#include "nacho/Analysis/MergeLattice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacho {

/// The next coordinates of an operand: those at [position, end), of which as
/// many are used as a vector register has lanes.
struct CoordinateBlock {
  const Level *level;
  mlir::Value position, end;
};

class LoopLowering {
public:
  explicit LoopLowering(FiberLowering &lowering)
      : lowering(lowering), b(lowering.b) {}

  void lowerCoiterate(CoiterateOp op);
  void lowerCount(CountOp op);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Conditions = llvm::SmallVector<Condition>;
  /// The ends of the runs of operands that store runs.
  using Ends = llvm::SmallVector<std::optional<mlir::Value>>;

  /// An operand of a loop over rows, each of which ends where the next one
  /// begins.
  struct Row {
    unsigned operand;
    unsigned number;   ///< Of the row among the operands of the loops inside.
    mlir::Value first; ///< The start of the first row.
    mlir::Value most;  ///< The most that rows may end at.
    FiberValue::Children children; ///< Of the row whose body is emitted.
  };

  /// A carried value to which each step of a loop adds the same number.
  struct Counter {
    unsigned number; ///< Among the carried values.
    mlir::arith::AddIOp next;
    mlir::Value term;
  };

  /// A coiteration being lowered.
  struct Loop {
    CoiterateOp op;
    llvm::SmallVector<FiberValue> fibers, guards;
    llvm::SmallVector<ChildRange> ranges;
    llvm::SmallVector<unsigned>
        stored; ///< Operands with coordinates to step through.
    std::optional<CutValue> lower, upper;
    llvm::SmallVector<Row> rows;
    /// Whether the cuts are at the coordinate whose body is emitted, if that is
    /// known.
    std::optional<bool> onLower, onUpper;
    /// The loop only counts coordinates.
    bool isCount = false;
    /// No stored operand is exhausted in the step that is emitted, nor in the
    /// next one if its coordinates are loaded ahead.
    bool isAlive = false;
  };

  /// The values that an scf loop carries: for each stored operand its position
  /// and the coordinate at this position, and the values that the coiteration
  /// carries.
  struct State {
    Values positions, coordinates, carried;

    Values flatten() const;
    static State unflatten(const Loop &loop, mlir::ValueRange values);
  };

  // The choice of the loop.
  Loop startLoop(CoiterateOp op);
  Values emitLoop(Loop &loop);
  std::pair<ClipPath, LastCoordinate> clipPath(CoiterateOp op, unsigned n);
  mlir::Value stepThroughRun(const Loop &loop, unsigned n,
                             mlir::Value coordinate, mlir::Value position,
                             Condition present);
  mlir::Value searchEndOfRun(const ChildRange &range, mlir::Value coordinate,
                             mlir::Value position);

  // Loops over all coordinates. Like all loops, they return the values that the
  // coiteration carries out.
  Values emitAll(Loop &loop);
  Values emitRows(Loop &loop, mlir::Value from, mlir::Value end,
                  mlir::ValueRange values);
  Values emitRowIf(Loop &loop, mlir::Value exists, mlir::Value coordinate,
                   mlir::ValueRange values);
  Values emitPeeled(Loop &loop, mlir::Value first, mlir::Value end,
                    Values values);
  Values emitRow(Loop &loop, mlir::Value coordinate, mlir::ValueRange values);
  mlir::Value enterRow(Loop &loop, Row &row, mlir::Value coordinate,
                       mlir::Value begin);
  CutValue enterCut(const CutValue &cut, mlir::Value coordinate,
                    std::optional<bool> isThere);
  std::optional<Row> rowOf(const Loop &loop, unsigned n);
  bool isCutInRows(const Loop &loop);
  void findRows(Loop &loop);
  bool asksForCuts(const Loop &loop);
  bool canJoinRows(const Loop &loop);
  mlir::Value firstCoordinate(const Loop &loop);
  mlir::Value endCoordinate(const Loop &loop);
  mlir::Value extentOf(const Loop &loop);
  mlir::scf::ForOp startFor(mlir::Value from, mlir::Value to,
                            mlir::ValueRange inits);
  static llvm::SmallVector<Counter> countersOf(CoiterateOp op);
  Values finishFor(mlir::scf::ForOp loop, llvm::ArrayRef<Counter> counters,
                   unsigned firstCarried, Values next);

  // Loops that step through operands.
  Values emitOne(Loop &loop);
  Values emitRest(Loop &loop, unsigned n, mlir::Value from,
                  const Conditions &present, mlir::ValueRange carried);
  Values emitMerge(Loop &loop, MergeAttr domain);
  void withCopy(Loop &loop, llvm::function_ref<void()> emit);
  mlir::scf::WhileOp startWhileAll(Loop &loop);
  mlir::scf::WhileOp startWhileAll(mlir::ValueRange inits,
                                   mlir::ValueRange ends);
  void finishWhileAll(Loop &loop, mlir::scf::WhileOp whileOp);
  Values emitWhileAll(Loop &loop);
  Values emitWhileAhead(Loop &loop);
  Values emitWhileAny(Loop &loop, MergeAttr domain, mlir::ValueRange positions,
                      mlir::ValueRange carried);
  State emitPlainStep(Loop &loop, mlir::ValueRange positions,
                      mlir::ValueRange carried);

  // Unions of two operands.
  bool unitesTwo(const Loop &loop);
  bool leavesOne(const Loop &loop);
  Values emitRests(Loop &loop, Values results, bool hasPairs);
  bool branchesInside(const Loop &loop);
  State emitBranches(Loop &loop, mlir::ValueRange positions,
                     mlir::ValueRange carried);
  Values emitCase(Loop &loop, mlir::Value coordinate,
                  std::optional<unsigned> only, mlir::ValueRange positions,
                  mlir::ValueRange carried);

  // Loops that take blocks.
  unsigned lanesOf(mlir::Value tensor);
  unsigned lanesOf(const Loop &loop);
  mlir::Value countEqual(const CoordinateBlock &block, mlir::Value coordinate,
                         unsigned lanes);
  MergeAttr bothStored(const Loop &loop);
  Values emitBlocks(Loop &loop);
  Values visitMatches(Loop &loop, mlir::Value matches,
                      llvm::ArrayRef<CoordinateBlock> blocks,
                      mlir::ValueRange carried, unsigned lanes);

  // Loops that only count.
  Values addMatches(mlir::Value matches, mlir::ValueRange carried);
  std::optional<unsigned> findProbe(const Loop &loop, MergeAttr domain);
  Values countProbed(Loop &loop, unsigned probe, unsigned lanes);

  // Loops over coordinates that are computed.
  bool hasWindows(const Loop &loop);
  mlir::Value startCursors(const Level &level);
  Values emitInWindows(Loop &loop, Values (LoopLowering::*emit)(Loop &));

  // Steps.
  State stateAt(Loop &loop, mlir::ValueRange positions,
                mlir::ValueRange carried);
  State firstState(Loop &loop);
  mlir::Value emitLeast(const State &state);

  /// The step at `coordinate`: the body, and then the operands that have this
  /// coordinate move on.
  State emitStep(Loop &loop, mlir::Value coordinate, const State &state,
                 bool visitsAll);

  // Bodies.
  /// The body, run if the merge expression holds for the operands that are
  /// present. Returns the values that the coiteration carries.
  Values emitBody(Loop &loop, mlir::Value coordinate, Conditions present,
                  llvm::ArrayRef<mlir::Value> positions, const Ends &ends,
                  mlir::ValueRange carried, bool visitsAll);
  mlir::Value locateChild(Loop &loop, unsigned n, mlir::Value coordinate,
                          bool visitsAll, Condition &present);
  Condition mergeHolds(Loop &loop, Conditions present);
  mlir::Value hasChildren(const Loop &loop, unsigned n, mlir::Value position,
                          Condition present, std::optional<mlir::Value> end);
  void enterBody(Loop &loop, mlir::Value coordinate, const Conditions &present,
                 llvm::ArrayRef<mlir::Value> childPositions, const Ends &ends);
  /// Moves the body to the end of `block` and lowers it there.
  void moveBody(Loop &loop, mlir::Block *block, mlir::ValueRange carried,
                llvm::SmallVectorImpl<mlir::Value> &yielded);

  FiberLowering &lowering;
  mlir::ImplicitLocOpBuilder &b;
};

/// An i64 in which bit n is set if `other` has the n-th coordinate of `block`,
/// for n < lanes.
mlir::Value emitMatches(mlir::ImplicitLocOpBuilder &b,
                        const CoordinateBlock &block,
                        const CoordinateBlock &other, unsigned lanes);

/// Whether the cuts of a loop also cut loops inside it.
inline bool cutsInside(CoiterateOp op) {
  return op.isBounded() && op.getLower().getType().getWidths().size() > 1;
}

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_LOOPLOWERING_H
